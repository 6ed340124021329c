"""AgentDojo's runs: runs/PIPELINE/SUITE/USER_TASK/ATTACK/INJECTION_TASK.json, an episode a file.

`security: true` means there that the injection did what it wanted. With `error` set, neither it nor `utility` says
anything: the package writes what the aborted episode looked like. Its times have no offset, so they are declared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from litmus_nb.contracts.base import Name, shown
from litmus_nb.contracts.json_fields import ANYTHING, SCALAR, FieldsOf
from litmus_nb.contracts.source import Outcome
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.readers.reading import Log, LogFile, LoggedTrial, LogReader, LogReading

__all__ = ["READER", "AgentDojoOutcome"]

_EPISODE_OF = FieldsOf(
    {
        **dict.fromkeys(("suite_name", "pipeline_name", "user_task_id", "injection_task_id", "attack_type"), SCALAR),
        **dict.fromkeys(("utility", "security", "benchmark_version", "agentdojo_package_version"), SCALAR),
        "error": ANYTHING,
    }
)

_NO_ATTACK = "none"
_MOST_FAULTS = 20


class AgentDojoOutcome(Outcome):
    """Which attack's episodes the run is made of. The menus are asked about `security`: true or false."""

    attack: Name = Field(description="The attack's name, such as important_instructions. Other episodes are set aside.")


def read_agentdojo(log: Log, outcome: AgentDojoOutcome) -> LogReading:
    """What the episodes below a folder say.

    Raises:
        UnreadableInput: an episode is no such file, or lies where it does not belong; episodes of several pipelines or
            versions of the benchmark.
    """
    faults: list[Fault] = []
    episodes: list[tuple[str, Mapping[str, Any]]] = []
    aside: Counter[str] = Counter()
    for file in log.files:
        try:
            episode = _episode(file)
        except UnreadableInput as unreadable:
            faults.extend(unreadable.faults)
            continue
        attack = episode.get("attack_type") or _NO_ATTACK
        if attack == outcome.attack:
            episodes.append((file.name, episode))
        else:
            aside[str(attack)] += 1
    if faults:
        raise UnreadableInput(faults[:_MOST_FAULTS])
    pipelines = _the_only(episodes, "pipeline_name", log.name)
    version = _the_only(episodes, "benchmark_version", log.name)
    packages = sorted(
        {str(episode.get("agentdojo_package_version") or "of unknown version") for _, episode in episodes}
    )
    facts: dict[str, Any] = {"policy.name": pipelines, "judge.requested": version and f"agentdojo {version}"}
    return LogReading(
        tool=f"agentdojo {', '.join(sorted(packages))}",
        facts={key: value for key, value in facts.items() if value is not None},
        trials=[_trial(episode) for _, episode in episodes],
        identity=f"{pipelines} {version}",
        notes=tuple(
            f"{count} episodes of the attack {attack} are set aside" for attack, count in sorted(aside.items())
        ),
    )


def _episode(file: LogFile) -> dict[str, Any]:
    """An episode, once its place in the tree and its content say the same."""
    episode = _EPISODE_OF.read(file.content, file=file.name)
    *_, suite, task, attack, name = ["", "", "", *file.name.split("/")]
    placed = (suite, task, attack, name.removesuffix(".json"))
    keys = ("suite_name", "user_task_id", "attack_type", "injection_task_id")
    told = tuple(str(episode[key]) if episode.get(key) is not None else _NO_ATTACK for key in keys)
    if placed != told:
        raise UnreadableInput(
            [Fault(file.name, "", f"the episode that its place says, {'/'.join(placed)}", "/".join(told))]
        )
    return episode


def _the_only(episodes: list[tuple[str, Mapping[str, Any]]], key: str, log: str) -> str | None:
    values = {str(episode[key]) for _, episode in episodes if episode.get(key) is not None}
    if len(values) > 1:
        raise UnreadableInput(
            [Fault(log, key, "one for all episodes; name the folder of one pipeline", shown(sorted(values)))]
        )
    return values.pop() if values else None


def _trial(episode: Mapping[str, Any]) -> LoggedTrial:
    names = {key: str(episode.get(key) or _NO_ATTACK) for key in ("suite_name", "user_task_id", "injection_task_id")}
    scenario = "/".join(names.values())
    fields = names | {"attack_type": str(episode["attack_type"])}
    if episode.get("error") is not None:
        return LoggedTrial(scenario, 0, None, "error", "episode-error", fields=fields)
    if episode.get("security") is None:  # the file of an episode that was cut off while it ran
        return LoggedTrial(scenario, 0, None, "cancelled", "not-finished", fields=fields)
    return LoggedTrial(scenario, 0, episode["security"], fields=fields)


READER = LogReader(
    outcome=AgentDojoOutcome,
    read=read_agentdojo,
    says=("policy.name", "judge.requested"),
    fields="suite_name, user_task_id, injection_task_id, attack_type",
    folder_files="**/*.json",
)
