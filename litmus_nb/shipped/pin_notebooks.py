"""Writes `notebook_pins.py` from the notebooks in the checkout: part of every change to a notebook.

`python -m litmus_nb.shipped.pin_notebooks [--check]` exits 1 with --check where the pins are not current.
"""

from __future__ import annotations

import sys
from pathlib import Path

from litmus_nb.files import read_bytes, replace_file
from litmus_nb.shipped import shipped_path
from litmus_nb.shipped.notebooks import shipped_sources

__all__ = ["current_pins"]

_PINS = Path(__file__).with_name("notebook_pins.py")


def current_pins() -> str:
    """The text that `notebook_pins.py` should have."""
    names = sorted(f"notebooks/{path.name}" for path in shipped_path("notebooks").glob("*.ipynb"))
    rows = "".join(f'    "{name}": "{shipped_sources(name).digest}",\n' for name in names)
    return (
        '"""The digests of the shipped notebooks\' sources. Made by `python -m litmus_nb.shipped.pin_notebooks`."""\n\n'
        "from __future__ import annotations\n\n"
        f"NOTEBOOK_PINS: dict[str, str] = {{\n{rows}}}\n"
    )


def main() -> int:
    """Write the pins, or with --check say whether they are current."""
    text = current_pins()
    if "--check" in sys.argv[1:]:
        return int(read_bytes(_PINS).decode() != text)
    replace_file(_PINS, text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
