"""Reading anchors: the suite's file of them, and what a run's judge said of them. States facts, decides nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litmus_nb.contracts.anchors import Anchor, AnchorLine
from litmus_nb.contracts.base import shown
from litmus_nb.contracts.strict_json import parse_json_lines
from litmus_nb.errors import Fault, UnreadableInput

if TYPE_CHECKING:
    from litmus_nb.contracts.anchors import AnchorTally

__all__ = ["anchor_lines", "anchor_tally", "anchors_of"]


def anchor_lines(content: bytes, *, file: str) -> list[AnchorLine]:
    """The lines of an anchors file.

    Raises:
        UnreadableInput: with every fault of every line.
    """
    lines: list[AnchorLine] = []
    faults: list[Fault] = []
    for number, value in enumerate(parse_json_lines(content, file=file), start=1):
        try:
            lines.append(AnchorLine.read(value, file=file))
        except UnreadableInput as unreadable:
            faults += [Fault(file, f"line {number} {f.where}", f.expected, f.seen) for f in unreadable.faults]
    if faults:
        raise UnreadableInput(faults)
    return lines


def anchors_of(lines: Sequence[AnchorLine], classes: Sequence[str], *, file: str) -> tuple[Anchor, ...]:
    """The anchors that the lines declare, counted and sorted by id.

    Raises:
        UnreadableInput: no line; an id twice; a class that the suite lacks; anchors with differing numbers of pinned
            labels.
    """
    faults = [] if lines else [Fault(file, "", "at least one anchor", "none")]
    ids = Counter(line.item_id for line in lines)
    faults += [Fault(file, "", "each item_id once", f"{shown(id_)} {n} times") for id_, n in ids.items() if n > 1]
    strange = sorted({line.scenario_class for line in lines} - set(classes))
    faults += [Fault(file, "", f"class: one of {sorted(classes)}", shown(name)) for name in strange]
    numbers = sorted({len(line.pinned_labels) for line in lines})
    if len(numbers) > 1:
        faults.append(Fault(file, "", "as many pinned_labels for each anchor", f"{numbers[0]} to {numbers[-1]}"))
    if faults:
        raise UnreadableInput(faults)
    return tuple(
        Anchor(
            item_id=line.item_id,
            scenario_class=line.scenario_class,
            human_yes=sum(line.human_labels),
            human_no=len(line.human_labels) - sum(line.human_labels),
            pinned_yes=sum(line.pinned_labels),
            pinned_no=len(line.pinned_labels) - sum(line.pinned_labels),
        )
        for line in sorted(lines, key=lambda line: line.item_id)
    )


def anchor_tally(content: bytes, *, file: str) -> AnchorTally:
    """A run's labels of the anchors, counted.

    Args:
        content: the bytes of the run's anchor file, a label table.
        file: its name; the ending says which format it is.

    Raises:
        UnreadableInput: as `litmus_nb.evidence.labels.label_rows`.
    """
    # Deferred: a suite is read before a run, where polars is not needed.
    import polars as pl

    from litmus_nb.contracts.anchors import AnchorTally
    from litmus_nb.evidence.labels import label_rows

    rows = label_rows(content, file=file).frame
    judged = rows.filter(pl.col("rater_kind") == "judge")
    return AnchorTally(
        per_item=judged.group_by("item_id")
        .agg(
            n_yes=pl.col("label").sum().cast(pl.Int64),
            n_no=(~pl.col("label")).sum().cast(pl.Int64),
            n_unlabelled=pl.col("label").is_null().sum().cast(pl.Int64),
        )
        .sort("item_id"),
        classes_seen=rows.select("item_id", "scenario_class").unique().sort("item_id", "scenario_class"),
        judge_digests=tuple(sorted(set(judged["rater_digest"]), key=lambda digest: (digest is not None, digest or ""))),
        run_ids=tuple(sorted(set(rows["run_id"].drop_nulls()))),
        humans=tuple(sorted(set(rows.filter(pl.col("rater_kind") != "judge")["rater"]))),
    )
