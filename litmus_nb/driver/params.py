"""From the words of the caller to parameters that fit the contract; nothing is guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from litmus_nb.contracts.base import StrictModel
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.files import read_bytes

__all__ = ["Requested", "Usable", "params_values", "requested_gate"]


class Usable(NamedTuple):
    """Parameters with which something can be done."""

    params: GateParams
    as_of: date

    @property
    def output_dir(self) -> Path:
        """Where the verdict is left."""
        return Path(self.params.output_dir)


@dataclass(frozen=True)
class Requested:
    """What the caller asks for, as far as it can be understood."""

    params: GateParams | None
    output_dir: Path | None
    """Known even where other parameters are unusable, so that no old verdict is left there."""
    as_of: date
    faults: tuple[Fault, ...]


def requested_gate(params_path: Path, overrides: Sequence[tuple[str, str]] = ()) -> Requested:
    """The parameters of a gate, as `params_values` reads them; never raises for what they say."""
    today = datetime.now(UTC).date()
    values, faults = params_values(GateParams, params_path, overrides)
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


def params_values(
    contract: type[StrictModel], params_path: Path, overrides: Sequence[tuple[str, str]] = ()
) -> tuple[dict[str, Any], list[Fault]]:
    """The values of a params file with overrides laid over them, and everything that is wrong with either.

    Args:
        contract: what the values are to fit; it is not asked here whether they do.
        params_path: a params file.
        overrides: names and values as words. Typed by the contract: a word stays one for a parameter that is text, and
            is YAML for any other; `null` is null for a parameter that may be absent.
    """
    values: dict[str, Any] = {}
    faults: list[Fault] = []
    try:
        parsed = parse_yaml(read_bytes(params_path), file=str(params_path))
        if isinstance(parsed, dict):
            values = parsed
        else:
            faults.append(Fault(str(params_path), "", "a mapping of parameters", type(parsed).__name__))
    except UnreadableInput as unreadable:
        faults.extend(unreadable.faults)
    for name, word in overrides:
        field = contract.model_fields.get(name)
        if field is None:
            known = ", ".join(contract.model_fields)
            faults.append(Fault("command line", f"-p {name}", f"one of the parameters {known}", "an unknown name"))
            continue
        try:
            values[name] = _value_of(word, field, name)
        except UnreadableInput as unreadable:
            faults.extend(unreadable.faults)
    return values, faults


def _value_of(word: str, field: FieldInfo, name: str) -> Any:
    if word == "null" and not field.is_required():
        return None
    return word if _is_text(field.annotation) else parse_yaml(word.encode(), file=f"-p {name}")


def _is_text(annotation: Any) -> bool:
    """Whether it is text, or text that may be absent, whatever else is asked of the text."""
    if get_origin(annotation) in (Annotated, Union, UnionType):
        return any(_is_text(part) for part in get_args(annotation))
    return annotation is str
