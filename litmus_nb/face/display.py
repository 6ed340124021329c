"""What the gate notebook shows in its cells. Every string of evidence is escaped by the templates."""

from __future__ import annotations

from IPython.display import HTML, DisplayHandle, display

from litmus_nb.contracts.verdict import Verdict
from litmus_nb.rule.admissibility import Admitted
from litmus_nb.rule.eligibility import Eligible

__all__ = ["Shown"]


class Shown:
    """The outputs of one execution; the banner on top is brought up to date when the verdict is known."""

    def __init__(self) -> None:
        self._banner: DisplayHandle | None = None

    def placeholder(self) -> None:
        """Put the banner on top: nothing is decided yet."""
        self._banner = display(HTML("<p><strong>NO VERDICT</strong>: the gate has not finished.</p>"), display_id=True)

    def admitted(self, admitted: Admitted) -> None:
        """What section 2 found in order."""

    def eligible(self, eligible: Eligible) -> None:
        """What section 3 found in order."""

    def decision(self, verdict: Verdict) -> None:
        """The picture, the classes, the reasons."""

    def verdict(self, verdict: Verdict) -> None:
        """Bring the banner up to date."""
        if self._banner is not None:
            self._banner.update(HTML(f"<p><strong>{verdict.verdict}</strong></p>"))
