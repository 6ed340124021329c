"""The digests of the shipped notebooks' sources. Made by `python -m litmus_nb.shipped.pin_notebooks`."""

from __future__ import annotations

NOTEBOOK_PINS: dict[str, str] = {
    "notebooks/explore.ipynb": "sha256:f10d1e7587bb8d192f7ca342a4f7835f46812571c640ba750cca9605af9d421d",
    "notebooks/gate.ipynb": "sha256:e90b462a2c36fa05ef9d63c0edcfbcaf5111f0e26eaa82d4b5aba99a1c5fd259",
    "notebooks/history.ipynb": "sha256:3d5f227e6d437ff66aebc74eac8f926dfcaeb9d5a369224ebe5f4ef7c36449f0",
    "notebooks/incidents.ipynb": "sha256:a0f4bb26210b521d65053807535a1614f317fde1c026204eca4894affa7b6108",
    "notebooks/judge_drift.ipynb": "sha256:54a4740c9770cb78ddc7b2dfbc96e3b0da69639da3da6719b8e820024b56a540",
    "notebooks/power.ipynb": "sha256:7f9b4d78e960b821eed153c51027757e73e37d76e4d2d2bcc57b25b346f0569a",
}
