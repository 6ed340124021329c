"""What cells show: lines of text, and charts, interactive where the notebook is open, pictures where it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from IPython.display import display

from litmus_nb.report.drawing import lab_bundle

if TYPE_CHECKING:
    import altair as alt

__all__ = ["LiveChart", "say", "show_chart"]


class LiveChart:
    """A chart as the last line of a cell: live in JupyterLab, without network; a picture anywhere else.

    An altair chart by itself would be shown as HTML that loads its parts from the network and is blank without.
    """

    def __init__(self, chart: alt.TopLevelMixin, words: str) -> None:
        self.altair = chart
        """The altair chart, to be changed further."""
        self._words = words

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        return lab_bundle(self.altair.to_dict(), self._words)

    def __repr__(self) -> str:
        return f"<{self._words}>"


def say(line: str) -> None:
    """Display a line of text in the running cell."""
    display({"text/plain": line}, raw=True)  # type: ignore[no-untyped-call]  # IPython has no types here


def show_chart(spec: dict[str, Any], words: str) -> None:
    """Display a chart in the running cell.

    Args:
        spec: the chart as a Vega-Lite specification.
        words: what a reader gets who sees no picture.
    """
    data, metadata = lab_bundle(spec, words)
    display(data, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]  # IPython has no types here
