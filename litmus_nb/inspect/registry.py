"""What Inspect finds through its entry point: importing this registers the hook and the reference policies."""

from litmus_nb.inspect.hooks import Admission
from litmus_nb.inspect.policies import hardened_control, reference_policy

__all__ = ["Admission", "hardened_control", "reference_policy"]
