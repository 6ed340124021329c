"""ZIP archives read without mercy: what two readers could read differently is refused. Opens nothing: takes bytes.

Python's zipfile takes the last of two members of one name, skips what stands before the archive, trusts the size that a
member claims, and can be told where to look by a local header that differs from the directory. Here the directory and
the local headers must agree, members must lie one after the other without gap or overlap from the first byte to the
directory, and every member is inflated within bounds and checked against its CRC.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from litmus_nb.errors import Fault, UnreadableInput

try:
    import zstandard

    HAS_ZSTANDARD = True
except ImportError:  # comes with the extra `inspect`; other archives are read without it
    HAS_ZSTANDARD = False

__all__ = ["Archive", "Member", "open_archive"]

MOST_MEMBERS = 65_534
MOST_BYTES_A_MEMBER = 64 * 2**20
MOST_BYTES = 1 * 2**30
MOST_RATIO = 1000
"""Times its compressed size that a member may inflate to; small members may exceed it."""
SMALL = 2**20

STORED, DEFLATED, ZSTANDARD = 0, 8, 93

# APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16
_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_DESCRIPTOR_WITH_SIGNATURE = struct.Struct("<4s3I")
_DESCRIPTOR = struct.Struct("<3I")

_ZSTANDARD_ERRORS = (zstandard.ZstdError,) if HAS_ZSTANDARD else ()

_HAS_DESCRIPTOR, _IS_UTF8, _COMPRESSION_LEVEL = 0x8, 0x800, 0x6
_MASKED = 0xFFFFFFFF
_ODD = re.compile(r"[\x00-\x1f\x7f\\]")
_CLIMBING = frozenset(("", ".", ".."))
_UNIX = 3
_WINDOW = 128 * 2**20
_MOST_FAULTS = 10


@dataclass(frozen=True, slots=True)
class Member:
    """One member, as the directory has it."""

    name: str
    method: int
    crc: int
    compressed: int
    size: int
    offset: int
    start: int
    """Where its data begin."""


class Archive:
    """An archive whose structure has been checked; its members are inflated one at a time, on demand."""

    def __init__(self, content: bytes, members: Sequence[Member], file: str) -> None:
        self._content = content
        self._file = file
        self.members = members
        """In the order of the directory."""
        self._by_name = {member.name: member for member in members}
        self._zstandard = zstandard.ZstdDecompressor(max_window_size=_WINDOW) if HAS_ZSTANDARD else None

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def read(self, name: str) -> bytes:
        """The content of the member of that name (the last one, where the name may be there several times).

        Raises:
            UnreadableInput: as `content_of`.
        """
        return self.content_of(self._by_name[name])

    def content_of(self, member: Member) -> bytes:
        """The content of a member.

        Raises:
            UnreadableInput: it does not inflate to the size and the CRC that the directory gives.
        """
        data = self._content[member.start : member.start + member.compressed]
        try:
            content = self._inflated(data, member)
        except (zlib.error, ValueError, MemoryError, *_ZSTANDARD_ERRORS) as error:
            seen = f"{type(error).__name__}: {error}"[:160]
            raise self._refused(member, f"{member.size} bytes of data", seen) from error
        if len(content) != member.size:
            raise self._refused(member, f"{member.size} bytes, as the directory has it", f"{len(content)} bytes")
        if zlib.crc32(content) != member.crc:
            raise self._refused(member, f"CRC {member.crc:08x}", f"CRC {zlib.crc32(content):08x}")
        return content

    def _inflated(self, data: bytes, member: Member) -> bytes:
        limit = min(member.size, MOST_BYTES_A_MEMBER) + 1
        if member.method == STORED:
            return bytes(data)
        if member.method == DEFLATED:
            inflater = zlib.decompressobj(-zlib.MAX_WBITS)
            content = inflater.decompress(data, limit)
            if not inflater.eof or inflater.unused_data or inflater.unconsumed_tail:
                raise ValueError("the deflate stream does not end where the member ends")
            return content
        return self._zstandard_inflated(data, limit)

    def _zstandard_inflated(self, data: bytes, limit: int) -> bytes:
        """All frames of a member (large members have several), and not a byte more than `limit`."""
        if self._zstandard is None:
            raise ValueError("compressed with zstandard: install litmus-nb[inspect]")
        source = io.BytesIO(data)
        with self._zstandard.stream_reader(source, read_across_frames=True, closefd=False) as reader:
            content = reader.read(limit)
        if len(content) < limit and source.tell() != len(data):
            raise ValueError("bytes after the last zstandard frame")
        return bytes(content)

    def _refused(self, member: Member, expected: str, seen: str) -> UnreadableInput:
        return UnreadableInput([Fault(self._file, member.name[:120], expected, seen)])


def open_archive(content: bytes, *, file: str, may_repeat: re.Pattern[str] | None = None) -> Archive:
    """The archive that the bytes are, its structure checked and nothing inflated yet.

    Args:
        content: the archive's bytes.
        file: what messages call it.
        may_repeat: names that may be there several times; the caller reads them all.

    Raises:
        UnreadableInput: not an archive from the first byte to the last; more than one disk, ZIP64, encryption, or a
            method other than stored, deflate and zstandard; a name that is absolute, climbs, has a backslash or a
            control character, or is there twice (by case too); a link; gaps or overlaps; a local header that differs
            from the directory; more than the bounds of this module.
    """
    return Archive(content, _Directory(content, file, may_repeat).members(), file)


class _Directory:
    """Reads the central directory and holds it against the local headers."""

    def __init__(self, content: bytes, file: str, may_repeat: re.Pattern[str] | None) -> None:
        self._content = content
        self._file = file
        self._may_repeat = may_repeat
        self._faults: list[Fault] = []

    def members(self) -> list[Member]:
        """The members in the order of the directory.

        Raises:
            UnreadableInput: with the first faults of the structure.
        """
        count, start, end = self._end_record()
        entries: list[Member] = []
        place = start
        for _ in range(count):
            member, place = self._entry(place, end)
            entries.append(member)
        if place != end:
            raise self._refused("the directory's end where its record says", f"{end - place} bytes more")
        self._check_names(entries)
        self._check_bounds(entries)
        self._check_layout(entries, start)
        if self._faults:
            raise UnreadableInput(self._faults[:_MOST_FAULTS])
        return entries

    def _end_record(self) -> tuple[int, int, int]:
        """The number of members, and where the directory starts and ends."""
        where = len(self._content) - _END.size
        if where < 0 or not self._content.startswith(b"PK") or self._content[where : where + 4] != b"PK\x05\x06":
            raise self._refused("a ZIP archive from its first byte to its last, without a comment", "something else")
        _, disk, first_disk, here, total, size, start, comment = _END.unpack_from(self._content, where)
        if disk or first_disk or here != total or comment:
            raise self._refused("one disk and no comment", "more")
        if total == 0xFFFF or _MASKED in (size, start):
            raise self._refused("an archive below 4 GiB with fewer than 65,535 members", "ZIP64")
        if start + size != where:
            raise self._refused("the directory right before its end record", f"a directory of {size} bytes at {start}")
        if total > MOST_MEMBERS:
            raise self._refused(f"at most {MOST_MEMBERS} members", str(total))
        return total, start, where

    def _entry(self, place: int, end: int) -> tuple[Member, int]:
        if place + _CENTRAL.size > end:
            raise self._refused("a whole directory", "a directory that is cut off")
        fields = _CENTRAL.unpack_from(self._content, place)
        signature, made_by, _, flags, method, _, _, crc, compressed, size, n_name, n_extra, n_comment = fields[:13]
        attributes, offset = fields[15], fields[16]
        if signature != b"PK\x01\x02":
            raise self._refused("a directory entry", repr(signature))
        after = place + _CENTRAL.size + n_name + n_extra + n_comment
        raw = self._content[place + _CENTRAL.size : place + _CENTRAL.size + n_name]
        name = self._name(raw)
        if flags & ~(_HAS_DESCRIPTOR | _IS_UTF8 | _COMPRESSION_LEVEL) or method not in (STORED, DEFLATED, ZSTANDARD):
            self._note(name, "stored, deflated or zstandard, not encrypted", f"method {method}, flags {flags:#x}")
        if fields[13] or _MASKED in (compressed, size, offset):
            self._note(name, "one disk and no ZIP64", "more")
        if made_by >> 8 == _UNIX and (attributes >> 16) & 0o170000 not in (0, 0o100000):
            self._note(name, "a regular file", f"mode {attributes >> 16:o}")
        start = self._start_of_data(name, raw, offset, (flags, method, crc, compressed, size))
        return Member(name, method, crc, compressed, size, offset, start), after

    def _name(self, raw: bytes) -> str:
        try:
            name = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise self._refused("names in UTF-8", repr(raw[:60])) from None
        parts = name.split("/")
        if not name or _ODD.search(name) or name.startswith("/") or ":" in parts[0] or not _CLIMBING.isdisjoint(parts):
            self._note(name[:80], "a plain relative name", repr(name[:80]))
        return name

    def _start_of_data(self, name: str, raw: bytes, offset: int, seen: tuple[int, ...]) -> int:
        """Where a member's data begin, once its local header says the same as the directory."""
        if offset + _LOCAL.size > len(self._content):
            raise self._refused("local headers within the file", f"one at {offset}")
        fields = _LOCAL.unpack_from(self._content, offset)
        signature, _, flags, method, _, _, crc, compressed, size, n_name, n_extra = fields
        start = offset + _LOCAL.size + n_name + n_extra
        has_descriptor = bool(flags & _HAS_DESCRIPTOR)
        sizes = (crc, compressed, size)
        is_equal = sizes == seen[2:] or (has_descriptor and sizes in ((0, 0, 0), seen[2:]))
        same_name = self._content[offset + _LOCAL.size : offset + _LOCAL.size + n_name] == raw
        if signature != b"PK\x03\x04" or (flags, method) != seen[:2] or not is_equal or not same_name:
            self._note(name, "a local header that says what the directory says", "another name, method, CRC or size")
        return int(start)

    def _check_names(self, entries: list[Member]) -> None:
        names = [member.name for member in entries]
        if self._may_repeat is not None:  # those are allowed once more than once: the caller reads them all
            repeatable = {name for name in names if self._may_repeat.fullmatch(name)}
            names = [name for name in names if name not in repeatable] + sorted(repeatable)
        for name, count in Counter(name.casefold() for name in names).items():
            if count > 1:
                self._note(name, "each member once, by case too", f"{count} times")

    def _check_bounds(self, entries: list[Member]) -> None:
        for member in entries:
            if member.size > MOST_BYTES_A_MEMBER:
                self._note(member.name, f"at most {MOST_BYTES_A_MEMBER} bytes", f"{member.size} bytes")
            elif member.size > SMALL and member.size > MOST_RATIO * member.compressed:
                self._note(member.name, f"at most {MOST_RATIO} times its compressed size", f"{member.size} bytes")
            if member.method == STORED and member.size != member.compressed:
                self._note(member.name, "a stored member of one size", f"{member.compressed} and {member.size} bytes")
        if (total := sum(member.size for member in entries)) > MOST_BYTES:
            raise self._refused(f"at most {MOST_BYTES} bytes in all", f"{total} bytes")

    def _check_layout(self, entries: list[Member], start: int) -> None:
        """Members follow each other from the first byte to the directory: no gap, no overlap, nothing between."""
        place = 0
        for member in sorted(entries, key=lambda member: member.offset):
            if member.offset != place:
                self._note(
                    member.name, f"a member that starts where the last one ends, at {place}", f"at {member.offset}"
                )
                return
            place = self._end_of(member)
        if place != start:
            self._note("", f"the directory where the last member ends, at {place}", f"at {start}")

    def _end_of(self, member: Member) -> int:
        end = member.start + member.compressed
        flags: int = _LOCAL.unpack_from(self._content, member.offset)[2]
        if not flags & _HAS_DESCRIPTOR:
            return end
        expected = (member.crc, member.compressed, member.size)
        if self._content[end : end + 4] == b"PK\x07\x08" and end + 16 <= len(self._content):
            if _DESCRIPTOR_WITH_SIGNATURE.unpack_from(self._content, end)[1:] == expected:
                return end + _DESCRIPTOR_WITH_SIGNATURE.size
        elif end + 12 <= len(self._content) and _DESCRIPTOR.unpack_from(self._content, end) == expected:
            return end + _DESCRIPTOR.size
        self._note(member.name, "a data descriptor that says what the directory says", "another")
        return end

    def _note(self, name: str, expected: str, seen: str) -> None:
        self._faults.append(Fault(self._file, name[:120], expected, seen))

    def _refused(self, expected: str, seen: str) -> UnreadableInput:
        return UnreadableInput([*self._faults[:_MOST_FAULTS], Fault(self._file, "", expected, seen)])
