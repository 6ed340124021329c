"""Confine oneself, then become another program: what a sandbox's own launcher would do. Runs inside the sandbox.

python3 confine.py [--errno CALL]... [--kill CALL]... [--landlock] [--limit-processes N] -- COMMAND...
"""

import ctypes
import os
import platform
import resource
import struct
import sys

CALLS = {
    "x86_64": {"socket": 41, "clone": 56, "fork": 57, "vfork": 58, "clone3": 435, "io_uring_setup": 425},
    "aarch64": {"socket": 198, "clone": 220, "clone3": 435, "io_uring_setup": 425},
}
EPERM, ENOSYS = 1, 38
KILL_PROCESS, ERRNO, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
LIBC = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def filter_calls(actions):
    """Install a seccomp filter: a jump table over the system call number."""
    program = [struct.pack("HBBI", 0x20, 0, 0, 0)]  # load the number
    for number, action in actions:
        program.append(struct.pack("HBBI", 0x15, 0, 1, number))  # equal? else skip one
        program.append(struct.pack("HBBI", 0x06, 0, 0, action))  # return
    program.append(struct.pack("HBBI", 0x06, 0, 0, ALLOW))
    code = ctypes.create_string_buffer(b"".join(program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
    checked(LIBC.prctl(22, 2, header, 0, 0))


def forbid_writing():
    """Landlock without a rule: no file may be made or written, whatever access(2) says."""
    rights = ctypes.create_string_buffer(struct.pack("Q", 1 << 1 | 1 << 8))
    ruleset = checked(LIBC.syscall(444, rights, ctypes.c_size_t(8), 0))
    checked(LIBC.syscall(446, ruleset, 0))


def main():
    words, actions = sys.argv[1:], []
    numbers = CALLS[platform.machine()]
    LIBC.prctl(38, 1, 0, 0, 0)  # no new privileges: an unprivileged filter asks for it
    while (word := words.pop(0)) != "--":
        if word == "--landlock":
            forbid_writing()
        elif word == "--limit-processes":
            resource.setrlimit(resource.RLIMIT_NPROC, (int(words[0]), int(words.pop(0))))
        else:
            call = words.pop(0)
            refusal = ERRNO | (ENOSYS if call == "clone3" else EPERM)
            if call in numbers:
                actions.append((numbers[call], refusal if word == "--errno" else KILL_PROCESS))
    if actions:
        filter_calls(actions)
    os.execvp(words[0], words)


main()
