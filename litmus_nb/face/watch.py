"""Watches a notebook from its first cell on: which cells ran, whether one failed, what was injected.

Raw papermill cannot be trusted to stop (a swallowed error, a skipped cell, parameters that are code), so the kernel
itself looks. Works in JupyterLab too: there a cell that ran twice or out of order closes the gate.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from IPython.core.error import InputRejected
from IPython.core.getipython import get_ipython

from litmus_nb.contracts.notebook import NotebookSources
from litmus_nb.errors import LitmusError, UsageError

__all__ = ["CellWatch", "GateAborted"]


class GateAborted(LitmusError):
    """A cell tried to leave the gate without a decision."""


_EMPTY_AND_THIS_CELL = 2
"""IPython counts cells from 1 and keeps an empty one at 0."""


@dataclass
class CellWatch:
    """Remembers the cells that ran since the first one."""

    sources: NotebookSources
    declared: frozenset[str]
    """The parameters that may be injected."""
    on_refused: Callable[[Mapping[str, Any], str], None]
    """Told the literals that could be read and why parameters were refused."""
    ran: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    injected: int = 0
    _current: str = ""

    def install(self) -> None:
        """Begin to watch, from the cell after this one on.

        Raises:
            UsageError: there is no IPython kernel around, or it ran a cell before this one.
        """
        shell = get_ipython()
        if shell is None or shell.history_manager is None:
            raise UsageError("a gate notebook runs in a Jupyter kernel; in a script call litmus_nb.evaluate_gate")
        if len(shell.history_manager.input_hist_parsed) > _EMPTY_AND_THIS_CELL:
            # Something ran before the watch began: parameters that papermill put on top for want of a tag, a cell of an
            # earlier run. What it left in memory cannot be seen any more.
            raise UsageError("the gate needs a fresh kernel: restart it and run all cells")
        shell.events.register("pre_run_cell", self._before)
        shell.events.register("post_run_cell", self._after)
        shell.ast_transformers.append(_Literals(self))
        self.ran.append(self.sources.code[0])

    def problems(self) -> tuple[str, ...]:
        """What makes this execution one that cannot end in a verdict; empty where every cell ran once, in order."""
        found = [f"a cell failed: {error}" for error in self.errors]
        expected = self.sources.code[: len(self.ran)]
        if tuple(self.ran) != expected:
            found.append("the cells did not run once each, in order, as the notebook has them: restart and run all")
        if self.injected > 1:
            found.append("parameters were injected more than once")
        return tuple(found)

    @property
    def is_at_last_cell(self) -> bool:
        """Whether every cell of the notebook has begun."""
        return tuple(self.ran) == self.sources.code

    def _before(self, info: Any) -> None:
        self._current = info.raw_cell
        if not self._current.strip():
            return
        if self._may_be_injected():
            self.injected += 1
        else:
            self.ran.append(self._current)

    def _may_be_injected(self) -> bool:
        """Papermill puts its cell right after the parameters cell."""
        index = self.sources.parameters_index
        follows_parameters = (
            index is not None and len(self.ran) == index + 1 and self.ran[-1] == self.sources.code[index]
        )
        return follows_parameters and self._current != self.sources.code[len(self.ran)]

    def _after(self, result: Any) -> None:
        error = result.error_before_exec or result.error_in_exec
        if error is None:
            return
        self.errors.append(f"{type(error).__name__}: {error}"[:200])
        if isinstance(error, SystemExit):
            # Raised in a callback IPython shows it as an error output, and papermill then fails, which it does not do
            # for a clean exit.
            raise GateAborted("a cell left by sys.exit; a gate does not end that way")

    def refuse_unless_literal(self, module: ast.AST) -> None:
        """Parameters are data: `name = literal` for declared names, once each.

        Raises:
            InputRejected: the cell is anything else; nothing of it runs.
        """
        index = self.sources.parameters_index
        is_parameters = index is not None and self._current == self.sources.code[index]
        if not is_parameters and not (self.injected and self._current not in self.sources.code):
            return
        literals: dict[str, Any] = {}
        problem = None
        for statement in getattr(module, "body", []):
            seen = _problem_of(statement, self.declared, literals)  # goes on: the output folder may come later
            problem = problem or seen
        if problem:
            self.on_refused(literals, problem)
            raise InputRejected(f"parameters refused: {problem}")


def _problem_of(statement: ast.AST, declared: frozenset[str], literals: dict[str, Any]) -> str | None:
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        return "a statement that is not `name = literal`"
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return "a statement that is not `name = literal`"
    try:
        value = ast.literal_eval(statement.value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return f"{target.id} is not a literal"
    if target.id not in declared:
        return f"{target.id} is not a parameter; there are {', '.join(sorted(declared))}"
    if target.id in literals:
        return f"{target.id} is there twice"
    literals[target.id] = value
    return None


class _Literals(ast.NodeTransformer):
    """IPython hands it each cell's syntax tree before the cell runs."""

    def __init__(self, watch: CellWatch) -> None:
        self.watch = watch

    def visit(self, node: ast.AST) -> ast.AST:
        self.watch.refuse_unless_literal(node)
        return node
