"""Mutation testing: change one thing in the package, run the tests that reach it, see whether any turns red.

    python tools/mutants.py rule                      # one group; without a name all of them
    python tools/mutants.py rule --only decision      # modules whose path contains a word
    python tools/mutants.py --report                  # what is known so far

A test run is a fork of a process that has collected the tests, in which the changed function gets its new code; what a
function's code does not hold (tables, defaults, classes) is tried in a fork of a process that has imported everything
but litmus_nb, with one module replaced. Which tests reach a line is measured once by coverage; they run cheapest first
and stop at the first that fails. Results are kept
in build/mutants/ and taken up again; a mutant is known by module, function, and the changed expression, so that other
changes of the file do not matter. `equivalent_mutants.jsonl` lists survivors that change nothing anybody could see,
each with the reason.

mutmut 3 and cosmic-ray were looked at first. mutmut leaves out decorated functions and what is at module level, which
here are the validators, the properties and the tables; cosmic-ray starts a Python for each mutant, four seconds that a
fork does not need.
"""

from __future__ import annotations

import argparse
import ast
import collections
import copy
import dataclasses
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import json
import math
import os
import signal
import subprocess
import sys
import time
import types
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build/mutants"
EQUIVALENT = ROOT / "tools/equivalent_mutants.jsonl"

GROUPS = {
    "rule": (
        ("litmus_nb/rule",),
        (
            "tests/conformance",
            "tests/rule",
            "tests/twin",
            "tests/hostile/test_ledger.py",
            "tests/admission/test_ticket.py",
            "tests/admission/test_preflight.py",
        ),
    ),
    "stats": (
        (
            "litmus_nb/stats/bound.py",
            "litmus_nb/stats/bootstrap.py",
            "litmus_nb/stats/deltas.py",
            "litmus_nb/stats/agreement.py",
            "litmus_nb/stats/paired.py",
        ),
        ("tests/stats", "tests/rule", "tests/twin"),
    ),
    "reading": (
        (
            "litmus_nb/contracts/strict_json.py",
            "litmus_nb/contracts/strict_yaml.py",
            "litmus_nb/contracts/canonical.py",
            "litmus_nb/contracts/times.py",
            "litmus_nb/contracts/base.py",
            "litmus_nb/evidence/trial_rows.py",
            "litmus_nb/evidence/plain_csv.py",
            "litmus_nb/evidence/tally.py",
            "litmus_nb/evidence/runs.py",
            "litmus_nb/evidence/suite.py",
            "litmus_nb/evidence/load.py",
            "litmus_nb/evidence/trials_files.py",
            "litmus_nb/evidence/trial_chunks.py",
            "litmus_nb/evidence/chunked_tally.py",
            "litmus_nb/files.py",
        ),
        (
            "tests/hostile",
            "tests/contracts",
            "tests/evidence",
            "tests/conformance",
            "tests/rule",
            "tests/twin",
            "tests/scale",
        ),
    ),
    "counting": (
        ("litmus_nb/evidence/partial_counts.py", "litmus_nb/evidence/trial_runs.py"),
        ("tests/evidence", "tests/scale", "tests/twin"),
    ),
    "ledger": (("litmus_nb/ledger",), ("tests/ledger", "tests/cli", "tests/rule")),
    "attest": (("litmus_nb/attest",), ("tests/attest", "tests/cli")),
}
"""Group to what is mutated and which tests may kill it."""

PRELOADED = ("pytest", "hypothesis", "polars", "numpy", "scipy.special", "scipy.stats", "pydantic", "yaml", "rfc8785")
LEAST_TIMEOUT_S = 60
BUDGET_S = 4
"""How long the tests for a mutant may take at first; survivors are tried again with all that reach them by --again."""
MESSAGES = {"expected", "observed", "description", "help"}
"""Keyword arguments that hold words for people; changing a word changes no decision."""


# ---------------------------------------------------------------- what is changed


@dataclass(frozen=True)
class Mutant:
    module: str
    function: str
    line: int
    what: str
    """Before -> after, as source."""
    number: int
    """Which of equal changes in the function, from 0."""
    source: str

    @property
    def key(self):
        return f"{self.module}::{self.function}::{self.what}::{self.number}"


COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}


def changes_of(node, parent, field):
    """Every node that may stand in `node`'s place."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in COMPARISONS.get(type(node.ops[0]), ()):
            yield changed(node, ops=[other()])
    elif isinstance(node, ast.BoolOp):
        yield changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        for index in range(len(node.values)):
            kept = [value for place, value in enumerate(node.values) if place != index]
            yield kept[0] if len(kept) == 1 else changed(node, values=kept)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert, ast.USub)):
        yield node.operand
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield changed(node, op=OPERATORS[type(node.op)]())
    elif isinstance(node, ast.Constant):
        yield from changes_of_constant(node, parent)
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    elif isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in CALLS and isinstance(node.func, ast.Name):
            yield changed(node, func=ast.Name(CALLS[name], ast.Load()))
        for index, keyword in enumerate(node.keywords):
            if keyword.arg and keyword.arg not in MESSAGES:
                yield changed(node, keywords=[k for place, k in enumerate(node.keywords) if place != index])
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        for index, generator in enumerate(node.generators):
            if generator.ifs:
                generators = copy.deepcopy(node.generators)
                generators[index].ifs = []
                yield changed(node, generators=generators)


def changes_of_constant(node, parent):
    if node.value is True or node.value is False:
        yield ast.Constant(not node.value)
    elif isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        yield ast.Constant(node.value + 1)
        if node.value not in (0, 1):
            yield ast.Constant(node.value - 1)
    elif isinstance(node.value, str) and node.value:
        yield ast.Constant(node.value + "XX")


def changes_of_statement(node):
    """Every statement that may stand in `node`'s place."""
    if isinstance(node, ast.If):
        yield changed(node, test=ast.Constant(True))
        yield changed(node, test=ast.Constant(False))
    elif isinstance(node, ast.While):
        yield changed(node, test=ast.Constant(False))
    elif isinstance(node, ast.Return) and node.value is not None and not is_none(node.value):
        yield changed(node, value=ast.Constant(None))
    elif isinstance(node, (ast.Raise, ast.Continue, ast.Break, ast.AugAssign)) or (
        isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
    ):
        yield ast.Pass()


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def changed(node, **fields):
    result = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(result, name, value)
    return result


class Mutator:
    """Goes through a module and gives every mutant of it."""

    def __init__(self, path):
        self.path = path
        self.module = str(path.relative_to(ROOT))
        self.tree = ast.parse(path.read_text())
        self.seen = collections.Counter()

    def mutants(self):
        yield from self._in(self.tree, "")

    def _in(self, node, function):
        for field, value in ast.iter_fields(node):
            if self._is_left_alone(node, field):
                continue
            for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
                if not isinstance(child, ast.AST) or is_for_people(child):
                    continue
                inner = f"{function}.{child.name}".lstrip(".") if is_definition(child) else function
                for other in self._others(child, node, field):
                    yield self._mutant(node, field, index, child, other, inner)
                yield from self._in(child, inner)

    def _others(self, child, parent, field):
        if isinstance(child, ast.stmt):
            yield from changes_of_statement(child)
        elif isinstance(child, ast.expr):
            yield from changes_of(child, parent, field)

    @staticmethod
    def _is_left_alone(node, field):
        if field in ("annotation", "returns", "decorator_list", "bases", "keywords") and is_definition(node):
            return True
        if field == "annotation":
            return True
        is_all = isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets)
        return is_all and field == "value"

    def _mutant(self, parent, field, index, before, after, function):
        what = f"{first_line(before)} -> {first_line(after)}"
        number = self.seen[function, what]
        self.seen[function, what] += 1
        value = getattr(parent, field)
        if index is None:
            setattr(parent, field, after)
            source = ast.unparse(ast.fix_missing_locations(self.tree))
            setattr(parent, field, value)
        else:
            value[index] = after
            source = ast.unparse(ast.fix_missing_locations(self.tree))
            value[index] = before
        return Mutant(self.module, function, getattr(before, "lineno", 1), what, number, source)


def is_definition(node):
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))


def is_for_people(node):
    """Docstrings, f-strings, messages of exceptions, the words of a Fault, quoted type aliases, imports for types."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.keyword) and node.arg in MESSAGES:
        return True
    if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
        return True
    if isinstance(node, ast.Raise):
        return False
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        return name in ("Fault", "_fault", "_refused", "_Refused") or name.endswith(("Error", "Violation", "Unusable"))
    return isinstance(node, ast.Subscript) and getattr(node.value, "id", "") in ("Literal", "Annotated", "Callable")


def first_line(node):
    text = ast.unparse(node)
    return text.splitlines()[0][:160] if text else "pass"


# ---------------------------------------------------------------- which tests reach what


def coverage_of(group, tests, modules):
    """({module: {line: [tests]}}, {test: seconds}); measured once and kept."""
    kept = BUILD / f"coverage-{group}.json"
    if not kept.exists():
        measure(group, tests, kept)
    measured = json.loads(kept.read_text())
    return measured["lines"], measured["seconds"]


def measure(group, tests, kept):
    BUILD.mkdir(parents=True, exist_ok=True)
    settings, data, times = BUILD / "coveragerc", BUILD / f"coverage-{group}", BUILD / f"seconds-{group}.json"
    settings.write_text(f"[run]\nsource = litmus_nb\ndata_file = {data}\n")
    present = [test for test in tests if (ROOT / test).exists()]
    quick = ["-m", "not kernel and not slow and not browser"]
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest", "-q", *quick, *present]
    command += ["-p", "no:cacheprovider", "-p", "tools.item_contexts", f"--item-seconds={times}"]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        raise SystemExit("the tests are red before anything was changed")
    import coverage

    found = coverage.CoverageData(str(data))
    found.read()
    lines = {}
    for file in found.measured_files():
        by_line = found.contexts_by_lineno(file)
        lines[str(Path(file).relative_to(ROOT))] = {
            line: sorted(context for context in contexts if context) for line, contexts in by_line.items()
        }
    kept.write_text(json.dumps({"lines": lines, "seconds": json.loads(times.read_text())}))


def reaching(mutant, lines, seconds, budget=math.inf):
    """Node ids, cheapest first, for so many seconds. What runs at import is reached by every test of the module."""
    of_module = lines.get(mutant.module, {})
    contexts = set(of_module.get(str(mutant.line), ()))
    if not contexts:
        contexts = {context for tests in of_module.values() for context in tests}
    nodes, cost = [], 0.0
    for context in sorted(contexts, key=lambda context: (seconds.get(context, 1.0), context)):
        cost += seconds.get(context, 1.0)
        if nodes and cost > budget:
            break
        nodes.append(context)
    return nodes, cost


# ---------------------------------------------------------------- running


class OneModuleChanged(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the mutant's source where its module is imported."""

    def __init__(self, mutant):
        self.name = module_name(mutant)
        self.mutant = mutant

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        file = str(ROOT / self.mutant.module)
        is_package = self.mutant.module.endswith("__init__.py")
        return importlib.util.spec_from_loader(name, self, origin=file, is_package=is_package)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__file__ = str(ROOT / self.mutant.module)
        exec(compile(self.mutant.source, module.__file__, "exec"), module.__dict__)  # noqa: S102 - the mutant


def outcome_of(mutant, nodes, timeout):
    """killed, timeout, survived, or untested; with the whole module replaced."""
    return outcome_of_fork(lambda: run_in_child(mutant, nodes), timeout) if nodes else "untested"


def outcome_of_fork(run, timeout):
    child = os.fork()
    if child == 0:
        run()
    deadline = time.monotonic() + timeout
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            return "survived" if code == 0 else "killed"
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "timeout"
        time.sleep(0.02)


# What was imported before the fork cannot have its asserts rewritten, and need not.
OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts="]
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]


def in_child(run):
    """End this fork with what `run`, given a folder of its own, returns."""
    import shutil

    code, base = 70, BUILD / f"tmp-{os.getpid()}"
    try:
        os.setsid()
        silence()
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        sys.dont_write_bytecode = True
        code = run(base)
    finally:
        shutil.rmtree(base, ignore_errors=True)
        os._exit(code)


def silence():
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def run_in_child(mutant, nodes):
    import pytest

    sys.meta_path.insert(0, OneModuleChanged(mutant))
    in_child(lambda base: int(pytest.main([*OPTIONS, f"--basetemp={base}", *nodes])))


class Collected:
    """Tests that are collected once; a mutant's are run in a fork, where the changed function has its new code."""

    def __init__(self, nodes):
        import _pytest.config
        import _pytest.main

        files = sorted({node.partition("::")[0] for node in nodes})
        threads = os.listdir("/proc/self/task")
        said = os.dup(1)
        silence()
        self.config = _pytest.config._prepareconfig([*OPTIONS, "-s", *files])
        self.session = _pytest.main.Session.from_config(self.config)
        self.config._do_configure()
        self.config.hook.pytest_sessionstart(session=self.session)
        self.config.hook.pytest_collection(session=self.session)
        os.dup2(said, 1)
        os.dup2(said, 2)
        if not set(os.listdir("/proc/self/task")) <= set(threads):
            raise SystemExit("collecting the tests started threads, whose locks a fork would wait for")
        self.items = {item.nodeid: item for item in self.session.items}
        if absent := [node for node in nodes if node not in self.items]:
            raise SystemExit(f"tests that were there when coverage was measured are not: {absent[:5]}")

    def outcome_of(self, replaced, nodes, timeout):
        """killed, timeout or survived; `replaced` is [(function, its new code)]."""
        return outcome_of_fork(lambda: in_child(lambda base: self._failed(replaced, nodes, base)), timeout)

    def _failed(self, replaced, nodes, base):
        for function, code in replaced:
            function.__code__ = code
        self.config._tmp_path_factory._given_basetemp = base
        self.session.items = [self.items[node] for node in nodes]
        self.session.testscollected = len(self.session.items)
        try:
            self.config.hook.pytest_runtestloop(session=self.session)
        except BaseException:  # -x ends the session by an exception
            return 1
        return 1 if self.session.testsfailed else 0


def codes_by_name(code, names):
    """{qualified name: [function code]} of the outermost functions of a module."""
    for constant in code.co_consts:
        if is_class_body(constant):
            codes_by_name(constant, names)
        elif isinstance(constant, types.CodeType):
            names[constant.co_qualname].append(constant)
    return names


def bare(code):
    """What runs at import, without the functions' code and without places."""
    inner = [
        bare(constant) if is_class_body(constant) else getattr(constant, "co_qualname", repr(constant))
        for constant in code.co_consts
    ]
    return code.co_code, inner, code.co_names


def is_class_body(constant):
    return isinstance(constant, types.CodeType) and {"__module__", "__qualname__"} <= set(constant.co_names)


def new_codes(mutant, original):
    """{qualified name: new code} of the functions that a mutant changes; empty where it changes something else too."""
    before, after = (compile(source, mutant.module, "exec") for source in (original, mutant.source))
    if bare(before) != bare(after):
        return {}
    was = codes_by_name(before, collections.defaultdict(list))
    now = codes_by_name(after, collections.defaultdict(list))
    differing = [name for name in now if [same(code) for code in now[name]] != [same(code) for code in was[name]]]
    return {name: now[name][0] for name in differing} if all(len(now[name]) == 1 for name in differing) else {}


def live_functions(mutant, codes):
    """[(function, its new code)] of every function of the module that has one of the names; empty where one differs."""
    name = module_name(mutant)
    live = [
        (function, codes[function.__code__.co_qualname])
        for function in gc.get_objects()
        if isinstance(function, types.FunctionType)
        and function.__globals__.get("__name__") == name
        and function.__code__.co_qualname in codes
    ]
    return live if all(function.__code__.co_freevars == code.co_freevars for function, code in live) else []


def same(code):
    """A function's code without places, so that two of the same meaning are equal."""
    inner = [same(c) if isinstance(c, types.CodeType) else (type(c), repr(c)) for c in code.co_consts]
    return code.co_code, inner, code.co_names, code.co_varnames, code.co_freevars, code.co_exceptiontable


def module_name(mutant):
    return mutant.module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def preload():
    sys.path.insert(0, str(ROOT))
    for name in PRELOADED:
        importlib.import_module(name)


def known_results(group):
    path = BUILD / f"results-{group}.jsonl"
    if not path.exists():
        return {}
    return {row["key"]: row for row in map(json.loads, path.read_text().splitlines())}


def equivalent():
    if not EQUIVALENT.exists():
        return {}
    return {row["key"]: row["why"] for row in map(json.loads, EQUIVALENT.read_text().splitlines())}


def modules_of(paths, only):
    for path in paths:
        whole = ROOT / path
        for file in sorted(whole.rglob("*.py")) if whole.is_dir() else [whole]:
            if only in str(file) and file.exists():
                yield file


def work(group, only, again, share, whole):
    """Try every mutant of a group that is not known yet; `share` is (which, of how many) processes.

    First what needs a process without litmus_nb, then, once the tests are collected, all the rest.
    """
    paths, tests = GROUPS[group]
    lines, seconds = coverage_of(group, tests, paths)
    preload()
    left = []
    for file in modules_of(paths, only):
        original, is_checked = ast.unparse(ast.parse(file.read_text())), False
        for mutant in untried(group, file, again, share):
            codes = {} if whole else new_codes(mutant, original)
            nodes, cost = reaching(mutant, lines, seconds, math.inf if again else BUDGET_S)
            if codes:
                left.append((mutant, codes, nodes, cost))
                continue
            if not is_checked:
                refuse_if_nothing_survives(file, lines, seconds)
                is_checked = True
            keep(group, mutant, outcome_of(mutant, nodes, LEAST_TIMEOUT_S + 10 * cost))
    if left:
        try_collected(group, left)


def try_collected(group, left):
    every = sorted({node for _, _, nodes, _ in left for node in nodes})
    collected = Collected(every)
    if collected.outcome_of([], every[:: max(1, len(every) // 40)], 600) != "survived":
        raise SystemExit("the tests are red though nothing was changed")
    nowhere = 0
    for mutant, codes, nodes, cost in left:
        replaced = live_functions(mutant, codes)
        if nodes and not replaced:
            nowhere += 1
            continue
        outcome = collected.outcome_of(replaced, nodes, LEAST_TIMEOUT_S + 10 * cost) if nodes else "untested"
        keep(group, mutant, outcome)
    if nowhere:
        say(f"{nowhere} mutants change functions that are nowhere to be found: `--again --whole` tries them")


def untried(group, file, again, share):
    results, skipped = known_results(group), equivalent()
    for number, mutant in enumerate(Mutator(file).mutants()):
        if number % share[1] != share[0] or mutant.key in skipped:
            continue
        before = results.get(mutant.key)
        if before is None or (again and before["outcome"] != "killed"):
            yield mutant


def keep(group, mutant, outcome):
    row = {"key": mutant.key, "line": mutant.line, "outcome": outcome}
    with (BUILD / f"results-{group}.jsonl").open("a") as kept:
        kept.write(json.dumps(row) + "\n")
    if outcome != "killed":
        say(f"{outcome}: {mutant.module}:{mutant.line} {mutant.function}: {mutant.what}")


def refuse_if_nothing_survives(file, lines, seconds):
    """A module that was not changed must not be killed: otherwise everything that follows would be a lie."""
    first = next(iter(Mutator(file).mutants()), None)
    if first is None:
        return
    unchanged = dataclasses.replace(first, source=file.read_text())
    nodes, cost = reaching(unchanged, lines, seconds)
    if nodes and outcome_of(unchanged, nodes[:50], LEAST_TIMEOUT_S + 10 * cost) != "survived":
        raise SystemExit(f"{file}: its tests are red though nothing was changed")


def report(groups, only):
    skipped = equivalent()
    for group in groups:
        results = known_results(group)
        counts = collections.Counter()
        for file in modules_of(GROUPS[group][0], only):
            for mutant in Mutator(file).mutants():
                if mutant.key in skipped:
                    counts["equivalent"] += 1
                    continue
                outcome = results.get(mutant.key, {}).get("outcome", "not tried")
                counts[outcome] += 1
                if outcome in ("survived", "untested"):
                    say(f"  {outcome}: {mutant.module}:{mutant.line} {mutant.function}: {mutant.what} #{mutant.number}")
        tried = counts["killed"] + counts["timeout"] + counts["survived"] + counts["untested"]
        score = 100 * (counts["killed"] + counts["timeout"]) / tried if tried else 0.0
        say(f"{group}: {score:.1f} % of {tried} mutants killed; {dict(counts)}")


def say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", choices=[[], *GROUPS], default=[])
    parser.add_argument("--only", default="", help="modules whose path contains this")
    parser.add_argument("--again", action="store_true", help="try survivors again")
    parser.add_argument("--whole", action="store_true", help="replace the whole module, slow but always possible")
    parser.add_argument("--share", default="0/1", help="which part of the work, such as 0/2")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--count", action="store_true")
    arguments = parser.parse_args()
    groups = arguments.groups or list(GROUPS)
    if arguments.count:
        for group in groups:
            files = list(modules_of(GROUPS[group][0], arguments.only))
            say(f"{group}: {sum(1 for file in files for _ in Mutator(file).mutants())} mutants in {len(files)} modules")
        return
    if not arguments.report:
        part, parts = map(int, arguments.share.split("/"))
        for group in groups:
            work(group, arguments.only, arguments.again, (part, parts), arguments.whole)
    report(groups, arguments.only)


if __name__ == "__main__":
    main()
