"""Where the files that travel with the package lie: notebooks, params, the demo."""

from __future__ import annotations

from pathlib import Path

__all__ = ["shipped_path"]

_PACKAGE = Path(__file__).resolve().parent.parent


def shipped_path(name: str) -> Path:
    """The path of a shipped file or folder, such as `notebooks/gate.ipynb`.

    A wheel carries them inside the package; in a checkout (an editable install) they are the top-level folders.

    Raises:
        FileNotFoundError: it is in neither place: the installation is damaged.
    """
    for root in (_PACKAGE / "_shipped", _PACKAGE.parent):
        if (path := root / name).exists():
            return path
    raise FileNotFoundError(f"{name} is not part of this installation of litmus_nb; install it anew")
