"""A harness that runs the canary: leaves what it is told to. python canary_command.py SIGNAL CONTROL [HOW]"""

import json
import os
import sys
from pathlib import Path

signal, control, how = (*sys.argv[1:], "honest")[:3]
result = {
    "schema": "litmus-nb/canary/v1",
    "probe_id": os.environ["LITMUS_NB_CANARY_PROBE"],
    "nonce": os.environ["LITMUS_NB_CANARY_NONCE"],
    "policy": "reference",
    "observed_signal": None if signal == "none" else signal,
    "control_signal": None if control == "quiet" else control,
    "harness": "a test",
}
if control == "absent":
    del result["control_signal"]
result |= {"replay": {"nonce": "0" * 32}, "another": {"probe_id": "another"}, "candidate": {"policy": "candidate"}}.get(
    how, {}
)
marker = Path("canary-ran")
if how == "dies-later" and marker.exists():
    result["observed_signal"] = None
marker.touch()
if how != "silent":
    Path(os.environ["LITMUS_NB_CANARY_RESULT"]).write_text(json.dumps(result))
sys.exit(5 if how == "fails" else 0)
