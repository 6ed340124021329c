"""A sentence for people in which what others wrote, and what is to be typed, stays set apart from what we say."""

from __future__ import annotations

import re
from collections.abc import Iterable

from litmus_nb.report.text import safe_text, short_digests

__all__ = ["Code", "Phrase", "Quoted", "join_names", "phrase", "plain", "quoted", "with_code"]


class Quoted(str):
    """Text of the evidence: cleaned, and shown apart from the sentence around it."""

    __slots__ = ()


class Code(str):
    """Our own word that is to be typed as it is: a command, a key of a file."""

    __slots__ = ()


Phrase = tuple[str, ...]
"""A sentence in pieces: our words as `str`, what is to be typed as `Code`, the evidence's as `Quoted`."""

_NEEDS_NO_QUOTES = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+…-]*")


def quoted(text: object, *, limit: int = 300) -> Quoted:
    """Untrusted text as a piece of a sentence, digests shortened."""
    return Quoted(short_digests(safe_text(text, limit=limit)))


def phrase(*pieces: str) -> Phrase:
    """The pieces as one sentence."""
    return pieces


def with_code(text: str) -> Phrase:
    """Our own text, in which backquotes enclose what is to be typed, as a sentence: `plain` leaves them out."""
    return tuple(Code(piece) if place % 2 else piece for place, piece in enumerate(text.split("`")))


def plain(sentence: Phrase) -> str:
    """The sentence as text: quoted pieces in quotation marks unless they are one plain word."""
    return "".join(_plain_piece(piece) for piece in sentence)


def _plain_piece(piece: str) -> str:
    if not isinstance(piece, Quoted) or _NEEDS_NO_QUOTES.fullmatch(piece):
        return piece
    return f"“{piece}”"


def join_names(names: Iterable[str], *, most: int = 4) -> Phrase:
    """Names as `a, b and c`, or the first few and how many more there are."""
    listed = list(names)
    shown = listed if len(listed) <= most else listed[: most - 1]
    rest = len(listed) - len(shown)
    pieces: list[str] = []
    for place, name in enumerate(shown):
        if place:
            pieces.append(" and " if place == len(shown) - 1 and not rest else ", ")
        pieces.append(quoted(name, limit=80))
    return (*pieces, f" and {rest} more") if rest else tuple(pieces)
