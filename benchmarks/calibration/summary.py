"""Tables and charts of the bench's results."""

from __future__ import annotations

from pathlib import Path

import altair as alt
import polars as pl
from scipy import stats

from benchmarks.calibration.truths import CLEAR_REGRESSION

OURS = "litmus_nb"
LEVEL = 0.025
SHOWN = (
    "n",
    "baseline_rate",
    "reverse_rate",
    "trials",
    "family_size",
    "tolerance",
    "question",
    "rate",
    "standard_error",
)
QUESTIONS = ("false_pass", "false_fail", "power_pass", "power_fail")
# The same truth in every chart of single-trial methods: the one that the slow methods were asked about as well.
CHARTED = (pl.col("trials") == 1) & (pl.col("family_size") == 1) & (pl.col("tolerance") == 0.05)
CHARTED &= (pl.col("baseline_rate") == 0.1) & (pl.col("reverse_rate") == 0.05)


def above_nominal(results: pl.DataFrame, replicates: int) -> pl.DataFrame:
    """Our cells with a rate of wrong decisions above (1 - c)/2, and the one-sided binomial p-value where simulated."""
    ours = results.filter(
        (pl.col("method") == OURS) & pl.col("question").is_in(["false_pass", "false_fail"]) & (pl.col("rate") > LEVEL)
    )
    p = [
        0.0 if exact else float(stats.binom.sf(round(rate * replicates) - 1, replicates, LEVEL))
        for rate, exact in ours.select("rate", "exact").iter_rows()
    ]
    return ours.select(*SHOWN, "exact").with_columns(pl.Series("p_value", p, dtype=pl.Float64)).sort("p_value")


def conservatism(results: pl.DataFrame) -> pl.DataFrame:
    """Our false-pass rate, mean and worst over the truths, by n, trials and family size."""
    wrong = results.filter((pl.col("method") == OURS) & (pl.col("question") == "false_pass"))
    return (
        wrong.group_by("trials", "family_size", "n")
        .agg(pl.col("rate").mean().round(4).alias("mean"), pl.col("rate").max().round(4).alias("worst"))
        .sort("trials", "family_size", "n")
    )


def at_equal_validity(results: pl.DataFrame) -> pl.DataFrame:
    """Each method's worst false-pass rate over all its single-trial cells, and its power under the charted truth."""
    single = results.filter((pl.col("trials") == 1) & (pl.col("family_size") == 1))
    worst = single.filter(pl.col("question") == "false_pass").group_by("method", "version", "nominal")
    worst = worst.agg(pl.col("rate").max().alias("worst false pass"), pl.len().alias("cells"))
    power = single.filter(CHARTED & (pl.col("n").is_in([100, 300, 1000])))
    wide = power.filter(pl.col("question").is_in(["power_pass", "power_fail"])).with_columns(
        (pl.col("question") + " n=" + pl.col("n").cast(pl.String)).alias("column")
    )
    columns = [f"{question} n={n}" for question in ("power_pass", "power_fail") for n in (100, 300, 1000)]
    pivoted = wide.sort("n").pivot("column", index="method", values="rate")
    found = worst.join(pivoted, on="method", how="left").sort("worst false pass")
    known = [column for column in columns if column in found.columns]
    return found.select("method", "version", "nominal", "cells", "worst false pass", *known)


def false_pass_chart(results: pl.DataFrame) -> alt.LayerChart:
    """How often each method passes a candidate that is exactly a tolerance worse, against n."""
    return _lines(results, "false_pass", "P(PASS) when the true regression is the tolerance").properties(
        title=alt.Title(
            "How often a regression of exactly the tolerance passes",
            subtitle=(
                "Tolerance 5 points, single trial, baseline rate 10 %, 5 % of scenarios get better. "
                "Dashed: 2.5 %, what 95 % confidence promises."
            ),
        )
    )


def power_chart(results: pl.DataFrame) -> alt.HConcatChart:
    """How often each method decides rightly, among those whose worst false-pass rate is at most 2.75 %."""
    worst = results.filter(
        (pl.col("trials") == 1) & (pl.col("family_size") == 1) & (pl.col("question") == "false_pass")
    )
    valid = worst.group_by("method").agg(pl.col("rate").max()).filter(pl.col("rate") <= 1.1 * LEVEL)["method"]
    kept = results.filter(pl.col("method").is_in(valid.implode()))
    clear = f"P(FAIL) when it is tolerance + {CLEAR_REGRESSION:.0%}"
    return alt.hconcat(
        _lines(kept, "power_pass", "P(PASS) when nothing changed on the whole"), _lines(kept, "power_fail", clear)
    ).properties(
        title=alt.Title(
            "What it costs: right decisions of the methods that keep their promise in every cell",
            subtitle="Same truth as above. Kept: a worst false-pass rate over the grid of at most 2.75 %.",
        )
    )


def our_chart(results: pl.DataFrame) -> alt.LayerChart:
    """Our false-pass rate in every cell: a point each, by n, coloured by trials and family size."""
    ours = results.filter((pl.col("method") == OURS) & (pl.col("question") == "false_pass")).with_columns(
        (pl.col("trials").cast(pl.String) + " trials, families of " + pl.col("family_size").cast(pl.String)).alias(
            "kind"
        )
    )
    points = (
        alt.Chart(alt.Data(values=ours.select("n", "rate", "kind", "tolerance").to_dicts()))
        .mark_circle(size=28, opacity=0.55)
        .encode(
            x=alt.X("n:O", title="units in the class"),
            xOffset=alt.XOffset("kind:N"),
            y=alt.Y("rate:Q", title="P(PASS | regression = tolerance)", axis=alt.Axis(format="%")),
            color=alt.Color("kind:N", title=None),
            tooltip=["n:O", "kind:N", alt.Tooltip("rate:Q", format=".2%"), alt.Tooltip("tolerance:Q", format=".0%")],
        )
    )
    return (points + _promise()).properties(
        width=640, height=300, title="litmus_nb: the false-pass rate of every cell of the grid"
    )


def _lines(results: pl.DataFrame, question: str, title: str) -> alt.LayerChart:
    chosen = results.filter(CHARTED & (pl.col("question") == question) & (pl.col("n") >= 20)).with_columns(
        pl.when(pl.col("method") == OURS).then(3.5).otherwise(1.4).alias("width"),
        (pl.col("rate") - 1.96 * pl.col("standard_error")).clip(0, 1).alias("low"),
        (pl.col("rate") + 1.96 * pl.col("standard_error")).clip(0, 1).alias("high"),
    )
    columns = ["method", "n", "rate", "width", "low", "high"]
    base = alt.Chart(alt.Data(values=chosen.select(columns).to_dicts())).encode(
        x=alt.X("n:Q", title="scenarios in the class", scale=alt.Scale(type="log", domain=[18, 2200]), axis=_TICKS)
    )
    colour = alt.Color("method:N", title=None, scale=alt.Scale(scheme="tableau20"), legend=alt.Legend(symbolLimit=20))
    line = base.mark_line(point=alt.OverlayMarkDef(size=25)).encode(
        y=alt.Y("rate:Q", title=title, axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
        color=colour,
        strokeWidth=alt.StrokeWidth("width:Q", scale=None, legend=None),
        tooltip=["method:N", "n:Q", alt.Tooltip("rate:Q", format=".2%")],
    )
    bars = base.mark_rule(opacity=0.5).encode(y="low:Q", y2="high:Q", color=colour)
    layers = bars + line
    return (layers + _promise() if question == "false_pass" else layers).properties(width=420, height=320)


_TICKS = alt.Axis(values=[20, 40, 100, 300, 1000, 2000])


def _promise() -> alt.Chart:
    return alt.Chart(alt.Data(values=[{"level": LEVEL}])).mark_rule(strokeDash=[5, 4], color="#444").encode(y="level:Q")


def write(results: pl.DataFrame, output: Path, replicates: int) -> None:
    """The charts as SVG and the tables as Markdown, beside the results."""
    for name, chart in {
        "false-pass.svg": false_pass_chart(results),
        "power.svg": power_chart(results),
        "ours.svg": our_chart(results),
    }.items():
        chart.save(output / name)
    with pl.Config(
        tbl_formatting="ASCII_MARKDOWN",
        tbl_hide_dataframe_shape=True,
        tbl_hide_column_data_types=True,
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_width_chars=400,
        fmt_str_lengths=60,
        float_precision=4,
    ):
        exceeding = above_nominal(results, replicates)
        ours = results.filter(pl.col("method") == OURS, pl.col("question").is_in(["false_pass", "false_fail"]))
        text = (
            "# What the bench found\n\nWritten by `python -m benchmarks.calibration.run`.\n\n"
            f"{ours.height} rates of wrong decisions of ours, {ours['exact'].sum()} of them exact. "
            f"Largest exact one: {ours.filter('exact')['rate'].max():.4f}. "
            f"Above 0.025: {exceeding.height}, with these one-sided binomial p-values (an exact one would have 0; "
            f"of {ours.filter(~pl.col('exact')).height} simulated ones, one in 1,000 is below 0.001 by chance):\n\n"
            f"{exceeding}\n\n## Each method\n\n{at_equal_validity(results)}\n\n"
            f"## Where ours is conservative: its false-pass rate, of 0.025 allowed\n\n{conservatism(results)}\n"
        )
    (output / "RESULTS.md").write_text(text)
