"""The gate that does not lie."""

from litmus_nb._version import __version__

__all__ = ["__version__"]
