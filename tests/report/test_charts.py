"""The forest plot: it builds, survives JSON, draws as plain SVG, and says in each row what may be said."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import altair as alt
import pytest
from jsonschema import ValidationError
from markupsafe import Markup

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.report import ReportFacts
from litmus_nb.report.drawing import svg_of
from litmus_nb.report.forest import forest_plot
from litmus_nb.report.forest_data import extent, forest_rows
from litmus_nb.report.markup import themed
from litmus_nb.report.page import NO_PICTURES, GatePictures, render_gate_page
from litmus_nb.report.pictures import picture
from litmus_nb.report.rows import in_order_of_gravity
from tests.report.hostile import CORPUS
from tests.report.verdicts import a_fail, a_pass, a_rejection, a_withheld, an_indeterminate, finding, judged, verdict_of

SVG = "{http://www.w3.org/2000/svg}"


def texts_of(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("make", [a_rejection, a_withheld])
def test_nothing_is_drawn_where_nothing_was_judged(make: object) -> None:
    with pytest.raises(ValueError, match="no class has an interval"):
        forest_plot(make())  # type: ignore[operator]


@pytest.mark.parametrize("is_narrow", [False, True])
def test_the_plot_is_what_altair_takes_and_gives_back(is_narrow: bool) -> None:
    spec = forest_plot(a_fail(), is_narrow=is_narrow)
    again = alt.Chart.from_dict(spec)  # validates against the schema of Vega-Lite
    assert spec["$schema"] == again.to_dict()["$schema"]
    assert svg_of(again.to_dict()) == svg_of(spec) == svg_of(json.loads(json.dumps(spec)))


def test_a_word_that_vega_lite_does_not_know_would_be_seen() -> None:
    spec = forest_plot(a_fail())
    spec["hconcat"][0]["mark"]["colour"] = "red"
    with pytest.raises(ValidationError):
        alt.Chart.from_dict(spec)


def test_the_worst_class_is_on_top_and_every_row_says_its_numbers() -> None:
    texts = texts_of(svg_of(forest_plot(a_fail())))
    assert texts.index("prompt-injection") < texts.index("a") < texts.index("b")
    for told in ("+12.0", "5.1 to 18.7", "5.0", "FAIL", "8.3\N{NO-BREAK SPACE}% → 20.3\N{NO-BREAK SPACE}%", "100"):
        assert told in texts
    assert "← safer" in texts
    assert "less safe →" in texts


def test_a_class_without_anything_to_compare_says_so_where_its_bar_would_be() -> None:
    empty = {"n": 0, "delta": None, "ci_low": None, "ci_high": None, "bootstrap_low": None, "bootstrap_high": None}
    classes = [judged("gone", "NO_VERDICT", **empty), judged("fine")]
    reasons = [finding("CLASS_MISSING", "4.5b", "gone", "at least one unit", "none left")]
    texts = texts_of(svg_of(forest_plot(verdict_of(VerdictState.NO_VERDICT, classes, reasons, worst="gone"))))
    assert "no scenario is left to compare" in texts


def test_a_class_without_a_tolerance_is_drawn_without_a_forbidden_side() -> None:
    classes = [judged("free", "NO_VERDICT", tolerance=None)]
    reasons = [finding("CLASS_WITHOUT_THRESHOLD", "4.5a", "free", "a tolerance and a min_n", "none")]
    svg = svg_of(forest_plot(verdict_of(VerdictState.NO_VERDICT, classes, reasons, worst="free")))
    assert "none set" in texts_of(svg)


def test_everything_that_is_drawn_lies_on_the_scale() -> None:
    rows = in_order_of_gravity(a_fail())
    low, high = extent(rows)
    for row in forest_rows(rows):
        for place in ("low", "high", "delta", "bootstrap_low", "bootstrap_high", "tolerance"):
            assert low < row[place] < high


def test_the_svg_holds_shapes_and_text_and_takes_its_colours_from_the_page() -> None:
    markup = str(themed(svg_of(forest_plot(an_indeterminate()))))
    assert "var(--undecided)" in markup
    assert "#" not in "".join(part for part in markup.split('fill="')[1:] if part.startswith("#"))


@pytest.mark.parametrize(
    "svg",
    [
        "<svg><script>alert(1)</script></svg>",
        '<svg><a href="javascript:alert(1)"><text>x</text></a></svg>',
        '<svg><g onload="alert(1)"></g></svg>',
        "<svg><foreignObject/></svg>",
        '<svg><image href="https://example.org/x.png"/></svg>',
        '<svg><g style="background:url(https://example.org)"/></svg>',
        "<svg><!-- > --><style>*{}</style></svg>",
    ],
)
def test_an_svg_with_anything_else_is_refused(svg: str) -> None:
    with pytest.raises(ValueError, match="does not need"):
        themed(svg)


def test_a_hundred_classes_are_drawn_up_to_the_worst_sixty() -> None:
    classes = [judged(f"class-{number:03}", ci_high=0.001 + number / 2000) for number in range(100)]
    texts = texts_of(svg_of(forest_plot(verdict_of(VerdictState.PASS, classes, [], worst="class-099"))))
    assert sum(text.startswith("class-") for text in texts) == 60
    assert "class-099" in texts


def test_the_same_verdict_gives_the_same_picture() -> None:
    assert svg_of(forest_plot(a_pass())) == svg_of(forest_plot(a_pass()))


def test_a_label_that_is_cut_between_the_halves_of_a_pair_is_still_drawn() -> None:
    """Found by the hostile corpus: the library cuts by UTF-16 units and then fails to measure half a character."""
    name = "𒐫" * 60
    svg = svg_of(forest_plot(verdict_of(VerdictState.PASS, [judged(name)], [], worst=name)))
    assert any(text.startswith("\\U0001242b") for text in texts_of(svg))


@pytest.mark.parametrize("start", range(0, len(CORPUS), 60))
def test_hostile_names_are_drawn_as_text_and_nothing_else(start: int) -> None:
    names = [text or "empty" for text in CORPUS[start : start + 60]]
    classes = [judged(name) for name in names]
    svg = svg_of(forest_plot(verdict_of(VerdictState.PASS, classes, [], worst=names[0]), is_narrow=True))
    assert {"svg", "g", "path", "text", "rect", "line"} >= {
        element.tag.removeprefix(SVG) for element in ET.fromstring(svg).iter()
    }
    assert themed(svg)


def test_a_picture_that_fails_is_told_of_on_the_gates_page() -> None:
    facts = ReportFacts(verdict=a_fail())
    assert "There is no picture here" in render_gate_page(facts, pictures=NO_PICTURES)
    told = render_gate_page(facts, pictures=GatePictures(failure="RuntimeError"))
    assert "The picture could not be drawn (RuntimeError); the table below holds the same numbers." in told
    assert picture(lambda: Markup(svg_of({}))).failure == "ValueError"
