"""Some fields of a JSON document, without making the rest of it.

Other tools' logs are mostly transcript: megabytes that no verdict looks at. Here pydantic's parser checks the whole
document as JSON, and Python values are made of the wanted fields alone. Opens nothing: takes bytes, gives values.

Strict where it is used, tolerant where it is not. Everywhere: UTF-8 without a byte order mark, no lone surrogate,
nothing after the document, nesting of at most some 200 levels. In the wanted fields, and in every object on the way to
them: each key once. NaN, infinities and integers beyond 2^53-1 are let through, because tools write them on purpose
(Inspect's score of an unscored sample is NaN); whoever uses a number asks `is_plain` first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import CoreSchema, SchemaValidator, ValidationError
from pydantic_core import core_schema as schemas

from litmus_nb.contracts.strict_json import MAX_INTEGER
from litmus_nb.errors import Fault, UnreadableInput

__all__ = ["ANYTHING", "IS_THERE", "SCALAR", "FieldsOf", "is_plain"]

ANYTHING = "anything"
"""In a wish: the value whatever it is, made whole."""

SCALAR = "scalar"
"""In a wish: a text, a number, a boolean or null; anything else is refused."""

IS_THERE = "is there"
"""In a wish: True for anything but null, which is None; what it is stays unmade."""

_WHOLE = "whole"


def is_plain(value: Any) -> bool:
    """Whether a value is a text, a boolean, null, a finite number, or an integer that every reader keeps exactly."""
    if value is None or isinstance(value, (bool, str)):
        return True
    if isinstance(value, int):
        return abs(value) <= MAX_INTEGER
    return isinstance(value, float) and math.isfinite(value)


class FieldsOf:
    """A reader of some fields, made once and used on many documents; not for several threads at once.

    A wish says which: a mapping of key to wish (an object; a key that is absent stays absent, an unwanted one is
    skipped), a list of one wish (an array of such), a tuple of one mapping (such an object, or None in place of
    anything else), `SCALAR`, `IS_THERE` or `ANYTHING`. A null where an object or an array is wished comes back as None.
    `is_closed` refuses keys of the document itself that are not wished for.
    """

    def __init__(self, wish: Mapping[str, Any], *, is_closed: bool = False) -> None:
        self._wish = wish
        self._keys: list[str] = []
        self._keys_within: list[str] = []
        self._repeated: list[str] = []
        fields = self._fields(wish)
        self._visits = [name for name in fields if name not in wish]
        document = schemas.typed_dict_schema(fields, extra_behavior="forbid" if is_closed else "ignore")
        # The document is parsed twice: once for the values and the keys of everything inside, by visiting the same
        # fields again under other names, and once for its own keys.
        self._inner = SchemaValidator(schemas.definitions_schema(document, [self._whole()]))
        self._outer = SchemaValidator(self._flat())

    def read(self, content: bytes, *, file: str, where: str = "") -> dict[str, Any]:
        """The wanted fields of one document.

        Args:
            content: the document's bytes.
            file: what messages call the file.
            where: what messages put before the position, such as `line 3`.

        Raises:
            UnreadableInput: the document is no JSON of the strictness that this module's docstring gives, is no
                object, or a wanted field has another type than wished.
        """
        self._repeated.clear()
        self._keys.clear()
        self._keys_within.clear()
        try:
            value = self._inner.validate_json(content)
            self._outer.validate_json(content)
        except ValidationError as error:
            raise UnreadableInput([_fault_of(error, file, where)]) from error
        for name in self._visits:
            value.pop(name, None)
        if self._keys_within:
            kept = [key for whole in _made_whole(self._wish, value) for key in _keys_in(whole)]
            if len(kept) != len(self._keys_within):
                self._repeated.extend(Counter(self._keys_within) - Counter(kept))
        if self._repeated:
            seen = f"two values for the key {self._repeated[0][:80]!r}"
            raise UnreadableInput([Fault(file, where, "each key once", seen)])
        return value  # type: ignore[no-any-return] # a typed-dict schema gives a dict

    def _fields(self, wish: Mapping[str, Any]) -> dict[str, schemas.TypedDictField]:
        fields = _members_of(wish)
        for number, (path, members) in enumerate(_objects_in(wish, ())):
            if path:
                fields[f"\0flat {number}"] = _visit(path, self._flat())
            for name in (name for name, member in members.items() if member == ANYTHING):
                whole = schemas.definition_reference_schema(_WHOLE)
                fields[f"\0whole {number} {name}"] = _visit((*path, name), whole)
        return fields

    def _flat(self) -> CoreSchema:
        """A schema that looks at the keys of an object and at nothing in it."""
        # list.append runs without a frame of Python's; it is called for every key of a log.
        key = schemas.no_info_after_validator_function(self._keys.append, schemas.str_schema())
        nothing = _or_none(schemas.none_schema())
        return schemas.no_info_after_validator_function(self._close, schemas.dict_schema(key, nothing))

    def _close(self, _: object) -> None:
        """The end of one object whose keys, and no others, are in `_keys`."""
        if len(set(self._keys)) != len(self._keys):
            self._repeated.append(Counter(self._keys).most_common(1)[0][0])
        self._keys.clear()

    def _whole(self) -> CoreSchema:
        """A schema that looks at all keys of a value, at any depth."""
        key = schemas.no_info_after_validator_function(self._keys_within.append, schemas.str_schema())
        inner = schemas.definition_reference_schema(_WHOLE)
        either: list[CoreSchema | tuple[CoreSchema, str]] = [
            schemas.dict_schema(key, inner),
            schemas.list_schema(inner),
        ]
        union = schemas.union_schema(either, mode="left_to_right")
        return schemas.with_default_schema(union, default=None, on_error="default", ref=_WHOLE)


def _schema_of(wish: Any) -> CoreSchema:
    if wish == ANYTHING:
        return schemas.any_schema()
    if wish == IS_THERE:
        # nullable, since a default that stands alone would be given to a key that is absent as well
        return schemas.nullable_schema(
            schemas.with_default_schema(schemas.none_schema(), default=True, on_error="default")
        )
    if wish == SCALAR:
        return schemas.union_schema(
            [
                schemas.str_schema(strict=True),
                schemas.int_schema(strict=True),
                schemas.float_schema(strict=True),
                schemas.bool_schema(strict=True),
                schemas.none_schema(),
            ],
            mode="left_to_right",
            custom_error_type="scalar",
            custom_error_message="a text, a number, true, false or null",
        )
    if isinstance(wish, list):
        return schemas.nullable_schema(schemas.list_schema(_schema_of(wish[0])))
    if isinstance(wish, tuple):
        return schemas.nullable_schema(_or_none(_schema_of(wish[0])))
    return schemas.nullable_schema(schemas.typed_dict_schema(_members_of(wish), extra_behavior="ignore"))


def _members_of(wish: Mapping[str, Any]) -> dict[str, schemas.TypedDictField]:
    return {name: schemas.typed_dict_field(_schema_of(inner), required=False) for name, inner in wish.items()}


def _objects_in(wish: Any, path: tuple[str | None, ...]) -> Iterator[tuple[tuple[str | None, ...], Mapping[str, Any]]]:
    """The wished objects and the way to each: keys, and None for `every item`."""
    if isinstance(wish, tuple):
        wish = wish[0]
    if isinstance(wish, list):
        yield from _objects_in(wish[0], (*path, None))
    elif isinstance(wish, Mapping):
        yield path, wish
        for name, inner in wish.items():
            yield from _objects_in(inner, (*path, name))


def _visit(path: tuple[str | None, ...], schema: CoreSchema) -> schemas.TypedDictField:
    """A field that follows the path from the document's root and has `schema` at its end.

    What is of another type than the path needs is passed over: the wished values say so already.
    """
    for step in reversed(path[1:]):
        schema = _or_none(schema)
        if step is None:
            schema = schemas.list_schema(schema)
        else:
            members = {step: schemas.typed_dict_field(schema, required=False)}
            schema = schemas.typed_dict_schema(members, extra_behavior="ignore")
    return schemas.typed_dict_field(_or_none(schema), required=False, validation_alias=path[0])


def _or_none(schema: CoreSchema) -> CoreSchema:
    return schemas.with_default_schema(schema, default=None, on_error="default")


def _made_whole(wish: Any, value: Any) -> Iterator[Any]:
    """The objects and arrays that were made whole, in a value that was read by the wish."""
    if wish == ANYTHING:
        if isinstance(value, (dict, list)):
            yield value
    elif isinstance(wish, tuple):
        yield from _made_whole(wish[0], value)
    elif isinstance(wish, list) and value is not None and _has_whole(wish[0]):
        for item in value:
            yield from _made_whole(wish[0], item)
    elif isinstance(wish, Mapping) and value is not None:
        for name, inner in wish.items():
            if name in value:
                yield from _made_whole(inner, value[name])


def _has_whole(wish: Any) -> bool:
    if isinstance(wish, (list, tuple)):
        return _has_whole(wish[0])
    return any(_has_whole(inner) for inner in wish.values()) if isinstance(wish, Mapping) else wish == ANYTHING


def _keys_in(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield from item
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def _fault_of(error: ValidationError, file: str, where: str) -> Fault:
    details = error.errors(include_url=False, include_input=False)[0]
    pointer = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in details["loc"])
    if details["type"] == "json_invalid":
        return Fault(file, where, "JSON", str(details.get("ctx", {}).get("error", details["msg"])))
    expected = details["msg"].removeprefix("Input should be ")
    return Fault(file, " ".join(part for part in (where, pointer) if part), expected, "something else")
