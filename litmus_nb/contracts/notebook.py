"""The sources of a notebook: what is pinned, and what was really executed. Opens nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from litmus_nb.contracts.canonical import digest_of_json

__all__ = ["FORBIDDEN_TAGS", "PARAMETERS_TAG", "NotebookSources", "sources_of"]

PARAMETERS_TAG = "parameters"
INJECTED_TAG = "injected-parameters"
FORBIDDEN_TAGS = frozenset({"raises-exception", "skip-execution", INJECTED_TAG})
"""Tags under which a cell is skipped or its error swallowed; none may stand in a gate notebook."""


@dataclass(frozen=True)
class NotebookSources:
    """The cells of a notebook as written, without outputs."""

    cells: tuple[tuple[str, str, tuple[str, ...]], ...]
    """(cell type, source, tags) of each cell, in order."""

    @property
    def digest(self) -> str:
        """The digest of the sources: cell types, sources and tags, in order. Outputs and metadata do not matter."""
        return digest_of_json([[kind, source, list(tags)] for kind, source, tags in self.cells])

    @property
    def code(self) -> tuple[str, ...]:
        """The sources of the code cells that are not empty, in order."""
        return tuple(source for kind, source, _ in self.cells if kind == "code" and source.strip())

    @property
    def parameters_index(self) -> int | None:
        """Which of `code` is the parameters cell."""
        tags = [tags for kind, source, tags in self.cells if kind == "code" and source.strip()]
        marked = [index for index, of_cell in enumerate(tags) if PARAMETERS_TAG in of_cell]
        return marked[0] if len(marked) == 1 else None

    @property
    def problems(self) -> tuple[str, ...]:
        """What makes this unfit to be a gate notebook: forbidden tags, raw cells, no or several parameters cells."""
        found = [
            f"cell {number} has the tag {tag}"
            for number, (_, _, tags) in enumerate(self.cells, start=1)
            for tag in sorted(FORBIDDEN_TAGS & set(tags))
        ]
        found += [
            f"cell {number} is a {kind} cell"
            for number, (kind, _, _) in enumerate(self.cells, start=1)
            if kind not in ("code", "markdown")
        ]
        if self.parameters_index is None:
            found.append(f"not exactly one code cell has the tag {PARAMETERS_TAG}")
        return tuple(found)


def sources_of(notebook: Any) -> NotebookSources:
    """The sources of a parsed notebook (nbformat 4).

    Raises:
        ValueError: it is no notebook.
    """
    try:
        return NotebookSources(
            tuple(
                (
                    str(cell["cell_type"]),
                    "".join(cell["source"]),
                    tuple(sorted(str(tag) for tag in cell.get("metadata", {}).get("tags", []))),
                )
                for cell in notebook["cells"]
            )
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no notebook of format 4: {error}") from error
