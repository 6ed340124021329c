"""The digests of the shipped notebooks' sources. Made by `python -m litmus_nb.shipped.pin_notebooks`."""

from __future__ import annotations

NOTEBOOK_PINS: dict[str, str] = {
    "notebooks/gate.ipynb": "sha256:e90b462a2c36fa05ef9d63c0edcfbcaf5111f0e26eaa82d4b5aba99a1c5fd259",
    "notebooks/history.ipynb": "sha256:3d5f227e6d437ff66aebc74eac8f926dfcaeb9d5a369224ebe5f4ef7c36449f0",
    "notebooks/incidents.ipynb": "sha256:a0f4bb26210b521d65053807535a1614f317fde1c026204eca4894affa7b6108",
}
