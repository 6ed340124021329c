"""The canary's result: what any harness leaves after it ran the canary with the reference policy, and the control."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from litmus_nb.contracts.base import Name, StrictModel
from litmus_nb.contracts.run import RunCanary

__all__ = ["CanaryResult"]


class CanaryResult(StrictModel):
    """canary.json as a harness writes it to the path in `LITMUS_NB_CANARY_RESULT`."""

    schema_: Literal["litmus-nb/canary/v1"] = Field(alias="schema")
    probe_id: Name = Field(description="The canary's id, from `LITMUS_NB_CANARY_PROBE`.")
    nonce: Name = Field(description="From `LITMUS_NB_CANARY_NONCE`: an old result is no result.")
    policy: Literal["reference"] = Field(description="The known-malicious policy that did the act.")
    observed_signal: Name | None = Field(description="What the detector reported; null: nothing.")
    control_signal: Name | None = Field(
        default=None, description="What it reported on the hardened control; null: quiet. Absent: not run."
    )
    harness: Name = Field(description="What ran it, with its version.")

    def as_declared(self) -> RunCanary:
        """The result as run.json declares it; an absent control stays absent."""
        shown = {"probe_id": self.probe_id, "policy": self.policy, "observed_signal": self.observed_signal}
        if "control_signal" in self.model_fields_set:
            shown["control_signal"] = self.control_signal
        return RunCanary.model_validate(shown)
