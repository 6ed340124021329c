"""Section 4, the numbers: per class, paired deltas of units and what can be said about their mean."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import polars as pl

from litmus_nb.contracts.evidence import RunEvidence
from litmus_nb.contracts.gate import IntervalName
from litmus_nb.rule.eligibility import Eligible
from litmus_nb.rule.finding import exact
from litmus_nb.rule.population import Population
from litmus_nb.stats.agreement import mean_pair_agreement
from litmus_nb.stats.bootstrap import percentile_bootstrap
from litmus_nb.stats.bound import gaffke_bounds
from litmus_nb.stats.deltas import LARGEST_EXACT_N, DeltaCounts, noise_floor

__all__ = ["ClassComparison", "Comparison", "compare"]

_DECIMALS = 9
"""To how many decimals an interval is rounded before anything is compared with it (4.3)."""


@dataclass(frozen=True)
class Side:
    """One side of one class."""

    rate: Fraction | None
    """Attack success rate, the mean over the counted units; None where there is none."""
    unknown_trials: int
    """Declared trials without a label, quarantined scenarios included."""
    agreement: Fraction | None
    """Share of declared trial pairs that agree, the mean over scenarios; None where it is undefined."""
    declared_trials: int
    is_deterministic: bool


@dataclass(frozen=True)
class Interval:
    """An interval of a delta, rounded to 9 decimals."""

    low: float
    high: float


@dataclass(frozen=True)
class ClassComparison:
    """The numbers of one class. Nothing here says what they mean for the gate."""

    name: str
    n: int
    """Units with a scenario that is not quarantined, scored on both sides."""
    n_quarantined: int
    """Scenarios in quarantine."""
    candidate: Side
    baseline: Side
    delta: Fraction | None
    """Mean delta over the n units; None where n is 0. Positive is worse."""
    bounds: Interval | None
    """The bound of 4.3 over all units of the class; None where n is 0 or the gate's interval is not for this class."""
    unfit_for_exact: str | None
    """Why the exact interval that the gate asks for is not for this class; None where nothing stands against it."""
    bootstrap: Interval | None
    """The plain percentile bootstrap over the n units; decides nothing."""
    noise_floor: float | None

    @property
    def half_width(self) -> Fraction | None:
        """Half of what lies between the bounds as they are written; None where there are none."""
        return None if self.bounds is None else (exact(self.bounds.high) - exact(self.bounds.low)) / 2


@dataclass(frozen=True)
class Comparison:
    """Candidate against baseline, class by class. Only `compare` makes one."""

    eligible: Eligible
    classes: tuple[ClassComparison, ...]
    """Every class of the suite, by name."""
    mean_delta: Fraction | None
    """Mean over all counted units of all classes; advisory (4.7)."""

    @property
    def frame(self) -> pl.DataFrame:
        """The comparison as a table, a row per class; undefined numbers are null."""
        return pl.DataFrame([_as_row(compared) for compared in self.classes], schema=_FRAME_SCHEMA)


_FRAME_SCHEMA = {
    "name": pl.String,
    "n": pl.Int64,
    "n_quarantined": pl.Int64,
    "candidate_rate": pl.Float64,
    "baseline_rate": pl.Float64,
    "delta": pl.Float64,
    "ci_low": pl.Float64,
    "ci_high": pl.Float64,
    "bootstrap_low": pl.Float64,
    "bootstrap_high": pl.Float64,
    "noise_floor": pl.Float64,
    "agreement_candidate": pl.Float64,
    "agreement_baseline": pl.Float64,
    "unknown_candidate": pl.Int64,
    "unknown_baseline": pl.Int64,
}


class Pattern(NamedTuple):
    """What became of one scenario on both sides; scenarios of equal pattern are interchangeable."""

    is_quarantined: bool
    candidate_scored: int
    candidate_success: int
    baseline_scored: int
    baseline_success: int


class Unit(NamedTuple):
    """One unit's exact numbers. The first three are None where the unit does not count towards n."""

    delta: Fraction | None
    candidate_rate: Fraction | None
    baseline_rate: Fraction | None
    upper_delta: Fraction
    lower_delta: Fraction
    scenarios: int


def compare(eligible: Eligible) -> Comparison:
    """The paired comparison of every class of the suite, by sections 4.1 to 4.4 and 4.6."""
    paired = _paired(eligible.candidate_population, eligible.baseline_population)
    units = _units(eligible, paired)
    names = sorted(eligible.admitted.suite.file.classes)
    counted = [(unit.delta, times) for name in names for unit, times in units[name].items() if unit.delta is not None]
    return Comparison(
        eligible=eligible,
        classes=tuple(_compared(eligible, name, units[name]) for name in names),
        mean_delta=_mean(counted),
    )


def _paired(candidate: Population, baseline: Population) -> pl.DataFrame:
    """Both sides of each declared scenario in one row, with the unit it belongs to."""
    outcome = ["scenario_id", "n_scored", "n_success"]
    return candidate.scenarios.join(
        baseline.scenarios.select(outcome), on="scenario_id", suffix="_baseline", validate="1:1"
    )


def _units(eligible: Eligible, paired: pl.DataFrame) -> dict[str, Counter[Unit]]:
    """Per class, how many units have which numbers."""
    if eligible.admitted.gate.quarantine.policy == "exclude":
        paired = paired.filter(~pl.col("is_quarantined"))
    pattern = ["is_quarantined", "n_scored", "n_success", "n_scored_baseline", "n_success_baseline"]
    by_class: dict[str, Counter[Unit]] = defaultdict(Counter)
    arithmetic = _UnitArithmetic(
        eligible.candidate_population.declared_trials, eligible.baseline_population.declared_trials
    )
    alone = paired.filter(pl.col("family").is_null()).group_by("scenario_class", *pattern).len()
    for name, *fields, times in alone.iter_rows():
        by_class[name][arithmetic.unit((Pattern(*fields),))] += times
    families = paired.filter(pl.col("family").is_not_null())
    members: dict[tuple[str, str], list[Pattern]] = defaultdict(list)
    for name, family, *fields in families.select("scenario_class", "family", *pattern).iter_rows():
        members[name, family].append(Pattern(*fields))
    for (name, _), patterns in members.items():
        by_class[name][arithmetic.unit(tuple(sorted(patterns)))] += 1
    return by_class


class _UnitArithmetic:
    """Exact deltas of units (4.1, 4.2, 4.6), each distinct composition computed once."""

    def __init__(self, candidate_trials: int, baseline_trials: int) -> None:
        self._candidate_trials = candidate_trials
        self._baseline_trials = baseline_trials
        self._known: dict[tuple[Pattern, ...], Unit] = {}

    def unit(self, patterns: tuple[Pattern, ...]) -> Unit:
        """The unit that scenarios of these patterns make."""
        if patterns not in self._known:
            self._known[patterns] = self._computed(patterns)
        return self._known[patterns]

    def _computed(self, patterns: tuple[Pattern, ...]) -> Unit:
        evidence = [p for p in patterns if not p.is_quarantined and p.candidate_scored and p.baseline_scored]
        rates = [
            (Fraction(p.candidate_success, p.candidate_scored), Fraction(p.baseline_success, p.baseline_scored))
            for p in evidence
        ]
        return Unit(
            delta=_mean_of([candidate - baseline for candidate, baseline in rates]),
            candidate_rate=_mean_of([candidate for candidate, _ in rates]),
            baseline_rate=_mean_of([baseline for _, baseline in rates]),
            upper_delta=sum((self._upper(p) for p in patterns), Fraction()) / len(patterns),
            lower_delta=sum((self._lower(p) for p in patterns), Fraction()) / len(patterns),
            scenarios=len(patterns),
        )

    def _upper(self, pattern: Pattern) -> Fraction:
        """Unknown trials count against the candidate, and so does a quarantine."""
        unknown = self._candidate_trials - pattern.candidate_scored
        worst = Fraction(pattern.candidate_success + unknown, self._candidate_trials)
        return (Fraction(1) if pattern.is_quarantined else worst) - Fraction(
            pattern.baseline_success, self._baseline_trials
        )

    def _lower(self, pattern: Pattern) -> Fraction:
        """Unknown trials count for the candidate; a quarantined scenario is taken as measured."""
        unknown = self._baseline_trials - pattern.baseline_scored
        return Fraction(pattern.candidate_success, self._candidate_trials) - Fraction(
            pattern.baseline_success + unknown, self._baseline_trials
        )


def _compared(eligible: Eligible, name: str, units: Counter[Unit]) -> ClassComparison:
    deltas = [(unit.delta, times) for unit, times in units.items() if unit.delta is not None]
    n = sum(times for _, times in deltas)
    in_class = pl.col("scenario_class") == name
    quarantined = eligible.candidate_population.scenarios.filter(in_class & pl.col("is_quarantined"))
    counts = _counts(deltas) if n else None
    admitted = eligible.admitted
    gate, confidence = admitted.gate, admitted.gate.confidence
    unfit = _unfit_for_exact(eligible, units) if gate.interval == "exact" else None
    return ClassComparison(
        name=name,
        n=n,
        n_quarantined=len(quarantined),
        candidate=_side(
            admitted.candidate,
            eligible.candidate_population.scenarios.filter(in_class),
            [(unit.candidate_rate, times) for unit, times in units.items()],
        ),
        baseline=_side(
            eligible.baseline,
            eligible.baseline_population.scenarios.filter(in_class),
            [(unit.baseline_rate, times) for unit, times in units.items()],
        ),
        delta=_mean(deltas),
        bounds=_bounds(units, confidence, gate.interval) if n and unfit is None else None,
        unfit_for_exact=unfit,
        bootstrap=_bootstrap(counts, confidence) if counts else None,
        noise_floor=round(noise_floor(counts), _DECIMALS) if counts else None,
    )


def _side(run: RunEvidence, scenarios: pl.DataFrame, rates: list[tuple[Fraction | None, int]]) -> Side:
    """One side of a class, of which `scenarios` are its declared ones and `rates` its units'."""
    declared = run.declaration
    evidence = scenarios.filter(~pl.col("is_quarantined"))
    return Side(
        rate=_mean([(rate, times) for rate, times in rates if rate is not None]),
        unknown_trials=int(scenarios["n_unknown"].sum()),
        agreement=mean_pair_agreement(
            evidence["n_success"].to_numpy(),
            (evidence["n_scored"] - evidence["n_success"]).to_numpy(),
            declared.trials_per_scenario,
        ),
        declared_trials=declared.trials_per_scenario,
        is_deterministic=declared.deterministic,
    )


def _unfit_for_exact(eligible: Eligible, units: Counter[Unit]) -> str | None:
    """What of the class's design, never of its outcomes, makes deltas other than -1, 0 and 1 possible, or too many."""
    if units.total() > LARGEST_EXACT_N:
        return f"{units.total()} units"
    if any(unit.scenarios > 1 for unit in units):
        return "families of several scenarios"
    sides = (
        ("candidate", eligible.admitted.candidate, eligible.candidate_population),
        ("baseline", eligible.baseline, eligible.baseline_population),
    )
    for name, run, population in sides:
        # Attested deterministic, its trials agree and none is unknown (3.11): as many as there are say what one does.
        if population.declared_trials > 1 and not run.declaration.deterministic:
            return f"{population.declared_trials} trials a scenario of the {name}, not attested deterministic"
    return None


def _bounds(units: Counter[Unit], confidence: float, interval: IntervalName) -> Interval:
    upper = _counts([(unit.upper_delta, times) for unit, times in units.items()])
    lower = _counts([(unit.lower_delta, times) for unit, times in units.items()])
    if interval == "exact":
        # Deferred: it needs scipy, and most gates do not ask for it.
        from litmus_nb.stats.exact import exact_bounds

        bounds = exact_bounds(upper, lower, confidence)
    else:
        bounds = gaffke_bounds(upper, lower, confidence)
    return Interval(round(bounds.low, _DECIMALS), round(bounds.high, _DECIMALS))


def _bootstrap(counts: DeltaCounts, confidence: float) -> Interval:
    interval = percentile_bootstrap(counts, confidence)
    return Interval(round(interval.low, _DECIMALS), round(interval.high, _DECIMALS))


def _counts(weighted: list[tuple[Fraction, int]]) -> DeltaCounts:
    return DeltaCounts.of([float(value) for value, _ in weighted], [times for _, times in weighted])


def _mean(weighted: list[tuple[Fraction, int]]) -> Fraction | None:
    total = sum(times for _, times in weighted)
    return sum((value * times for value, times in weighted), Fraction()) / total if total else None


def _mean_of(values: list[Fraction]) -> Fraction | None:
    return sum(values, Fraction()) / len(values) if values else None


def _as_row(compared: ClassComparison) -> dict[str, object]:
    return {
        "name": compared.name,
        "n": compared.n,
        "n_quarantined": compared.n_quarantined,
        "candidate_rate": rounded(compared.candidate.rate),
        "baseline_rate": rounded(compared.baseline.rate),
        "delta": rounded(compared.delta),
        "ci_low": compared.bounds.low if compared.bounds else None,
        "ci_high": compared.bounds.high if compared.bounds else None,
        "bootstrap_low": compared.bootstrap.low if compared.bootstrap else None,
        "bootstrap_high": compared.bootstrap.high if compared.bootstrap else None,
        "noise_floor": compared.noise_floor,
        "agreement_candidate": rounded(compared.candidate.agreement),
        "agreement_baseline": rounded(compared.baseline.agreement),
        "unknown_candidate": compared.candidate.unknown_trials,
        "unknown_baseline": compared.baseline.unknown_trials,
    }


def rounded(value: Fraction | None) -> float | None:
    """An exact number as it is written: rounded to 9 decimals, null where undefined."""
    return None if value is None else float(round(value, _DECIMALS))
