"""The calibrated set as suite.yaml writes it. Pure: takes text, gives text."""

from __future__ import annotations

import json
from collections.abc import Sequence

import yaml

from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import UsageError

__all__ = ["as_yaml", "with_calibrated"]

_KEY = "calibrated_capabilities"


def as_yaml(capabilities: Sequence[str]) -> str:
    """The entry of suite.yaml, a capability a line; each is quoted as JSON, which YAML reads alike."""
    lines = [f"\n  - {json.dumps(capability, ensure_ascii=False)}" for capability in capabilities]
    return f"{_KEY}:{''.join(lines) or ' []'}\n"


def with_calibrated(text: str, capabilities: Sequence[str], *, file: str) -> str:
    """A suite.yaml in which the calibrated set is replaced and every other character is as it was.

    Raises:
        UnreadableInput: `text` is no YAML that we read.
        UsageError: there is no such entry to replace, or the result would say something else too.
    """
    before = parse_yaml(text.encode(), file=file)
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    entries = root.value if isinstance(root, yaml.MappingNode) else []
    for key, value in entries:
        if key.value == _KEY:
            rest = text[value.end_mark.index :].removeprefix("\n")
            changed = text[: key.start_mark.index] + as_yaml(capabilities) + rest
            if parse_yaml(changed.encode(), file=file) != before | {_KEY: list(capabilities)}:
                raise UsageError(f"{file}: the entry {_KEY} cannot be replaced safely; write it by hand")
            return changed
    raise UsageError(f"{file}: expected an entry {_KEY}, seen none")
