#!/bin/sh
# ./run.sh safe | regressed | renamed | open: plan the run of a policy, and guard it from its sandbox to its verdict.
set -eu
cd "$(dirname "$0")"
policy=$1
[ "$policy" = open ] && { policy=safe; SANDBOX_NETWORK=open; export SANDBOX_NETWORK; }
rm -rf runs/next
python plan.py "$policy" runs/next
exec litmus-nb guard params.yaml --in ./sandbox.sh \
  --canary 'python -m litmus_nb.inspect.canary redteam.py@redteam --declarations source.yaml --signal exfiltration' \
  --log inspect:logs --declarations source.yaml -- \
  inspect eval redteam.py -T "policy=$policy" --model mockllm/model --log-dir logs --display none
