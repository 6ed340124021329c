"""What all contracts have in common: strict, frozen, no unknown key, every fault with its JSON pointer."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from litmus_nb.errors import Fault, UnreadableInput

__all__ = ["Count", "Name", "Share", "StrictModel", "shown"]

Name = Annotated[str, StringConstraints(min_length=1)]
"""Text that is not empty."""

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]

_SHOWN_LENGTH = 120


def shown(value: Any) -> str:
    """A value as messages quote it: its repr, cut at a length that fits a line."""
    text = repr(value)
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 3] + "..."


class StrictModel(BaseModel):
    """A contract: strict types, unknown keys refused, no NaN or infinity, frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, serialize_by_alias=True)

    @classmethod
    def read(cls, value: Any, *, file: str) -> Self:
        """The contract that a parsed document holds.

        Raises:
            UnreadableInput: with one fault per wrong, missing or unknown field.
        """
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise UnreadableInput([_fault_of(details, file) for details in error.errors()]) from error


def _fault_of(details: Any, file: str) -> Fault:
    pointer = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in details["loc"])
    kind = details["type"]
    if kind == "missing":
        return Fault(file, pointer, "a value", "nothing (the key is absent)")
    if kind == "extra_forbidden":
        return Fault(file, pointer, "no such key", "an unknown key")
    expected = details["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    return Fault(file, pointer, expected, shown(details["input"]))
