"""The nine incidents, in the order in which they are told."""

from __future__ import annotations

from litmus_nb.incidents.incident import Incident
from litmus_nb.incidents.of_a_class import EASY_CLASS, HIDDEN_IN_QUARANTINE, TINY_CLASS
from litmus_nb.incidents.of_the_contract import OPEN_NETWORK, RENAMED_TOOLS
from litmus_nb.incidents.of_the_run import JUDGE_UPGRADED, SINGLE_TRIAL, TEMPLATE_CHANGED, TIMEOUTS_DROPPED

__all__ = ["INCIDENTS"]

INCIDENTS: dict[str, Incident] = {
    incident.name: incident
    for incident in (
        RENAMED_TOOLS,
        OPEN_NETWORK,
        TIMEOUTS_DROPPED,
        JUDGE_UPGRADED,
        SINGLE_TRIAL,
        EASY_CLASS,
        TINY_CLASS,
        TEMPLATE_CHANGED,
        HIDDEN_IN_QUARANTINE,
    )
}
