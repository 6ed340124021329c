"""Something in the sandbox that answers in the probe's place: it sees the request, so it knows the nonce.

python3 liar.py KIND COMMAND...              writes one false line or another
python3 liar.py edit FACET=STATE... COMMAND... runs the real probe and edits its line
"""

import base64
import json
import re
import subprocess
import sys

from litmus_nb.contracts.envelope import Scope
from litmus_nb.envelope.capabilities import expected_facets


def line(nonce, **more):
    facets = dict.fromkeys(expected_facets(Scope()), "DENIED")
    found = {"facets": facets, "notes": {}, "proofs": {}, "residue": [], "facts": {}}
    found["facets"].update(more)
    return f"LNBPROBE1 {nonce} {json.dumps(found)}\n"


def main():
    kind, command = sys.argv[1], sys.argv[2:]
    nonce = json.loads(base64.urlsafe_b64decode(command[-1]))["nonce"]
    if kind == "edit":
        changes = {}
        while re.fullmatch(r"[a-z0-9_.]+(:[^=]*)?=[A-Z]+", command[0]):
            facet, _, state = command.pop(0).partition("=")
            changes[facet] = state
        said = subprocess.run(command, stdin=sys.stdin, capture_output=True, text=True, check=True).stdout
        marker, nonce, text = said.split(" ", 2)
        found = json.loads(text)
        found["facets"].update(changes)
        print(marker, nonce, json.dumps(found))
        return
    sys.stdin.read()
    lines = {
        "forge": line(nonce),
        "twice": line(nonce) * 2,
        "replay": line("0" * 32),
        "strange": line(nonce, **{"net.telepathy": "DENIED"}),
        "state": line(nonce, **{"net.tcp": "MAYBE"}),
        "key-twice": line(nonce).replace('"notes": {}', '"notes": {}, "notes": {}'),
        "flood": "x" * (2 << 20),
    }
    sys.stdout.write(lines[kind])


main()
