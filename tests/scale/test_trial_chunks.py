"""Trials in chunks: the same rows and the same refusals as at once, each fault where it is; nothing changes midway."""

from __future__ import annotations

import os

import polars as pl
import pytest

from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence import trial_chunks
from litmus_nb.evidence.chunked_tally import chunked_tally
from litmus_nb.evidence.tally import tally_of
from litmus_nb.evidence.trial_chunks import chunks_of, is_small, promised_rows
from litmus_nb.evidence.trial_rows import rows_of
from tests.builders import csv_of, json_lines, parquet_of
from tests.scale.test_chunked_tally import assert_same

HEADER = b"scenario_id,scenario_class,trial,status,attack_success\n"
ROW = b"s,c,0,scored,true\n"
RECORDED = ("scenario_id", "scenario_class", "trial", "status", "label", "label_fault", "reason")


def rows(number=9, **changes):
    """Rows of three trials a scenario."""
    row = {"scenario_class": "c", "status": "scored", "attack_success": True} | changes
    return [{"scenario_id": f"s-{n // 3}", "trial": n % 3} | row for n in range(number)]


@pytest.fixture
def small(monkeypatch):
    """Blocks, lines and chunks so small that files of a page have many."""
    monkeypatch.setattr(trial_chunks, "_BLOCK_BYTES", 100)
    monkeypatch.setattr(trial_chunks, "_MOST_LINE_BYTES", 100)
    monkeypatch.setattr(trial_chunks, "CHUNK_ROWS", 2)
    monkeypatch.setattr(trial_chunks, "_STREAMED_ROWS", 5)


def parts_of(folder, name, content):
    (folder / name).write_bytes(content)
    return list(chunks_of(folder, (name,)).each())


def faults_of(folder, name, content):
    with pytest.raises(UnreadableInput) as refused:
        parts_of(folder, name, content)
    return list(refused.value.faults)


# ---------------------------------------------------------------- the same as at once


CSV = {
    "plain": HEADER + ROW * 3,
    "no newline at the end": HEADER + ROW * 2 + ROW.rstrip(),
    "no rows": HEADER,
    "a header alone": HEADER.rstrip(),
    "nothing": b"",
    "quotes": HEADER + b'"s",c,0,scored,true\n' + ROW,
    "quotes in every line": HEADER + b'"s","c",0,scored,true\n' * 5,
    "a quote within": HEADER + b's"s,c,0,scored,true\n',
    "an open quote": HEADER + ROW + b'"s,c,0,scored,true\n',
    "quotes in the header": b'"scenario_id"' + HEADER[11:] + ROW,
    "a comma in quotes": HEADER + b'"s,s",c,0,scored,true\n',
    "a header over two lines": b'"scenario_id\n"' + HEADER[11:] + ROW,
    "a row in the header's line": HEADER.rstrip() + b"\r" + ROW + ROW,
    "carriage returns": (HEADER + ROW * 3).replace(b"\n", b"\r\n"),
    "carriage returns alone": (HEADER + ROW * 3).replace(b"\n", b"\r"),
    "a carriage return within": HEADER + b"s\rs,c,0,scored,true\n",
    "a blank line": HEADER + ROW + b"\n" + ROW,
    "a blank line at first": HEADER + b"\n" + ROW,
    "a blank line at last": HEADER + ROW + b"\n",
    "a blank line and a long one": HEADER + b"\n" + ROW.rstrip() + b",,,,\n",
    "a short line": HEADER + ROW + b"s,c,0,scored\n",
    "a short line and a long one": HEADER + b"s,c,0,scored\n" + ROW.rstrip() + b",\n",
    "a long line": HEADER + ROW + ROW.rstrip() + b",\n",
    "an odd label": HEADER + b"s,c,0,scored,yes\n" + ROW,
    "no label": HEADER + b"s,c,0,error,\n" + ROW,
    "no trial": HEADER + b"s,c,,scored,true\n",
    "a huge trial": HEADER + b"s,c,99999999999999999999,scored,true\n" + ROW,
    "a trial with a point": HEADER + ROW + b"s,c,0.0,scored,true\n",
    "no id": HEADER + ROW + b",c,0,scored,true\n",
    "an unknown status": HEADER + ROW + b"s,c,0,won,true\n",
    "an unknown column": HEADER.rstrip() + b",x\n" + ROW.rstrip() + b",\n",
    "a null byte": HEADER + b"s\0,c,0,scored,true\n",
    "a byte order mark in a row": HEADER + b"\xef\xbb\xbf" + ROW * 9,
    "white space": HEADER + b" s ,c,0,scored,true\n",
    "a reason": HEADER.rstrip() + b",reason\n" + ROW.rstrip() + b",because\n" + ROW.rstrip() + b",\n",
}


def outcome(read):
    """The rows, or the faults."""
    try:
        return read().rows()
    except UnreadableInput as unreadable:
        return unreadable.faults


@pytest.mark.parametrize("what", CSV)
def test_a_csv_in_chunks_says_what_it_says_at_once(tmp_path, what):
    name = str(tmp_path / "trials.csv")
    expected = outcome(lambda: rows_of(CSV[what], file=name))
    assert expected == outcome(lambda: pl.concat(parts_of(tmp_path, "trials.csv", CSV[what])))


# Blocks end with a newline outside of quotes, which these do not have soon enough.
@pytest.mark.parametrize("what", sorted(set(CSV) - {"carriage returns alone", "a quote within"}))
def test_a_csv_in_small_chunks_says_what_it_says_at_once(tmp_path, what, small):
    """Or refuses it by the first faults of those, once it has come to them."""
    name = str(tmp_path / "trials.csv")
    content = CSV[what]
    expected = outcome(lambda: rows_of(content, file=name))
    seen = outcome(lambda: pl.concat(parts_of(tmp_path, "trials.csv", content)))
    assert expected == seen or (isinstance(seen, tuple) and set(seen) <= set(expected))


@pytest.mark.parametrize(
    ("name", "encode"), [("trials.csv", csv_of), ("trials.jsonl", json_lines), ("trials.parquet", parquet_of)]
)
def test_every_format_is_counted_in_chunks_as_at_once(tmp_path, small, name, encode):
    """In a folder whose name polars would take for a pattern."""
    folder = tmp_path / "run [1]*?"
    folder.mkdir()
    content = encode([*rows(), rows()[0], *rows(2, scenario_class="d", reason="r")])
    (folder / name).write_bytes(content)
    chunks = chunks_of(folder, (name,))
    tally = chunked_tally(chunks.each, 3, file="run", parts=chunks.counts)
    assert_same(tally_of(rows_of(content, file=name), 3), tally)
    assert chunks.digests == {name: digest_of_bytes(content)}
    if name.endswith("parquet"):
        assert promised_rows(folder / name) == 12


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
@pytest.mark.parametrize("order", ["as written", "trial by trial", "half and half", "any"])
def test_a_parquet_file_is_counted_in_parts_as_at_once(tmp_path, monkeypatch, order, size):
    """Some of the parts in a stream, some as runs, and a scenario in many of them."""
    monkeypatch.setattr(trial_chunks, "_STREAMED_ROWS", size)
    monkeypatch.setattr(trial_chunks, "CHUNK_ROWS", max(size // 3, 1))
    written = pl.DataFrame([{"scenario_id": f"s-{n // 10:02}", "trial": n % 10} for n in range(300)])
    written = written.with_columns(
        scenario_class=pl.lit("c"), status=pl.lit("scored"), attack_success=pl.col("trial") > 4
    )
    by_trial = written.sort("trial", "scenario_id")
    arranged = {
        "as written": written,
        "trial by trial": by_trial,
        "half and half": pl.concat(
            [written[:150], by_trial.join(written[:150], on=["scenario_id", "trial"], how="anti")]
        ),
        "any": written.sample(fraction=1, shuffle=True, seed=5),
    }[order]
    arranged = pl.concat([arranged, written[7:9]])  # two rows again: a scenario that has to be looked at closely
    arranged.write_parquet(tmp_path / "trials.parquet")
    chunks = chunks_of(tmp_path, ("trials.parquet",))
    tally = chunked_tally(chunks.each, 10, file="run", parts=chunks.counts)
    assert_same(tally_of(rows_of((tmp_path / "trials.parquet").read_bytes(), file="trials.parquet"), 10), tally)


ODD = {
    "nothing odd": {},
    "an unknown column": {"safe": pl.lit("yes")},
    "an unknown column without values": {"safe": pl.lit(None, dtype=pl.String)},
    "a column too few": {"trial": None},
    "no id in a row": {"scenario_id": None},
    "no class in a row": {"scenario_class": None},
    "no class in a scenario": {"scenario_class": pl.when(pl.col("scenario_id") != "s-1").then(pl.lit("c"))},
    "no class at all": {"scenario_class": pl.lit(None, dtype=pl.String)},
    "no index in a row": {"trial": None},
    "no status in a row": {"status": None},
    "no status and no labels": {
        "status": pl.lit(None, dtype=pl.String),
        "attack_success": pl.lit(None, dtype=pl.Boolean),
    },
    "no status at all": {"status": pl.lit(None, dtype=pl.String)},
    "an unknown status": {"status": pl.lit("won")},
    "an unknown status beside known ones": {
        "status": pl.when(pl.col("trial") == 1).then(pl.lit("won")).otherwise(pl.lit("error"))
    },
    "an unknown status without labels": {"status": pl.lit("won"), "attack_success": pl.lit(None, dtype=pl.Boolean)},
    "known statuses": {"status": pl.when(pl.col("trial") == 1).then(pl.lit("skipped")).otherwise(pl.lit("scored"))},
    "every status": {"status": pl.Series(["scored", "error", "timeout", "skipped", "cancelled", "unparsed"] * 5)},
    "indexes as text": {"trial": pl.col("trial").cast(pl.String)},
    "indexes with a point": {"trial": pl.col("trial").cast(pl.Float64)},
    "small indexes": {"trial": pl.col("trial").cast(pl.Int8)},
    "indexes beyond 64 bits": {"trial": pl.lit(2**63 + 5, dtype=pl.UInt64)},
    "labels as text": {"attack_success": pl.lit("true")},
    "labels as numbers": {"attack_success": pl.lit(1)},
    "categories": {"status": pl.lit("scored").cast(pl.Categorical)},
    "reasons": {"reason": pl.lit("because"), "status": pl.lit("error")},
    "a label where none belongs": {"status": pl.lit("error")},
    "no label where one belongs": {"attack_success": pl.lit(None, dtype=pl.Boolean)},
    "hashes": {"scenario_sha256": pl.lit("h")},
    "a hash in some rows": {"scenario_sha256": pl.when(pl.col("trial") == 1).then(pl.lit("h"))},
    "two hashes": {"scenario_sha256": pl.when(pl.col("trial") == 1).then(pl.lit("h")).otherwise(pl.lit("g"))},
    "two classes": {"scenario_class": pl.when(pl.col("trial") == 1).then(pl.lit("c")).otherwise(pl.lit("d"))},
    "judges": {"judge_digest": pl.when(pl.col("trial") == 1).then(pl.lit("j"))},
}
"""What is changed in each row, or, where it is None, is left out: the column, or in one row its value."""


def odd_frame(what):
    """Ten scenarios of three trials, trial by trial, so that they are no runs."""
    frame = pl.DataFrame([{"scenario_id": f"s-{n % 10}", "scenario_class": "c", "trial": n // 10} for n in range(30)])
    frame = frame.with_columns(status=pl.lit("scored"), attack_success=pl.col("trial") > 0)
    for name, value in ODD[what].items():
        if value is not None:
            frame = frame.with_columns(
                pl.Series(value).alias(name) if isinstance(value, pl.Series) else value.alias(name)
            )
        elif what == "a column too few":
            frame = frame.drop(name)
        else:
            frame = frame.with_columns(pl.when(pl.int_range(pl.len()) != 17).then(pl.col(name)).alias(name))
    return frame


def tally_or_faults(count):
    """The counts, or the columns that are not as they must be."""
    try:
        return count()
    except UnreadableInput as unreadable:
        return {fault.where or fault.seen for fault in unreadable.faults}


@pytest.mark.parametrize("size", [7, 1000])
@pytest.mark.parametrize("what", ODD)
def test_a_streamed_parquet_file_says_what_it_says_at_once(tmp_path, monkeypatch, what, size):
    """The same counts; or it is refused by faults of the same columns, though perhaps of a part of the rows."""
    monkeypatch.setattr(trial_chunks, "_STREAMED_ROWS", size)
    path = tmp_path / "trials.parquet"
    odd_frame(what).write_parquet(path)
    chunks = chunks_of(tmp_path, ("trials.parquet",))
    at_once = tally_or_faults(lambda: tally_of(rows_of(path.read_bytes(), file=str(path)), 3))
    streamed = tally_or_faults(lambda: chunked_tally(chunks.each, 3, file="run", parts=chunks.counts))
    if isinstance(at_once, set):
        assert isinstance(streamed, set)
        assert streamed <= at_once
    else:
        assert_same(at_once, streamed)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("trials.csv", HEADER),
        ("trials.csv", HEADER.rstrip()),
        ("trials.jsonl", b""),
        ("trials.parquet", None),
    ],
)
def test_a_file_without_rows_is_one_chunk_without_rows(tmp_path, name, content):
    if content is None:
        pl.DataFrame(rows(1)).clear().write_parquet(tmp_path / name)
        content = (tmp_path / name).read_bytes()
    (part,) = parts_of(tmp_path, name, content)
    assert len(part) == 0
    chunks = chunks_of(tmp_path, (name,))
    assert chunked_tally(chunks.each, 3, file="run", parts=chunks.counts).n_rows == 0


def test_several_files_are_read_one_after_the_other(tmp_path):
    names = ("0.parquet", "1.csv", "2.jsonl")
    for index, (name, encode) in enumerate(zip(names, (parquet_of, csv_of, json_lines), strict=True)):
        (tmp_path / name).write_bytes(encode(rows(1, scenario_class=str(index))))
    chunks = chunks_of(tmp_path, names)
    assert pl.concat(chunks.each())["scenario_class"].to_list() == ["0", "1", "2"]
    assert list(chunks.digests) == list(names)


def test_one_file_may_have_a_column_that_another_has_not(tmp_path, monkeypatch):
    frame = odd_frame("known statuses")
    parts = (frame[:15].with_columns(reason=pl.lit("because")), frame[15:])
    names = tuple(f"{index}.parquet" for index in range(2))
    for name, part in zip(names, parts, strict=True):
        part.write_parquet(tmp_path / name)
    chunks = chunks_of(tmp_path, names)
    at_once = pl.concat([rows_of((tmp_path / name).read_bytes(), file=name).select(RECORDED) for name in names])
    assert_same(tally_of(at_once, 3), chunked_tally(chunks.each, 3, file="run", parts=chunks.counts))


def test_rows_come_a_bounded_number_at_a_time(tmp_path, small):
    assert [len(part) for part in parts_of(tmp_path, "trials.parquet", parquet_of(rows(5)))] == [2, 2, 1]
    for line in (ROW, b'"s","c",0,scored,true\n', b's,"c",0,scored,true\n'):
        parts = [len(part) for part in parts_of(tmp_path, "trials.csv", HEADER + line * 20)]
        assert sum(parts) == 20
        assert max(parts) * len(line) <= 200
        assert min(parts) > 0
    lines = json_lines(rows(9))
    parts = [len(part) for part in parts_of(tmp_path, "trials.jsonl", lines)]
    assert (sum(parts), len(parts), max(parts)) == (9, 5, 2)


def test_parts_with_other_columns_are_not_joined(tmp_path, small, monkeypatch):
    """A column of JSON lines is there from where the first row has it."""
    monkeypatch.setattr(trial_chunks, "CHUNK_ROWS", 1000)
    content = json_lines([*rows(6), *rows(6, judge_digest="d"), *rows(6)])
    parts = parts_of(tmp_path, "trials.jsonl", content)
    assert [(len(part), "judge_digest" in part.columns) for part in parts] == [(6, False), (6, True), (6, False)]


# ---------------------------------------------------------------- lines


def test_a_quote_in_json_is_no_quote_of_csv(tmp_path, small):
    """The first line has an odd number of them; the others are still given out a few at a time."""
    content = json_lines([*rows(1, scenario_class='"'), *rows(9)])
    assert len(parts_of(tmp_path, "trials.jsonl", content)) == 5


def json_line_of(length):
    (line,) = json_lines(rows(1)).splitlines()
    return line[:-1] + b" " * (length - len(line)) + b"}"


def test_a_line_may_be_as_long_as_two_blocks_and_the_longest_line(tmp_path, small):
    (part,) = parts_of(tmp_path, "trials.jsonl", json_line_of(300))
    assert len(part) == 1
    fault = Fault(str(tmp_path / "trials.jsonl"), "", "lines of at most 100 bytes", "a longer one")
    assert faults_of(tmp_path, "trials.jsonl", json_line_of(301)) == [fault]


def test_a_header_may_be_as_long_as_the_longest_line(tmp_path, small):
    longest = HEADER.rstrip() + b",reason,judge_digest,scenario_sha256\n"
    assert len(longest) < 100
    (part,) = parts_of(tmp_path, "trials.csv", longest + ROW.rstrip() + b",,,\n")
    assert len(part) == 1
    fault = Fault(str(tmp_path / "trials.csv"), "line 1", "a line of at most 100 bytes", "more")
    assert faults_of(tmp_path, "trials.csv", b"x" * 100) == [fault]
    (fault,) = faults_of(tmp_path, "trials.csv", b'"' + b"x" * 98 + b"\n")
    assert (fault.where, fault.expected) == ("line 1", "CSV")


def test_no_header_of_16_mib_is_read(tmp_path):
    fault = Fault(str(tmp_path / "trials.csv"), "line 1", "a line of at most 16777216 bytes", "more")
    assert faults_of(tmp_path, "trials.csv", b"x" * 2**24) == [fault]


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize("before", [0, 1, 30])
def test_a_fault_is_told_where_it_is_in_the_file(tmp_path, small, before):
    faults = faults_of(tmp_path, "trials.csv", HEADER + ROW * before + b"s,c,zero,scored,true\n")
    assert [(fault.where, fault.expected) for fault in faults] == [(f"row {before + 1}", "trial: an integer")]
    faults = faults_of(tmp_path, "trials.csv", HEADER + ROW * before + b"s\n")
    assert [(fault.where, fault.expected) for fault in faults] == [(f"line {before + 2}", "5 fields")]
    for line in (b"s,c,0,won,true\n", b'"s",c,0,won,true\n'):
        faults = faults_of(tmp_path, "trials.csv", HEADER + ROW * before + line)
        assert [(fault.where, fault.seen) for fault in faults] == [("status", "'won'")]
    faults = faults_of(tmp_path, "trials.jsonl", json_lines(rows(before)) + b"1\n")
    assert [(fault.where, fault.expected) for fault in faults] == [(f"line {before + 1}", "an object")]


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1 nothing PAR1", csv_of(rows(2))])
def test_a_parquet_file_that_is_none_is_refused_by_every_way(tmp_path, content):
    path = tmp_path / "trials.parquet"
    path.write_bytes(content)
    chunks = chunks_of(tmp_path, ("trials.parquet",))
    for read in (
        lambda: list(chunks.each()),
        lambda: chunked_tally(chunks.each, 3, file="run", parts=chunks.counts),
        lambda: is_small(tmp_path, ("trials.parquet",)),
        lambda: promised_rows(path),
    ):
        with pytest.raises(UnreadableInput) as refused:
            read()
        (fault,) = refused.value.faults
        assert (fault.file, fault.where, fault.expected) == (str(path), "", "a Parquet file")
        assert len(fault.seen) <= 200


def test_a_parquet_file_with_a_column_of_another_type_is_refused_by_its_column(tmp_path):
    path = tmp_path / "trials.parquet"
    pl.DataFrame(rows(3)).cast({"trial": pl.Float64}).write_parquet(path)
    chunks = chunks_of(tmp_path, ("trials.parquet",))
    for read in (lambda: list(chunks.each()), lambda: chunked_tally(chunks.each, 3, file="r", parts=chunks.counts)):
        with pytest.raises(UnreadableInput) as refused:
            read()
        assert list(refused.value.faults) == [Fault(str(path), "trial", "integers", "Float64")]


# ---------------------------------------------------------------- what changes midway


CHANGED = "a file that does not change while it is read"


@pytest.mark.parametrize(("name", "encode"), [("trials.csv", csv_of), ("trials.parquet", parquet_of)])
def test_other_bytes_at_the_second_reading_are_refused(tmp_path, name, encode):
    parts_of(tmp_path, name, encode(rows(3)))
    chunks = chunks_of(tmp_path, (name,))
    list(chunks.each())
    list(chunks.each())
    (tmp_path / name).write_bytes(encode(rows(4)))
    with pytest.raises(UnreadableInput) as refused:
        list(chunks.each())
    assert list(refused.value.faults) == [Fault(str(tmp_path / name), "", CHANGED, "it did")]


def other_times(path):
    os.utime(path, ns=(1, 1))


def another_file(path):
    path.rename(path.with_name("old"))
    path.write_bytes(path.with_name("old").read_bytes())


def one_byte_more(path):
    with path.open("ab") as stream:
        stream.write(b"\n")


@pytest.mark.parametrize("change", [other_times, another_file, one_byte_more])
def test_a_parquet_file_that_changes_while_it_is_read_is_refused(tmp_path, small, change):
    path = tmp_path / "trials.parquet"
    path.write_bytes(parquet_of(rows(5)))
    parts = chunks_of(tmp_path, ("trials.parquet",)).each()
    next(parts)
    change(path)
    with pytest.raises(UnreadableInput):
        list(parts)


# ---------------------------------------------------------------- what is small


def test_a_trials_file_of_up_to_8_mib_is_small(tmp_path):
    """The files take no room on the disk."""
    path = tmp_path / "trials.csv"
    for size, expected in ((8 * 2**20, True), (8 * 2**20 + 1, False)):
        with path.open("wb") as stream:
            stream.truncate(size)
        assert is_small(tmp_path, ("trials.csv",)) is expected


def test_a_parquet_file_of_up_to_four_million_rows_is_small(tmp_path):
    for number, expected in ((4_000_000, True), (4_000_001, False)):
        pl.select(pl.repeat(value=True, n=number, dtype=pl.Boolean)).write_parquet(tmp_path / "trials.parquet")
        assert promised_rows(tmp_path / "trials.parquet") == number
        assert is_small(tmp_path, ("trials.parquet",)) is expected


def test_shards_are_not_small(tmp_path):
    assert is_small(tmp_path, ("trials/0.parquet", "trials/1.parquet")) is False
