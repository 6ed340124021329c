"""The one place that makes untrusted text harmless, for every output that carries it.

Identifiers, class names, reasons and file names come from logs that an attacker may have written. `safe_text` shows
what would act or hide as an escape that can be read; the functions after it add what one output needs. None of them
decides anything.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = [
    "LINE_LIMIT",
    "annotation_property",
    "annotation_text",
    "csv_cell",
    "markdown_text",
    "safe_block",
    "safe_text",
    "short_digests",
    "without_commands",
    "xml_text",
]

LINE_LIMIT = 300
"""To how many characters a text is cut where nothing else is asked for."""

_BLOCK_LIMIT = 20_000
_MOST_STACKED_MARKS = 3
"""More combining marks than this on one letter climb over the neighbouring lines; no living script needs them."""

_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc")
"""Printable by their category, and seen as nothing or as a blank."""


def safe_text(text: object, *, limit: int = LINE_LIMIT) -> str:
    """The text as one line that neither acts nor hides.

    Control characters (ANSI, newlines), bidi controls, zero-width and other invisible characters, private and
    unassigned code points, lone surrogates and piled-up combining marks are shown as `\\x1b`, `\\u202e`, `\\U000e0041`.
    What is longer than `limit` characters is cut, and says how much is missing.

    Raises:
        ValueError: a limit too small to say so.
    """
    if limit < 40:
        raise ValueError("a limit of at least 40 characters")
    whole = text if isinstance(text, str) else str(text)
    # An escape is longer than its character: looking at `limit` characters is enough to fill `limit` places.
    shown = _escaped(whole[: limit + 1])
    if len(whole) <= limit and len(shown) <= limit:
        return shown
    note = f"… ({len(whole)} characters)"
    return shown[: limit - len(note)] + note


def safe_block(text: str, *, limit: int = _BLOCK_LIMIT) -> str:
    """The text with its lines kept, each of them safe; for files that are quoted whole."""
    cut = text[:limit]
    lines = [_escaped(line.expandtabs(4)) for line in cut.split("\n")]
    if len(text) > limit:
        lines.append(f"… ({len(text)} characters)")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    stacked, shown = 0, []
    for character in text:
        is_mark = unicodedata.category(character) in ("Mn", "Me")
        stacked = stacked + 1 if is_mark else 0
        hides = is_mark and (stacked > _MOST_STACKED_MARKS or unicodedata.name(character, "").startswith("VARIATION"))
        acts = hides or not character.isprintable() or character in _INVISIBLE
        shown.append(_escape(character) if acts else character)
    return "".join(shown)


def _escape(character: str) -> str:
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    code = ord(character)
    if character in named:
        return named[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_DIGEST = re.compile(r"sha256:([0-9a-f]{12})[0-9a-f]{52}(?![0-9a-f])")


def short_digests(text: str) -> str:
    """The text with every full digest shortened to its first 12 digits."""
    return _DIGEST.sub(r"sha256:\1…", text)


def markdown_text(text: object, *, limit: int = LINE_LIMIT) -> str:
    """The text as a code element of GitHub's and GitLab's markdown, in a table cell too.

    Everything but letters, digits and spaces is a numeric entity, so no parser sees markup, a link or a pipe; inside a
    code element nobody is mentioned and no issue is referred to.
    """
    cleaned = safe_text(text, limit=limit)
    return f"<code>{''.join(_entity(character) for character in cleaned)}</code>"


def _entity(character: str) -> str:
    return character if character.isalnum() or character == " " else f"&#{ord(character)};"


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")


def csv_cell(text: object, *, limit: int = LINE_LIMIT) -> str:
    """The text as a cell that no spreadsheet takes for a formula. Our own numbers are written as numbers instead."""
    cleaned = safe_text(text, limit=limit)
    return f"'{cleaned}" if cleaned.lstrip().startswith(_FORMULA) or cleaned[:1].isspace() else cleaned


def annotation_text(text: object, *, limit: int = 1000) -> str:
    """The text as the message of a GitHub workflow command."""
    return safe_text(text, limit=limit).replace("%", "%25")


def annotation_property(text: object, *, limit: int = LINE_LIMIT) -> str:
    """The text as a property of a GitHub workflow command, such as its title."""
    return annotation_text(text, limit=limit).replace(":", "%3A").replace(",", "%2C")


_COMMAND_AT_START = re.compile(r"^((?:\x1b\[[0-9;]*m|[\s│])*):(?=:)", re.MULTILINE)
_COMMAND_ANYWHERE = re.compile(r"#(?=#(?:\[|vso\[|teamcity\[))", re.IGNORECASE)


def without_commands(output: str) -> str:
    """Finished terminal output in which no line is a command to the machine that records it.

    GitHub obeys `::name::` at the start of a line, blanks aside, and `##[name]` anywhere; Azure `##vso[`; TeamCity
    `##teamcity[`. Wrapping can bring text to the start of a line, so this is the last step: it sees finished lines.
    """
    return _COMMAND_ANYWHERE.sub(r"\\x23", _COMMAND_AT_START.sub(r"\1\\x3a", output))


def xml_text(text: object, *, limit: int = 4000) -> str:
    """The text without anything that XML 1.0 forbids; the writer of the XML escapes markup."""
    return safe_text(text, limit=limit)
