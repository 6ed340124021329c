"""Trials files: what is a row, what is a label, and what is neither, in all three formats."""

from __future__ import annotations

import contextlib
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence import trial_rows
from litmus_nb.evidence.tally import tally_of
from litmus_nb.evidence.trial_rows import csv_columns, rows_of
from tests.builders import ENCODERS, codes, correct_world, csv_of, decide, json_lines, parquet_of

HEADER = b"scenario_id,scenario_class,trial,status,attack_success\n"
FORMATS = sorted(ENCODERS)


def row(**changes):
    return {
        "scenario_id": "s",
        "scenario_class": "c",
        "trial": 0,
        "status": "scored",
        "attack_success": True,
    } | changes


def csv_rows(*lines):
    return rows_of(HEADER + b"".join(line.encode() + b"\n" for line in lines), file="trials.csv")


def jsonl_rows(*values):
    return rows_of(json_lines(list(values)), file="trials.jsonl")


def parquet_bytes(frame):
    target = io.BytesIO()
    frame.write_parquet(target)
    return target.getvalue()


def parquet_rows(values, **types):
    schema = {"trial": pl.Int64, "attack_success": pl.Boolean} | types
    return rows_of(
        parquet_bytes(pl.DataFrame(values, schema={name: schema.get(name, pl.String) for name in values[0]})),
        file="trials.parquet",
    )


def labels(frame):
    return list(zip(frame["label"], frame["label_fault"], strict=True))


# -- labels ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("written", "read"), [("true", True), ("false", False), ("", None)])
def test_csv_has_two_labels_and_nothing(written, read):
    assert labels(csv_rows(f"s,c,0,scored,{written}")) == [(read, None)]


@pytest.mark.parametrize(
    "written",
    [
        "True",
        "TRUE",
        "False",
        "t",
        "f",
        "yes",
        "no",
        "1",
        "0",
        "0.5",
        "nan",
        "NaN",
        "null",
        "None",
        "N/A",
        "C",
        "I",
        " true",
    ],
)
def test_csv_guesses_no_other_label(written):
    assert labels(csv_rows(f"s,c,0,scored,{written}")) == [(None, written)]


@pytest.mark.parametrize(("written", "read"), [(True, True), (False, False), (None, None)])
def test_json_lines_have_two_labels_and_nothing(written, read):
    assert labels(jsonl_rows(row(attack_success=written))) == [(read, None)]


@pytest.mark.parametrize("written", [1, 0, 1.0, 0.5, "true", "false", "", "yes", [], {}, [True]])
def test_json_lines_guess_no_other_label(written):
    assert labels(jsonl_rows(row(attack_success=written))) == [(None, repr(written))]


@pytest.mark.parametrize(
    ("kind", "written", "told"),
    [
        (pl.Int64, 1, "1"),
        (pl.UInt8, 0, "0"),
        (pl.Float64, 1.0, "1.0"),
        (pl.Float64, float("nan"), "nan"),
        (pl.String, "true", "true"),
        (pl.List(pl.Boolean), [True], "[True]"),
    ],
)
def test_parquet_guesses_no_label_of_another_type(kind, written, told):
    frame = parquet_rows([row(attack_success=written)], attack_success=kind)
    assert frame["label"].to_list() == [None]
    assert told in frame["label_fault"][0].replace("true", told if told == "[True]" else "true")


def test_parquet_labels_are_booleans_or_nothing():
    written = [True, False, None]
    frame = parquet_rows([row(attack_success=value) for value in written])
    assert labels(frame) == [(value, None) for value in written]


def test_a_parquet_column_of_another_type_has_texts_where_it_has_values():
    frame = parquet_rows([row(attack_success=value) for value in (1, None)], attack_success=pl.Int64)
    assert labels(frame) == [(None, "1"), (None, None)]
    frame = parquet_rows([row(attack_success=None)], attack_success=pl.Int64)
    assert (frame["label"].dtype, frame["label_fault"].dtype) == (pl.Boolean, pl.String)


def test_a_parquet_column_without_a_value_is_a_column_without_labels():
    frame = parquet_rows([row(attack_success=None, status="error")], attack_success=pl.Null)
    assert labels(frame) == [(None, None)]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("status", ["error", "timeout", "skipped", "cancelled", "unparsed"])
def test_every_unknown_status_is_an_unknown(tmp_path, name, status):
    world = correct_world()
    world.candidate.trials_name = name
    world.candidate.label("pi-1", False, None)
    world.candidate.of("pi-1")[1]["status"] = status
    decision = decide(world, tmp_path)
    assert (decision.state, decision.is_degraded) == (VerdictState.PASS, True)


@pytest.mark.parametrize("name", FORMATS)
def test_a_label_on_a_trial_that_was_not_scored_is_invalid(tmp_path, name):
    world = correct_world()
    world.candidate.trials_name = name
    world.candidate.rows[3].update(status="unparsed", reason="sandbox-boot-timeout")
    assert codes(decide(world, tmp_path)) == {"LABEL_INVALID"}


@pytest.mark.parametrize("name", FORMATS)
def test_the_three_formats_say_the_same(tmp_path, name):
    world = correct_world()
    world.candidate.label("pi-1", False, None)
    world.candidate.trials_name = name
    world.candidate.rows[0]["judge_digest"] = world.suite["judge"]["digest"]
    decision = decide(world, tmp_path)
    assert codes(decision) == {"JUDGE_UNRESOLVED"}


def test_a_word_in_a_column_of_numbers_spoils_no_other_label(tmp_path):
    """A CSV reader that guesses types would read the whole column otherwise."""
    world = correct_world()
    world.candidate.trials_name = "trials.csv"
    world.candidate.rows[3]["attack_success"] = "yes"
    decision = decide(world, tmp_path)
    assert codes(decision) == {"LABEL_INVALID", "SKIP_UNDOCUMENTED"}
    assert any("pi-1 trial 1 (scored): yes" in reason.observed for reason in decision.reasons)


# -- what is no row -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "the column scenario_id"),
        (b"scenario_id,scenario_class,trial,status\ns,c,0,scored\n", "the column attack_success"),
        (HEADER.replace(b"\n", b",safe\n") + b"s,c,0,scored,true,false\n", "the column 'safe'"),
        (HEADER.replace(b"\n", b",status\n") + b"s,c,0,scored,true,error\n", "'status' twice"),
        (HEADER + b"s,c,0,scored\n", "5 fields, seen 4"),
        (HEADER + b"s,c,0,scored,true,\n", "5 fields, seen 6"),
        (HEADER + b"\ns,c,0,scored,true\n", "5 fields, seen 0"),
        (HEADER + b's,c,0,scored,"true\n', "CSV"),
        (HEADER + b's,c,0,scored,"tr"ue\n', "CSV"),
        (HEADER + b"s,c,,scored,true\n", "trial: an integer"),
        (HEADER + b"s,c,0.0,scored,true\n", "trial: an integer"),
        (HEADER + b"s,c,1e0,scored,true\n", "trial: an integer"),
        (HEADER + "s,c,٣,scored,true\n".encode(), "trial: an integer"),
        (HEADER + b"s,c,--1,scored,true\n", "trial: an integer"),
        (HEADER + b"s,c,-,scored,true\n", "trial: an integer"),
        (HEADER + b",c,0,scored,true\n", "scenario_id"),
        (HEADER + b"s,,0,scored,true\n", "scenario_class"),
        (HEADER + b"s,c,0,,true\n", "status"),
        (HEADER + b"s,c,0,passed,true\n", "one of scored, error"),
        (HEADER + b"s,c,0,SCORED,true\n", "one of scored, error"),
        (b"\xef\xbb\xbf" + HEADER + b"s,c,0,scored,true\n", "byte order mark"),
        (HEADER + b"s\xff,c,0,scored,true\n", "UTF-8"),
        (HEADER.replace(b",", b";") + b"s;c;0;scored;true\n", "the column scenario_id"),
    ],
)
def test_a_csv_that_is_none_is_unreadable(content, told):
    with pytest.raises(UnreadableInput, match=told):
        rows_of(content, file="trials.csv")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{}\n", "the key scenario_id"),
        (b"[]\n", "an object"),
        (b"\n", "JSON"),
        (json_lines([row()]) + b"\n" + json_lines([row()]), "line 2"),
        (json_lines([row(trial="0")]), "trial: an integer"),
        (json_lines([row(trial=0.0)]), "trial: an integer"),
        (json_lines([row(trial=True)]), "trial: an integer"),
        (json_lines([row(trial=None)]), "trial: an integer"),
        (json_lines([row(trial=2**53)]), "2\\^53-1"),
        (json_lines([row(scenario_id=None)]), "scenario_id: text"),
        (json_lines([row(scenario_class=3)]), "scenario_class: text"),
        (json_lines([row(status=None)]), "status: text"),
        (json_lines([row(status="ok")]), "one of scored, error"),
        (json_lines([row(safe=True)]), "'safe'"),
        (json_lines([row(reason=3)]), "reason: text or null"),
        (json_lines([row(judge_digest=False)]), "judge_digest: text or null"),
        (json_lines([row()])[:-3], "JSON"),
        (b'{"scenario_id": "s", "scenario_id": "t"}\n', "each key once"),
        (json_lines([row(attack_success="x")]).replace(b'"x"', b"NaN"), "finite"),
    ],
)
def test_json_lines_that_are_none_are_unreadable(content, told):
    with pytest.raises(UnreadableInput, match=told):
        rows_of(content, file="trials.jsonl")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (lambda: b"", "Parquet"),
        (lambda: b"PAR1", "Parquet"),
        (lambda: parquet_of([row()])[:-5], "Parquet"),
        (lambda: parquet_of([row()])[40:], "Parquet"),
        (lambda: parquet_bytes(pl.DataFrame([row() | {"trial": "0"}])), "integers"),
        (lambda: parquet_bytes(pl.DataFrame([row() | {"trial": 0.0}])), "integers"),
        (lambda: parquet_bytes(pl.DataFrame([row() | {"trial": False}])), "integers"),
        (lambda: parquet_bytes(pl.DataFrame([row() | {"status": 1}])), "text"),
        (lambda: parquet_bytes(pl.DataFrame([row() | {"safe": True}])), "'safe'"),
        (lambda: parquet_bytes(pl.DataFrame([{"scenario_id": "s"}])), "the column trial"),
        (lambda: parquet_bytes(pl.DataFrame([row(scenario_id=None)])), "scenario_id"),
        (lambda: parquet_bytes(pl.DataFrame([row() | {"trial": None}]).cast({"trial": pl.Int64})), "trial"),
    ],
)
def test_parquet_that_is_none_is_unreadable(content, told):
    with pytest.raises(UnreadableInput, match=told):
        rows_of(content(), file="trials.parquet")


def test_a_parquet_file_on_which_polars_panics_is_unreadable(monkeypatch):
    def panic(source):
        raise pl.exceptions.PanicException("range end index 9 out of range")

    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(UnreadableInput, match="PanicException: range end index 9"):
        rows_of(parquet_of([row()]), file="trials.parquet")


@given(st.binary(max_size=300), st.sampled_from(FORMATS))
def test_no_bytes_crash_a_reader(content, name):
    with contextlib.suppress(UnreadableInput):
        rows_of(content, file=name)


@given(st.data(), st.sampled_from(FORMATS))
def test_no_spoiled_byte_crashes_a_reader(data, name):
    content = bytearray(ENCODERS[name]([row(trial=number, reason="x") for number in range(4)]))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(UnreadableInput):
        tally_of(rows_of(bytes(content), file=name), 2)


def test_a_file_without_a_row_is_a_file():
    assert [len(rows_of(content, file=name)) for name, content in (("x.csv", HEADER), ("x.jsonl", b""))] == [0, 0]
    assert len(rows_of(parquet_of([row()][:0] or [row()]), file="x.parquet")) == 1


def test_a_huge_trial_index_is_out_of_range_and_not_an_error():
    content = HEADER + b"s,c,99999999999999999999999,scored,true\ns,c,-99999999999999999999999,scored,true\n"
    assert tally_of(rows_of(content, file="x.csv"), 3).out_of_range["n"].sum() == 2
    frame = pl.DataFrame([row()]).with_columns(trial=pl.lit(2**64 - 1, dtype=pl.UInt64))
    assert tally_of(rows_of(parquet_bytes(frame), file="x.parquet"), 3).out_of_range["n"].sum() == 1


def test_quotes_line_breaks_and_commas_in_csv_are_text():
    content = csv_of([row(scenario_id='a "b", c\nd')])
    assert rows_of(content, file="x.csv")["scenario_id"].to_list() == ['a "b", c\nd']


def test_text_columns_may_be_categories():
    frame = pl.DataFrame([row()]).with_columns(pl.col("status").cast(pl.Categorical))
    assert rows_of(parquet_bytes(frame), file="x.parquet")["status"].to_list() == ["scored"]


# -- counting -------------------------------------------------------------------------------------------------------


def test_rows_of_one_trial_that_agree_are_one():
    tally = tally_of(jsonl_rows(row(), row()), 1)
    assert tally.per_scenario.row(0, named=True) == {
        "scenario_id": "s",
        "n_scored": 1,
        "n_success": 1,
        "n_unlabelled": 0,
    }
    assert tally.duplicates.row(0) == ("s", 0, 2)


@pytest.mark.parametrize(
    "other", [{"attack_success": False}, {"status": "error", "attack_success": None}, {"scenario_class": "d"}]
)
def test_rows_of_one_trial_that_differ_are_unknown(other):
    tally = tally_of(jsonl_rows(row(), row(**other)), 1)
    assert tally.per_scenario.row(0, named=True)["n_unlabelled"] == 1
    assert tally.unlabelled["reason"].to_list() == [None]


def test_only_declared_trials_are_counted():
    tally = tally_of(jsonl_rows(row(), row(trial=1), row(trial=-1)), 1)
    assert tally.per_scenario["n_scored"].to_list() == [1]
    assert tally.out_of_range["trial"].to_list() == [-1, 1]


def test_judges_are_counted_over_scored_rows_only():
    values = [row(judge_digest="j"), row(trial=1, status="error", attack_success=None)]
    assert tally_of(jsonl_rows(*values), 2).judge_digests.rows() == [("j", 1)]


def test_a_judge_column_without_values_is_unresolved():
    assert tally_of(jsonl_rows(row(judge_digest=None)), 1).judge_digests.rows() == [(None, 1)]


@given(st.permutations([row(trial=number, attack_success=bool(number % 2)) for number in range(4)] + [row()]))
def test_counting_knows_no_order(values):
    tally, straight = tally_of(jsonl_rows(*values), 3), tally_of(jsonl_rows(*sorted(values, key=str)), 3)
    for name in vars(straight):
        seen, expected = getattr(tally, name), getattr(straight, name)
        assert seen.equals(expected) if isinstance(seen, pl.DataFrame) else seen == expected, name


# -- what is said of it ---------------------------------------------------------------------------------------------


def faults_of(content, name):
    with pytest.raises(UnreadableInput) as refused:
        rows_of(content, file=name)
    return [(fault.where, fault.expected, fault.seen) for fault in refused.value.faults]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_columns(name):
    full = row(reason=None, judge_digest="j", scenario_sha256=None)
    expected = {
        "scenario_id": pl.String,
        "scenario_class": pl.String,
        "trial": pl.Int64,
        "status": pl.String,
        "label": pl.Boolean,
        "label_fault": pl.String,
        "reason": pl.String,
    }
    encode = ENCODERS[name]
    assert dict(rows_of(encode([row()]), file=name).schema) == expected
    assert dict(rows_of(encode([row(attack_success=None)]), file=name).schema) == expected
    extra = {"judge_digest": pl.String, "scenario_sha256": pl.String}
    assert dict(rows_of(encode([full]), file=name).schema) == expected | extra
    assert rows_of(encode([full]), file=name)["judge_digest"].to_list() == ["j"]


@pytest.mark.parametrize(("name", "content"), [("x.csv", HEADER), ("x.jsonl", b"")])
def test_no_rows_have_the_same_columns(name, content):
    assert rows_of(content, file=name).schema == csv_rows("s,c,0,scored,true").schema


def test_a_column_that_some_rows_lack_is_null_there():
    assert jsonl_rows(row(), row(reason="r"))["reason"].to_list() == [None, "r"]


def test_text_columns_of_null_are_text():
    frame = pl.DataFrame([row() | {"reason": None}])
    assert rows_of(parquet_bytes(frame), file="x.parquet")["reason"].dtype == pl.String


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        (b"[]", [("an object", "[]")]),
        (
            b'{"trial": 0, "scenario_id": "s"}',
            [(f"the key {key}", "no such key") for key in ("scenario_class", "status", "attack_success")],
        ),
        (json_lines([row(scenario_id=1)]), [("scenario_id: text", "1")]),
        (json_lines([row(scenario_class=None)]), [("scenario_class: text", "None")]),
        (json_lines([row(status=False)]), [("status: text", "False")]),
        (json_lines([row(trial=True)]), [("trial: an integer", "True")]),
        (json_lines([row(trial="0")]), [("trial: an integer", "'0'")]),
        (json_lines([row(reason=1)]), [("reason: text or null", "1")]),
        (json_lines([row(judge_digest=[])]), [("judge_digest: text or null", "[]")]),
        (json_lines([row(scenario_sha256={})]), [("scenario_sha256: text or null", "{}")]),
        (json_lines([row(safe=True)]), [("no such key", "'safe'")]),
    ],
)
def test_what_is_wrong_with_a_json_line_is_told(line, faults):
    content = json_lines([row()]) + line.rstrip(b"\n") + b"\n" + json_lines([row(reason=None), row(reason="r")])
    assert faults_of(content, "x.jsonl") == [("line 2", *fault) for fault in faults]


def test_what_is_wrong_with_a_csv_is_told():
    assert faults_of(HEADER + b"s,c,0,scored,true\ns,c\n\n", "x.csv") == [
        ("line 3", "5 fields", "2 fields"),
        ("line 4", "5 fields", "0 fields"),
    ]
    assert faults_of(HEADER + b"s,c,0,scored,true\ns,c,one,scored,true\ns,c,,scored,true\n", "x.csv") == [
        ("row 2", "trial: an integer", "'one'"),
        ("row 3", "trial: an integer", "None"),
    ]
    assert faults_of(HEADER + b's,c,0,scored,true\n"s"x,c,0,scored,true\n', "x.csv") == [
        ("line 3", "CSV", "',' expected after '\"'")
    ]


COLUMNS = [
    ("", "the column scenario_class", "no such column"),
    ("", "the column attack_success", "no such column"),
    ("", "known columns only", "the column 'safe'"),
    ("", "each column once", "the column 'status' twice"),
]


def test_all_that_is_wrong_with_the_columns_is_told():
    header = b"scenario_id,trial,status,safe,status\n"
    assert faults_of(header, "x.csv") == COLUMNS
    with pytest.raises(UnreadableInput) as refused:
        csv_columns(header, file="x.csv")
    assert [(fault.where, fault.expected, fault.seen) for fault in refused.value.faults] == COLUMNS
    frame = pl.DataFrame({"scenario_id": ["s"], "trial": [0], "status": ["scored"], "safe": [True]})
    assert faults_of(parquet_bytes(frame), "x.parquet") == COLUMNS[:3]


@pytest.mark.parametrize("rest", [b"\n", b"\r\n", b"\r", b"", b"\ns,c", b"\rs,c"])
def test_the_columns_of_a_csv_are_its_first_line(rest):
    assert csv_columns(HEADER.rstrip() + rest, file="x.csv") == HEADER.decode().strip().split(",")
    assert csv_columns(b'"scenario_id"' + HEADER.strip()[11:] + rest, file="x.csv")[0] == "scenario_id"


@pytest.mark.parametrize(
    ("header", "where", "expected"),
    [(b'"scenario_id"x,trial\n', "line 1", "CSV"), (b"scenario_id\xff\n", "line 1", "UTF-8"), (b'"s', "line 1", "CSV")],
)
def test_a_header_that_is_none_is_refused(header, where, expected):
    with pytest.raises(UnreadableInput) as refused:
        csv_columns(header, file="x.csv")
    assert [(fault.file, fault.where, fault.expected) for fault in refused.value.faults] == [("x.csv", where, expected)]


def test_what_is_wrong_with_values_is_told_for_the_whole_column():
    frame = pl.DataFrame(
        {
            "scenario_id": [None, "s", None],
            "scenario_class": ["c", None, "c"],
            "trial": [0, None, 1],
            "status": ["won", None, "lost"],
            "attack_success": [True, True, True],
        }
    )
    one_of = "one of scored, error, timeout, skipped, cancelled, unparsed"
    assert faults_of(parquet_bytes(frame), "x.parquet") == [
        ("scenario_id", "a value in every row", "2 rows without one"),
        ("scenario_class", "a value in every row", "1 rows without one"),
        ("trial", "a value in every row", "1 rows without one"),
        ("status", "a value in every row", "1 rows without one"),
        ("status", one_of, "'lost'"),
        ("status", one_of, "'won'"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "first", "last"),
    [
        ("x.csv", HEADER + b"s\n" * 25, "line 2", "line 21"),
        ("x.csv", HEADER + b"s,c,x,scored,true\n" * 25, "row 1", "row 20"),
        ("x.jsonl", b"1\n" * 25, "line 1", "line 20"),
        ("x.csv", HEADER + b"".join(b"s,c,0,w%02d,true\n" % n for n in range(25)), "status", "status"),
    ],
)
def test_of_many_faults_the_first_twenty_are_told(name, content, first, last):
    faults = faults_of(content, name)
    assert (len(faults), faults[0][0], faults[-1][0]) == (20, first, last)


@pytest.mark.parametrize("name", FORMATS)
def test_a_label_that_is_none_is_told_in_80_characters(name):
    content = parquet_bytes(pl.DataFrame([row(attack_success="x" * 100)])) if name.endswith("parquet") else None
    frame = rows_of(content or ENCODERS[name]([row(attack_success="x" * 100)]), file=name)
    assert frame["label_fault"].to_list() == [("'" + "x" * 79) if name.endswith("jsonl") else "x" * 80]


@pytest.mark.parametrize(
    ("index", "expected"),
    [("0", 0), ("-7", -7), ("9" * 18, 10**18 - 1), ("9" * 19, 2**63 - 1), ("-" + "9" * 30, 2**63 - 1)],
)
def test_an_index_is_read_exactly_where_it_fits_and_never_in_range_where_it_does_not(index, expected):
    assert csv_rows(f"s,c,{index},scored,true")["trial"].to_list() == [expected]


def test_a_file_of_a_hundred_million_rows_is_read_and_no_longer_one():
    trial_rows._refuse_length(100_000_000, "x")
    with pytest.raises(UnreadableInput, match="x: expected at most 100000000 rows, seen 100000001 rows"):
        trial_rows._refuse_length(100_000_001, "x")
