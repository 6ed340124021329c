"""Tables and charts of the bench's results."""

from __future__ import annotations

from pathlib import Path

import altair as alt
import polars as pl
from scipy import stats

from benchmarks.calibration.truths import CLEAR_REGRESSION

OURS = "litmus_nb"
OURS_EXACT = "litmus_nb interval: exact"
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
# The same truth in every chart of single-trial methods: the one that the slow methods were asked about as well.
SINGLE = (pl.col("trials") == 1) & (pl.col("family_size") == 1)
_TRUTH = SINGLE & (pl.col("tolerance") == 0.05) & (pl.col("baseline_rate") == 0.1)
CHARTED, CALM = (_TRUTH & (pl.col("reverse_rate") == reverse) for reverse in (0.05, 0.0))


def above_nominal(results: pl.DataFrame, replicates: int) -> pl.DataFrame:
    """Our cells with a rate of wrong decisions above (1 - c)/2, and the one-sided binomial p-value where simulated."""
    ours = results.filter(
        pl.col("method").is_in([OURS, OURS_EXACT])
        & pl.col("question").is_in(["false_pass", "false_fail"])
        & (pl.col("rate") > LEVEL)
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


def exact_against_default(results: pl.DataFrame) -> pl.DataFrame:
    """`interval: exact` beside the default over all single-trial cells, by n: worst wrong, mean right decisions."""
    single = results.filter(SINGLE & pl.col("method").is_in([OURS, OURS_EXACT]))
    wide = single.with_columns(
        pl.when(pl.col("method") == OURS).then(pl.lit("default")).otherwise(pl.lit("exact")).alias("interval")
    ).pivot("question", index=["n", "interval", "baseline_rate", "reverse_rate", "tolerance"], values="rate")
    return (
        wide.group_by("n", "interval")
        .agg(
            pl.col("false_pass").max().round(4).alias("worst false pass"),
            pl.col("false_fail").max().round(4).alias("worst false fail"),
            pl.col("power_pass").mean().round(4).alias("mean power_pass"),
            pl.col("power_fail").mean().round(4).alias("mean power_fail"),
        )
        .sort("n", "interval")
    )


def at_equal_validity(results: pl.DataFrame) -> pl.DataFrame:
    """Each method's worst false-pass rate over all its single-trial cells, and its power under the charted truth."""
    single = results.filter(SINGLE)
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


def false_pass_chart(results: pl.DataFrame) -> alt.HConcatChart:
    """How often each method passes a candidate that is exactly a tolerance worse, against n, for two truths."""
    panels = [
        _lines(results, truth, "false_pass", f"{changed:.0%} of scenarios get better, {changed + 0.05:.0%} worse")
        for changed, truth in ((0.0, CALM), (0.05, CHARTED))
    ]
    return alt.hconcat(*panels).properties(
        title=alt.Title(
            "How often a regression of exactly the tolerance passes",
            subtitle=(
                "P(PASS) where the true regression is the tolerance: 5 points, single trial, baseline rate 10 %. "
                "Dashed: 2.5 %, what 95 % confidence promises."
            ),
        )
    )


def power_chart(results: pl.DataFrame) -> alt.HConcatChart:
    """How often each method decides rightly, among those whose worst false-pass rate is at most 2.75 %."""
    worst = results.filter(SINGLE & (pl.col("question") == "false_pass")).group_by("method")
    valid = worst.agg(pl.col("rate").max()).filter(pl.col("rate") <= 1.1 * LEVEL)["method"]
    kept = results.filter(pl.col("method").is_in(valid.implode()))
    return alt.hconcat(
        _lines(kept, CHARTED, "power_pass", "P(PASS) where as many get better as worse"),
        _lines(
            kept,
            CHARTED,
            "power_fail",
            f"P(FAIL) where the regression is {100 * CLEAR_REGRESSION:.0f} points above the tolerance",
        ),
    ).properties(
        title=alt.Title(
            "What it costs: right decisions of the methods that never exceed 2.75 % false passes",
            subtitle="Tolerance 5 points, single trial, baseline rate 10 %, 5 % of scenarios get better.",
        )
    )


def our_chart(results: pl.DataFrame) -> alt.LayerChart:
    """Our false-pass rate by n, trials and family size: the range over the truths, and the mean."""
    ours = results.filter((pl.col("method") == OURS) & (pl.col("question") == "false_pass")).with_columns(
        (pl.col("trials").cast(pl.String) + " x " + pl.col("family_size").cast(pl.String)).alias("kind")
    )
    rows = ours.group_by("n", "kind").agg(
        pl.col("rate").min().alias("low"), pl.col("rate").max().alias("high"), pl.col("rate").mean().alias("mean")
    )
    order = [f"{trials} x {family}" for trials in (1, 3, 10) for family in (1, 5, 20)]
    base = alt.Chart(alt.Data(values=rows.sort("n", "kind").to_dicts())).encode(
        x=alt.X("n:O", title="units in the class", axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("kind:N", sort=order),
        color=alt.Color("kind:N", sort=order, title="trials x family size", scale=alt.Scale(range=_NINE)),
    )
    ranges = base.mark_rule(strokeWidth=4, opacity=0.5).encode(
        y=alt.Y("low:Q", title="P(PASS), true regression = tolerance", axis=alt.Axis(format=".1%")), y2="high:Q"
    )
    means = base.mark_tick(thickness=2.5, width=7).encode(y="mean:Q")
    return (ranges + means + _promise()).properties(
        width=680,
        height=280,
        title=alt.Title(
            "litmus_nb: false passes over the whole grid, of 2.5 % allowed",
            subtitle="Bar: the range over truths; tick: their mean. All but 1 x 1 simulated, error 0.3 points.",
        ),
    )


_NINE = ["#08306b", "#2171b5", "#6baed6", "#00441b", "#238b45", "#74c476", "#7f2704", "#d94801", "#fd8d3c"]
_COLOURS = {
    OURS: "#0b3d91",
    OURS_EXACT: "#4292c6",
    "Tango score": "#1b9e77",
    "Agresti-Min": "#66a61e",
    "Wald": "#e6ab02",
    "scipy percentile bootstrap": "#d95f02",
    "scipy BCa bootstrap": "#a6761d",
    "statgate": "#e7298a",
    "evalproof": "#7570b3",
    "llm-evalgate": "#8c2d04",
    "exact McNemar": "#9e9ac8",
    "fixed 2 points": "#969696",
    "point rule": "#525252",
}


def _lines(results: pl.DataFrame, truth: pl.Expr, question: str, title: str) -> alt.LayerChart:
    chosen = results.filter(truth & (pl.col("question") == question) & (pl.col("n") >= 20)).with_columns(
        pl.when(pl.col("method") == OURS).then(4.0).otherwise(1.5).alias("width"),
        (pl.col("rate") - 1.96 * pl.col("standard_error")).clip(0, 1).alias("low"),
        (pl.col("rate") + 1.96 * pl.col("standard_error")).clip(0, 1).alias("high"),
    )
    columns = ["method", "n", "rate", "width", "low", "high"]
    base = alt.Chart(alt.Data(values=chosen.select(columns).sort("method", "n").to_dicts())).encode(
        x=alt.X("n:Q", title="scenarios in the class", scale=alt.Scale(type="log", domain=[18, 2200]), axis=_TICKS)
    )
    known = [method for method in _COLOURS if method in set(chosen["method"])]
    colour = alt.Color(
        "method:N",
        title=None,
        sort=known,
        scale=alt.Scale(domain=known, range=[_COLOURS[method] for method in known]),
        legend=alt.Legend(symbolLimit=20, symbolType="stroke", symbolStrokeWidth=3),
    )
    # The square root opens the few per cent where a promise is kept or broken, and keeps the rest in sight.
    scale = alt.Scale(type="sqrt", domain=[0, 1]) if question == "false_pass" else alt.Scale(domain=[0, 1])
    axis = alt.Axis(format=".3~p", values=[0, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0])
    line = base.mark_line(point=alt.OverlayMarkDef(size=25)).encode(
        y=alt.Y("rate:Q", title=None, axis=axis if question == "false_pass" else alt.Axis(format="%"), scale=scale),
        color=colour,
        strokeWidth=alt.StrokeWidth("width:Q", scale=None, legend=None),
        tooltip=["method:N", "n:Q", alt.Tooltip("rate:Q", format=".2%")],
    )
    bars = base.mark_rule(opacity=0.5).encode(y="low:Q", y2="high:Q", color=colour)
    layers = bars + line
    return (layers + _promise() if question == "false_pass" else layers).properties(width=380, height=320, title=title)


_TICKS = alt.Axis(values=[20, 40, 100, 300, 1000, 2000], format="d")


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
            f"{exceeding}\n\n## interval: exact\n\n"
            "Single trials of single scenarios, every cell by enumeration.\n\n"
            f"{exact_against_default(results)}\n\n## Each method\n\n{at_equal_validity(results)}\n\n"
            f"## Where ours is conservative: its false-pass rate, of 0.025 allowed\n\n{conservatism(results)}\n"
        )
    (output / "RESULTS.md").write_text(text)
