"""The archive by itself: what it writes, what it reads, and how much at most."""

from __future__ import annotations

import gzip
import io
import os
import tarfile

import pytest

from litmus_nb.attest import archive
from litmus_nb.attest.archive import extract_archive, write_archive
from litmus_nb.errors import UnreadableInput, UsageError
from litmus_nb.files import read_bytes

GIB = 1024**3


def written(members):
    target = io.BytesIO()
    write_archive(members, target)
    return target.getvalue()


@pytest.fixture
def extracted(tmp_path):
    """Extracts the bytes of an archive; gives the names."""
    (tmp_path / "into").mkdir()

    def extract(content):
        (tmp_path / "gate.tar").write_bytes(content)
        return extract_archive(tmp_path / "gate.tar", tmp_path / "into")

    return extract


def refusal(call, *arguments):
    """(where, expected) of every fault."""
    with pytest.raises(UnreadableInput) as refused:
        call(*arguments)
    return [(fault.where, fault.expected) for fault in refused.value.faults]


def test_members_are_sorted_and_say_nothing_of_whoever_packed_them(tmp_path):
    """The fields that would make two archives of the same files differ. Modes and times are GNU tar's with
    `--mode=0644 --mtime=@0 --owner=0 --group=0 --numeric-owner`."""
    (tmp_path / "file").write_bytes(b"from a file")
    os.chmod(tmp_path / "file", 0o600)
    content = written({"b/deep/er": tmp_path / "file", "a": b"from memory"})
    with tarfile.open(fileobj=io.BytesIO(content)) as packed:
        seen = [(m.name, m.mode, m.mtime, m.uid, m.gid, m.uname, m.gname, m.type) for m in packed]
        assert [("a", *SAME), ("b/deep/er", *SAME)] == seen
        assert [packed.extractfile(m).read() for m in packed] == [b"from memory", b"from a file"]


SAME = (0o644, 0, 0, 0, "", "", tarfile.REGTYPE)


def test_what_was_packed_is_read_back(extracted, tmp_path):
    members = {"a/b/c": b"deep", "a/b/d": b"beside it", "empty": b"", "large": b"x" * 300_000}
    assert tuple(sorted(members)) == extracted(written(members))
    assert members == {name: read_bytes(tmp_path / "into" / name) for name in members}


@pytest.mark.parametrize("name", ["n" * 101, "d/" * 130 + "n", "white space", ".hidden", "a//b", "../up", "ä", ""])
def test_a_name_that_does_not_fit_the_format_is_refused_and_not_left_out(name):
    with pytest.raises(UsageError):
        written({name: b"x"})


def test_a_long_name_fits_where_a_folder_of_it_can_stand_apart(extracted):
    name = f"{'d' * 100}/{'n' * 100}"
    assert (name,) == extracted(written({name: b"x"}))


# -- reading -------------------------------------------------------------------------------------------------------


def test_a_symbolic_link_to_an_archive_is_not_followed(tmp_path):
    (tmp_path / "real.tar").write_bytes(written({"a": b"x"}))
    (tmp_path / "link.tar").symlink_to(tmp_path / "real.tar")
    assert refusal(extract_archive, tmp_path / "link.tar", tmp_path) == [("", "a regular file")]


@pytest.mark.parametrize("name", ["nothing", "."])
def test_what_is_no_file_is_no_archive(tmp_path, name):
    assert refusal(extract_archive, tmp_path / name, tmp_path) == [("", "a regular file")]


@pytest.mark.parametrize(("size", "expected"), [(8 * GIB, "a bundle"), (8 * GIB + 1, f"at most {8 * GIB} bytes")])
def test_an_archive_has_at_most_eight_gibibytes(tmp_path, size, expected):
    """As much as ustar's eleven octal digits can say. The file is a hole: it takes no room and is not read."""
    with (tmp_path / "large.tar").open("wb") as large:
        large.write(b"no archive")
        large.truncate(size)
    assert [("", expected)] == refusal(extract_archive, tmp_path / "large.tar", tmp_path)


def test_an_archive_has_at_most_as_many_members_as_documented(extracted, monkeypatch):
    assert archive.MEMBERS_LIMIT == 100_000
    monkeypatch.setattr(archive, "MEMBERS_LIMIT", 3)
    assert extracted(written({"a": b"", "b": b"", "c": b""})) == ("a", "b", "c")


def test_one_member_more_is_refused_before_it_is_written(extracted, monkeypatch, tmp_path):
    monkeypatch.setattr(archive, "MEMBERS_LIMIT", 3)
    assert refusal(extracted, written({"a": b"", "b": b"", "c": b"", "d": b""})) == [("", "at most 3 members")]
    assert not (tmp_path / "into/d").exists()


def test_nothing_is_unpacked_of_what_is_compressed(extracted, tmp_path):
    """A small file that unpacks to a large one would pass the limit of size."""
    assert refusal(extracted, gzip.compress(written({"a": b"x"}))) == [("", "a bundle")]
    assert list((tmp_path / "into").iterdir()) == []


def plain(*members):
    """An archive of (name, content, type), as any tar would write it."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as packed:
        for name, content, kind in members:
            member = tarfile.TarInfo(name)
            member.mode, member.size, member.type = 0o644, len(content), kind
            packed.addfile(member, io.BytesIO(content))
    return target.getvalue()


FILE, FOLDER, LINK = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.LNKTYPE


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ([("folder", b"", FOLDER)], ("'folder'", "a regular file with a portable name")),
        ([("white space", b"", FILE)], ("'white space'", "a regular file with a portable name")),
        ([("a", b"x", FILE), ("a", b"x", FILE)], ("a", "each member once")),
        ([("a/b", b"x", FILE), ("a", b"x", FILE)], ("a", "each member once")),
        ([("a", b"x", FILE), ("a/b", b"x", FILE)], ("", "a bundle")),
        ([("b", b"x", FILE), ("a", b"x", FILE)], ("", "exactly the bytes that its members give")),
    ],
    ids=["a folder", "a name", "twice", "a folder's name again", "below a file", "another order"],
)
def test_the_reason_is_the_members_own(extracted, members, expected):
    assert [expected] == refusal(extracted, plain(*members))


def sparse_of_gnu(size):
    """A header of GNU's old sparse format: no data, one hole of so many bytes."""
    member = tarfile.TarInfo("a")
    member.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[386:410] = b"%011o\0%011o\0" % (0, 0)
    header[483:495] = b"%011o\0" % size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + b"\0" * 9728


def sparse_of_pax(size):
    """The same as POSIX headers before an ordinary member."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as packed:
        member = tarfile.TarInfo("a")
        member.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(size)}
        packed.addfile(member)
    return target.getvalue()


@pytest.mark.parametrize("sparse", [sparse_of_gnu, sparse_of_pax])
def test_a_few_bytes_do_not_unpack_to_a_full_disk(extracted, tmp_path, sparse):
    with tarfile.open(fileobj=io.BytesIO(sparse(1 << 20))) as packed:
        assert [(member.name, member.size, member.isreg()) for member in packed] == [("a", 1 << 20, True)]
    assert refusal(extracted, sparse(1 << 20)) == [("'a'", "a regular file with a portable name")]
    assert list((tmp_path / "into").iterdir()) == []


def test_a_hard_link_is_refused_before_it_is_made(extracted, tmp_path):
    content = plain(("a", b"secret", FILE), ("link", b"", LINK))
    assert refusal(extracted, content) == [("'link'", "a regular file with a portable name")]
    assert not (tmp_path / "into/link").exists()
