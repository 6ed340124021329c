"""From the words of the caller to parameters that fit the contract; nothing is guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.files import read_bytes

__all__ = ["Requested", "requested_gate"]


@dataclass(frozen=True)
class Requested:
    """What the caller asks for, as far as it can be understood."""

    params: GateParams | None
    output_dir: Path | None
    """Known even where other parameters are unusable, so that no old verdict is left there."""
    as_of: date
    faults: tuple[Fault, ...]


def requested_gate(params_path: Path, overrides: Sequence[tuple[str, str]] = ()) -> Requested:
    """The parameters of a file with overrides laid over them; never raises for what they say.

    Args:
        params_path: a params file.
        overrides: names and values as words; typed by the contract (all of them are text, and `null` is null for a
            parameter that may be null).
    """
    today = datetime.now(UTC).date()
    faults: list[Fault] = []
    values: dict[str, Any] = {}
    try:
        parsed = parse_yaml(read_bytes(params_path), file=str(params_path))
        if isinstance(parsed, dict):
            values = parsed
        else:
            faults.append(Fault(str(params_path), "", "a mapping of parameters", type(parsed).__name__))
    except UnreadableInput as unreadable:
        faults.extend(unreadable.faults)
    values, override_faults = _overridden(values, overrides)
    faults.extend(override_faults)
    output_dir = values.get("output_dir")
    known_output = Path(output_dir) if isinstance(output_dir, str) and output_dir else None
    params = None
    if not faults:
        try:
            params = GateParams.read(values, file=str(params_path))
        except UnreadableInput as unreadable:
            faults.extend(unreadable.faults)
    as_of = date.fromisoformat(params.as_of) if params and params.as_of else today
    return Requested(params, known_output, as_of, tuple(faults))


def _overridden(values: dict[str, Any], overrides: Sequence[tuple[str, str]]) -> tuple[dict[str, Any], list[Fault]]:
    result, faults = dict(values), []
    for name, word in overrides:
        field = GateParams.model_fields.get(name)
        if field is None:
            known = ", ".join(GateParams.model_fields)
            faults.append(Fault("command line", f"-p {name}", f"one of the parameters {known}", "an unknown name"))
        else:
            result[name] = None if word == "null" and not field.is_required() else word
    return result, faults
