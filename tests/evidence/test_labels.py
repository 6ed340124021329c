"""The label table's door: every way in gives the same table, and what could be read in two ways is refused."""

from __future__ import annotations

import io
import json

import pandas as pd
import polars as pl
import pytest

from litmus_nb.contracts.labels import Rater
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.labels import joined_tables, label_rows, label_table, read_labels

DIGEST = "sha256:" + "a" * 64


def row(**changes):
    """A correct row with changes."""
    base = {
        "item_id": "i-1",
        "scenario_class": "injection",
        "rater": "judge",
        "rater_kind": "judge",
        "rater_digest": DIGEST,
        "label": True,
    }
    return base | changes


def table_of(*rows, **options):
    return label_table(pd.DataFrame(list(rows), dtype=object), **options)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([row(rater="")], "rater: text"),
        ([row(rater=None)], "rater: text"),
        ([row(label="yes")], "true, false or nothing, seen 'yes'"),
        ([row(label=1)], "true, false or nothing, seen 1"),
        ([row(label=0.5)], "true, false or nothing, seen 0.5"),
        ([row(rater_kind="robot")], "one of human, judge, seen 'robot'"),
        ([row(rater_digest="main")], "64 hexadecimal digits, or nothing, seen 'main'"),
        ([row(), row()], "one label of 'judge'"),
        ([row(), row(scenario_class="other", rater="second")], "one scenario_class of the item 'i-1'"),
        ([row(policy="a"), row(policy="b", rater="second")], "one policy of the item"),
        ([row(), row(item_id="i-2", rater_kind="human", rater_digest=None)], "'judge' as both"),
        ([row(at="yesterday")], "RFC 3339"),
        ([row(repeat=-1)], "repeat: a whole number"),
        ([row(length=1.5)], "length: a whole number"),
        ([row(mood="good")], "only the columns"),
        ([{"item_id": "i-1"}], "the column scenario_class"),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(rows, says):
    with pytest.raises(UnreadableInput, match=says):
        table_of(*rows)


def test_all_faults_come_at_once():
    with pytest.raises(UnreadableInput) as caught:
        table_of(row(label="yes"), row(item_id="i-2", rater=""), row(item_id="i-3", label="no"))
    assert len(caught.value.faults) == 3


def test_no_frame_is_refused():
    with pytest.raises(UnreadableInput, match="polars or pandas frame"):
        label_table([row()])


def test_a_missing_label_is_unknown_whatever_pandas_calls_it():
    table = table_of(row(label=None), row(item_id="i-2", label=float("nan")), row(item_id="i-3", label=pd.NA))
    assert table.frame["label"].to_list() == [None, None, None]


def test_other_words_for_labels_must_be_given():
    table = table_of(row(label="unsafe"), row(item_id="i-2", label="??"), label_words={"unsafe": True, "??": None})
    assert table.frame["label"].to_list() == [True, None]
    with pytest.raises(UnreadableInput, match="one of 'unsafe', seen 'safe'"):
        table_of(row(label="safe"), label_words={"unsafe": True})


def files():
    """The same three rows in every format."""
    rows = [
        row(run_id="r-1", at="2026-11-01T00:00:00Z", repeat=0, excerpt="=cmd <b>", length=12),
        row(run_id="r-1", at="2026-11-01T00:00:00Z", repeat=1, label=None, excerpt="=cmd <b>", length=12),
        row(item_id="i-2", rater="ann", rater_kind="human", rater_digest=None, label=False, repeat=0),
    ]
    names = list(rows[0])
    words = {True: "true", False: "false", None: ""}

    def cell(value):
        return words[value] if value is None or isinstance(value, bool) else str(value)

    csv = "\n".join([",".join(names), *(",".join(cell(r.get(name)) for name in names) for r in rows)]) + "\n"
    target = io.BytesIO()
    pl.DataFrame([{name: r.get(name) for name in names} for r in rows], infer_schema_length=None).write_parquet(target)
    lines = "".join(json.dumps(r) + "\n" for r in rows)
    return {"labels.csv": csv.encode(), "labels.jsonl": lines.encode(), "labels.parquet": target.getvalue()}


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl", "labels.parquet"])
def test_every_format_says_the_same(name, tmp_path):
    (tmp_path / name).write_bytes(files()[name])
    expected = label_rows(files()["labels.jsonl"], file="labels.jsonl").frame
    seen = read_labels(tmp_path / name).frame
    assert expected.equals(seen)
    assert seen["label"].to_list() == [True, None, False]
    assert seen["excerpt"].to_list() == ["=cmd <b>", "=cmd <b>", None]


def test_a_polars_frame_and_a_pandas_frame_say_the_same():
    frame = label_rows(files()["labels.jsonl"], file="labels.jsonl").frame
    pandas = pd.DataFrame(frame.to_dict(as_series=False))
    assert label_table(frame).frame.equals(label_table(pandas.astype(object)).frame)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("labels.txt", lambda: b"", "ends in"),
        ("labels.parquet", lambda: b"PAR1", "Parquet"),
        ("labels.csv", lambda: b"item_id\n", "the column label"),
        ("labels.csv", lambda: files()["labels.csv"] + b"x\n", "1 fields"),
        ("labels.csv", lambda: b"\xff", "UTF-8"),
        ("labels.jsonl", lambda: b"[]\n", "an object"),
        ("labels.jsonl", lambda: b'{"item_id": "i"}\n', "the key label"),
        ("labels.jsonl", lambda: b"{\n", "JSON"),
    ],
)
def test_files_that_are_none_are_refused(name, content, says):
    with pytest.raises(UnreadableInput, match=says):
        label_rows(content(), file=name)


def test_tables_join_and_still_hold_each_label_once():
    one, two = table_of(row()), table_of(row(item_id="i-2"))
    assert len(joined_tables([one, two])) == 2
    with pytest.raises(UnreadableInput, match="one label of"):
        joined_tables([one, one])
    with pytest.raises(UnreadableInput, match="at least one"):
        joined_tables([])


def test_a_rater_has_a_title():
    assert Rater(name="judge", digest=DIGEST, run_id="r-1").title == "judge sha256:aaaaaaaaaaaa in r-1"
