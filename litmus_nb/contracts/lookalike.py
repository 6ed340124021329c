"""Ids that a person cannot tell apart, and characters that nobody sees. Pure."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable

__all__ = ["look_of", "lookalikes", "unseen_characters"]

# Letters of other scripts, and digits, that common fonts draw like these; after Unicode's confusables.txt (UTS 39).
_DRAWN_LIKE = {
    "a": "аαａɑ", "b": "ЬВв", "c": "сϲ", "d": "ԁ", "e": "еҽ", "g": "ɡ", "h": "һнН", "i": "іι", "j": "јϳ", "k": "кκ",
    "l": "1IІӏ|", "m": "мМ", "n": "пո", "o": "0Oоοσօ", "p": "рρ", "q": "ԛ", "r": "гᴦ", "s": "ѕ", "t": "тτ", "u": "υս",
    "v": "νѵ", "w": "ԝω", "x": "хχ", "y": "уүγ", "z": "ᴢ", "-": "‐‑‒–—―−_", "'": "’‘ʼ`", ".": "․·",
}  # fmt: skip
_LOOKS = {ord(other): letter for letter, others in _DRAWN_LIKE.items() for other in others}
_UNSEEN = {"Cc", "Cf", "Co", "Cn", "Zl", "Zp"}


def look_of(text: str) -> str:
    """What the text looks like: two texts of one look cannot be told apart by eye."""
    # Before folding, for a capital I looks like l and a small one does not; and after, for the other capitals.
    drawn = unicodedata.normalize("NFKD", text).translate(_LOOKS).casefold().translate(_LOOKS)
    return "".join(character for character in drawn if unicodedata.category(character) not in _UNSEEN | {"Mn"})


def lookalikes(ids: Iterable[str]) -> list[list[str]]:
    """The groups of different ids that look alike, each sorted, sorted."""
    groups: dict[str, set[str]] = defaultdict(set)
    for id_ in ids:
        groups[look_of(id_)].add(id_)
    return sorted(sorted(group) for group in groups.values() if len(group) > 1)


def unseen_characters(text: str) -> list[str]:
    """The characters of the text that do not show, or show as space where none is expected, as `U+XXXX`."""
    is_unseen = [unicodedata.category(c) in _UNSEEN or (c.isspace() and c != " ") for c in text]
    found = [f"U+{ord(c):04X}" for c, unseen in zip(text, is_unseen, strict=True) if unseen]
    return found + (["U+0020 at its end"] if text != text.strip(" ") else [])
