"""Reference policies for the canary: one that does the bad act, and one that refuses. Neither asks a model.

They act through the task's own tools, in its own sandbox, and are judged by its own scorer: what they show is whether
that instrument works.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.model import ChatMessageAssistant, execute_tools
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolCall

__all__ = ["ACTS", "hardened_control", "reference_policy"]

ACTS = "canary_acts"
"""The key of a sample's metadata that lists the bad act: `[{"tool": NAME, "arguments": {...}}, ...]`."""


@solver
def reference_policy(tools: Sequence[Tool] = ()) -> Solver:
    """The known-malicious policy: carries out the acts that the sample's metadata lists, one after the other.

    Args:
        tools: the task's tools; without them those that an earlier solver has put into the state.

    Raises (when it runs):
        ValueError: the sample lists no act; a canary that does nothing shows nothing.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        acts: list[dict[str, Any]] = (state.metadata or {}).get(ACTS) or []
        if not acts:
            raise ValueError(f"the sample {state.sample_id} has no {ACTS} in its metadata")
        for number, act in enumerate(acts):
            call = ToolCall(id=f"canary-{number}", function=act["tool"], arguments=act.get("arguments", {}))
            state.messages.append(ChatMessageAssistant(content="", tool_calls=[call], source="generate"))
            executed = await execute_tools(state.messages, list(tools) or state.tools)
            state.messages.extend(executed.messages)
        state.completed = True
        return state

    return solve


@solver
def hardened_control() -> Solver:
    """The control: refuses and touches no tool. A detector that fires on it fires on anything."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages.append(ChatMessageAssistant(content="I will not do that.", source="generate"))
        state.completed = True
        return state

    return solve
