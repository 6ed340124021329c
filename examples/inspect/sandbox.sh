#!/bin/sh
# The sandbox of this suite, whole: a command prefix. Whoever measures it and the harness that uses it start this one file.
# $1.. is the command; the folder SANDBOX_DIR is /sandbox inside (without one, a fresh one that vanishes).
# SANDBOX_NETWORK=open is the kind of variable that a CI job sets "for a moment" and forgets.
work="--tmpfs /sandbox"; [ -n "$SANDBOX_DIR" ] && work="--bind $SANDBOX_DIR /sandbox"
network=--unshare-net
[ "$SANDBOX_NETWORK" = open ] && network=--share-net
lib64=; [ -e /usr/lib64 ] && lib64="--symlink usr/lib64 /lib64"
# shellcheck disable=SC2086
exec env -i PATH=/usr/bin:/bin bwrap --die-with-parent --new-session --clearenv --setenv PATH /usr/bin:/bin \
  --setenv HOME /home/agent --unshare-user --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try $network \
  --uid 1000 --gid 1000 --cap-drop ALL --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib $lib64 \
  --proc /proc --ro-bind /proc/sys /proc/sys --dev /dev --remount-ro /dev --dir /home/agent --dir /etc --dir /tmp \
  $work --chdir /sandbox --remount-ro / "$@"
