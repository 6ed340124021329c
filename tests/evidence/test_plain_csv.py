"""CSV that is read fast: it says what the standard library's reader says, or is left to that one."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence import plain_csv, trial_chunks
from litmus_nb.evidence.plain_csv import plain_columns, plain_csv_rows, quick_rows_of
from litmus_nb.evidence.trial_rows import rows_of

HEADER = b"scenario_id,scenario_class,trial,status,attack_success\n"
COLUMNS = HEADER.decode().strip().split(",")
ROW = b"s,c,0,scored,true\n"


def fast(lines, columns=COLUMNS):
    return plain_csv_rows(lines, columns, file="x")


def slow(lines, columns=COLUMNS):
    return rows_of(",".join(columns).encode() + b"\n" + lines, file="x.csv")


def row(**changes):
    """A line with some fields changed, as bytes."""
    fields = dict(zip(COLUMNS, ROW.decode().strip().split(","), strict=True)) | changes
    return ",".join(fields.values()).encode() + b"\n"


def assert_read(lines, columns=COLUMNS):
    """Fast, and as the slow way reads it."""
    rows = fast(lines, columns)
    assert rows is not None
    assert rows.schema == slow(lines, columns).schema
    assert rows.rows() == slow(lines, columns).rows()


# ---------------------------------------------------------------- what is read


@pytest.mark.parametrize("count", [1, 2, 1000])
@pytest.mark.parametrize("last", [b"", ROW.rstrip()])
def test_complete_lines_are_read_with_and_without_the_last_newline(count, last):
    assert_read(ROW * count + last)


@pytest.mark.parametrize("trial", ["0", "7", "9", "10", "99", "100", "1000000", "9" * 18])
def test_an_index_is_read_as_it_is_written(trial):
    assert_read(ROW + row(trial=trial) + ROW)


@pytest.mark.parametrize("label", ["true", "false", "", "True", "FALSE", "1", "x" * 100, "é" * 100])
def test_there_are_two_labels_and_nothing_and_what_is_neither_is_told(label):
    assert_read(ROW + row(attack_success=label) + row(attack_success="false"))


@pytest.mark.parametrize("name", ["judge_digest", "reason", "scenario_sha256"])
def test_more_columns_stand_where_they_stood(name):
    for place in range(len(COLUMNS) + 1):
        columns = [*COLUMNS[:place], name, *COLUMNS[place:]]
        fields = dict(zip(COLUMNS, ROW.decode().strip().split(","), strict=True))
        lines = [",".join((fields | {name: value})[column] for column in columns) for value in ("d", "", "é")]
        assert_read("\n".join(lines).encode(), columns)


@pytest.mark.parametrize("text", ["é", " s ", "\0", "\u2028", "\x0b", "\ufeff", "NA", "null", "#", "'", "a;b\tc"])
def test_text_is_only_text(text):
    assert_read(ROW + row(scenario_id=text, scenario_class=text))


@pytest.mark.parametrize("last", [b"", ROW.rstrip(), ROW])
def test_lines_may_end_as_windows_ends_them(last):
    assert_read(ROW.replace(b"\n", b"\r\n") * 3 + last)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_header_is_read_once(end):
    assert plain_columns(HEADER.rstrip() + end, file="x.csv") == COLUMNS


@pytest.mark.parametrize(
    "header",
    [
        *(b"", HEADER.rstrip(), HEADER.rstrip() + b"\r", HEADER.rstrip() + b"\r\r\n"),
        HEADER.replace(b",trial", b"\r,trial"),  # readers of lines see a line that ends there
        HEADER.rstrip() + b"\r" + ROW,
        HEADER.rstrip() + b"\r" + ROW.replace(b"\n", b"\r\n"),
        b'"scenario_id"' + HEADER[11:],
        HEADER.replace(b"trial", b"index"),
        b"trial," + HEADER,
        b"\xff" + HEADER,
    ],
)
def test_another_header_is_left_to_the_slow_way(header):
    assert plain_columns(header, file="x.csv") is None


# ---------------------------------------------------------------- what is left to the slow way


LEFT = {
    "a quotation mark": ROW + b's"s,c,0,scored,true\n',
    "a carriage return alone": ROW + b"s,c,0,scored\r,true\n",
    "a carriage return that ends a line": ROW + b"s,c,0,scored,true\r" + ROW,
    "a carriage return at the end": ROW + b"s,c,0,scored,true\r",
    "two carriage returns": ROW + b"s,c,0,scored,true\r\r\n",
    "one alone and one before a newline": ROW.replace(b"\n", b"\r\n") + b"s,c,0,scored\r,true\r\n",
    "a blank line of Windows": ROW + b"\r\n" + ROW,
    "a short line": ROW + b"s,c,0,scored\n",
    "a short line at last": ROW + b"s,c,0,scored",
    "a long line": ROW + b"s,c,0,scored,true,\n",
    "a short line and a long one": ROW + b"s,c,0,scored\n" + b"s,c,0,scored,true,\n",
    "a short line and an index that is longer than it is": ROW + b"s,c,0,scored\n" + b"s,c,00,scored,true\n",
    "a short line and a blank one": ROW + b"s,c,0,scored\n" + b"\n" + ROW,
    "a blank line": ROW + b"\n" + ROW,
    "a blank line at first": b"\n" + ROW,
    "a blank line at last": ROW + b"\n",
    "blank lines alone": b"\n\n",
    "a short line at first": b"s,c,0,scored\n" + ROW,
    "a byte order mark alone": b"\xef\xbb\xbf",
    "a byte order mark at first": b"\xef\xbb\xbf" + ROW,
    "no UTF-8": ROW + b"\xff,c,0,scored,true\n",
    "half a character": ROW + b"\xc3,c,0,scored,true\n",
    "no index": ROW + row(trial=""),
    "no index and one that is longer than it is": ROW + row(trial="") + row(trial="00"),
} | {
    f"the index {index!r}": ROW + row(trial=index)
    for index in (
        *("+1", "-1", "-0", "01", " 1", "1 ", "\t1", "1.0", "1e2", "0x1", "1_0", "١", "x", "1\0"),
        *("1" + "0" * 18, "9" * 19, "9" * 30, "-" + "9" * 30),
    )
}


@pytest.mark.parametrize("what", LEFT)
def test_what_readers_may_read_differently_is_left_to_the_slow_way(what):
    assert fast(LEFT[what]) is None


@pytest.mark.parametrize(
    ("change", "where"),
    [({"status": "won"}, "status"), ({"scenario_id": ""}, "scenario_id"), ({"scenario_class": ""}, "scenario_class")],
)
def test_a_row_that_says_too_little_is_refused(change, where):
    with pytest.raises(UnreadableInput) as refused:
        fast(ROW + row(**change))
    assert [fault.where for fault in refused.value.faults] == [where]


# ---------------------------------------------------------------- the two ways


FIELDS = st.sampled_from(
    [
        *(
            "s",
            "",
            "0",
            "00",
            "1",
            "12",
            "+1",
            "-3",
            " 1",
            "true",
            "false",
            "True",
            "scored",
            "error",
            "won",
            "é",
            "\0",
        ),
        '"',
    ]
)
LINES = st.lists(st.lists(FIELDS, min_size=0, max_size=7), min_size=1, max_size=4)
LIKELY = st.tuples(
    st.sampled_from(["s", "t", "é", ""]),
    st.sampled_from(["c", "d"]),
    st.sampled_from(["0", "1", "12", "01", "-1", "+1", ""]),
    st.sampled_from(["scored", "error", "won"]),
    st.sampled_from(["true", "false", "", "True", "yes", "true,", "\ntrue"]),
)


def outcome(read):
    try:
        rows = read()
    except UnreadableInput as unreadable:
        return [fault.where for fault in unreadable.faults]
    return rows if rows is None else rows.rows()


@given(st.one_of(LINES, st.lists(LIKELY, min_size=1, max_size=5)), st.booleans())
def test_the_fast_way_says_what_the_slow_way_says_or_nothing(lines, has_end):
    content = "\n".join(map(",".join, lines)).encode() + b"\n" * has_end
    if content:
        assert outcome(lambda: fast(content)) in (None, outcome(lambda: slow(content)))


BREAKS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r\n", "\r", "\n\n"])
PLAIN = ",".join(COLUMNS)
HEADERS = st.sampled_from([PLAIN] * 5 + [",".join(reversed(COLUMNS)), PLAIN + ",reason", "\ufeff" + PLAIN])


@given(HEADERS, st.lists(st.tuples(LIKELY, BREAKS), max_size=5), BREAKS, st.booleans())
def test_a_whole_file_says_the_same_both_ways(header, lines, first_break, has_end):
    content = header + first_break + "".join(",".join(fields) + break_ for fields, break_ in lines)
    content = (content if has_end else content.rstrip()).encode()
    said = outcome_told(lambda: quick_rows_of(content, file="x.csv"))
    assert said == outcome_told(lambda: rows_of(content, file="x.csv"))


def outcome_told(read):
    try:
        rows = read()
    except UnreadableInput as unreadable:
        return unreadable.faults
    return rows.schema, rows.rows()


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_what_is_plain_is_not_left_to_the_slow_way(tmp_path, monkeypatch, end):
    """It would say the same, and take twenty times as long."""

    def slow(content, *, file):
        raise AssertionError("left to the slow way")

    content = (HEADER + ROW * 3).replace(b"\n", end)
    (tmp_path / "trials.csv").write_bytes(content)
    monkeypatch.setattr(plain_csv, "rows_of", slow)
    monkeypatch.setattr(trial_chunks, "rows_of", slow)
    assert len(quick_rows_of(content, file="x.csv")) == 3
    assert sum(map(len, trial_chunks.chunks_of(tmp_path, ("trials.csv",)).each())) == 3
    with pytest.raises(AssertionError, match="left to the slow way"):
        quick_rows_of(content + b'"', file="x.csv")


@pytest.mark.parametrize("name", ["x.jsonl", "x.parquet"])
def test_other_formats_are_read_by_their_reader(name):
    with pytest.raises(UnreadableInput):
        quick_rows_of(HEADER + ROW, file=name)


def test_an_integer_is_never_read_from_less_than_its_digits():
    """What the sum of lengths rests on: polars reads no integer from a text that is shorter, or as long and another."""
    signs = "0123456789+-_.eExX ,\t"
    texts = [a + b for a in signs for b in signs] + list(signs)
    for text in texts:
        try:
            (index,) = pl.read_csv(
                f"s;{text}".encode(), separator=";", has_header=False, schema={"a": pl.String, "b": pl.Int64}
            )["b"]
        except pl.exceptions.PolarsError:
            continue
        assert index is None or str(index) == text or len(text) > len(str(index))
