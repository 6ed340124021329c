"""The house: who may import whom, who may open files, who may read the clock. Read from the syntax tree, nothing run.

Deferred imports, imports for types only and modules named in `import_module("..")` count like any other.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "litmus_nb"

FLOORS: list[set[str]] = [
    {"errors", "_version"},
    {"contracts", "files"},
    {"stats"},
    {"evidence", "rule", "drift", "shipped"},
    {"report", "ledger", "attest", "envelope", "worlds", "exploration"},
    {"outcome", "scaffold"},
    {"driver", "face", "incidents", "inspect"},
    {"sweep"},
    {"cli"},
]
"""From the ground up. A room imports rooms of lower floors and its own modules; rooms of one floor know nothing of each
other. A new room gets its place here."""

FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

ONLY = {
    "stats": set(),
    "report": {"contracts", "errors", "files", "_version"},
}
"""Rooms that may import less than their floor allows: stats knows arrays, and a page cannot recompute a number."""

DECIDES = {"errors", "contracts", "stats", "rule", "drift", "exploration"}
"""Rooms that open no files."""

HAS_A_CLOCK = {"driver", "cli", "inspect"}
"""Rooms that read the time."""

IS_ITS_OWN_DRIVER = {"litmus_nb.face.gate_notebook"}
"""Under raw papermill nobody else is there to say which day it is."""

FRONT_DOOR = {"__init__", "__main__"}
"""The package's own names; they may point anywhere, and nothing inside may come in through them."""

FILE_CALLS = {
    *("open", "read_bytes", "read_text", "write_bytes", "write_text", "touch", "mkdir", "rmdir", "unlink", "rename"),
    *("exists", "is_file", "is_dir", "iterdir", "glob", "rglob", "stat", "symlink_to", "samefile", "read_csv"),
    *("scan_csv", "read_ndjson", "scan_ndjson", "read_parquet", "scan_parquet", "write_parquet", "write_csv"),
}
FILE_MODULES = {
    "os",
    "shutil",
    "tempfile",
    "io",
    "pathlib",
    "glob",
    "fileinput",
    "mmap",
    "zipfile",
    "tarfile",
    "sqlite3",
}
FILE_MODULES |= {"litmus_nb.files", "subprocess", "socket", "urllib", "http"}

CLOCK_CALLS = {"now", "today", "utcnow", "time_ns", "localtime", "gmtime"}
CHANCE_MODULES = {"random", "secrets", "uuid"}


def modules() -> dict[str, ast.Module]:
    """Dotted name to syntax tree, of every module."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ["litmus_nb", *path.relative_to(PACKAGE).with_suffix("").parts]
        if "_shipped" in parts:
            continue
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


MODULES = modules()


def room_of(module: str) -> str:
    """The folder or file right below the package."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module that the tree names in an import, whole or as `package.name`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__"):
                yield str(node.args[0].value)


def own_imports(module: str) -> set[str]:
    """The modules of this package that a module imports; a name is taken back to the module that has it."""
    found = set()
    for name in imported(MODULES[module]):
        if name == "litmus_nb" or name.startswith("litmus_nb."):
            while name not in MODULES and name != "litmus_nb":
                name = name.rpartition(".")[0]
            found.add(name)
    return found - {module}


INSIDE = [module for module in MODULES if room_of(module) not in FRONT_DOOR]


def test_there_are_modules_to_look_at():
    assert len(INSIDE) > 50


def test_every_room_has_a_floor():
    assert {room_of(module) for module in INSIDE} <= set(FLOOR_OF)


@pytest.mark.parametrize("module", INSIDE)
def test_imports_go_down(module):
    room = room_of(module)
    allowed = ONLY.get(room, {other for other, floor in FLOOR_OF.items() if floor < FLOOR_OF[room]}) | {room}
    reached = {name: room_of(name) for name in own_imports(module)}
    assert {name for name, other in reached.items() if other not in allowed} == set()


def test_no_module_imports_itself_by_a_detour():
    graph = {module: own_imports(module) for module in MODULES if room_of(module) not in FRONT_DOOR}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as cycle:
        pytest.fail(" -> ".join(cycle.args[1]))


@pytest.mark.parametrize("module", [module for module in INSIDE if room_of(module) in DECIDES])
def test_what_decides_opens_no_files(module):
    named = {
        name for name in imported(MODULES[module]) if any(name == m or name.startswith(m + ".") for m in FILE_MODULES)
    }
    assert named == set()
    called = {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in ast.walk(MODULES[module])
        if isinstance(node, ast.Call)
    }
    assert called & FILE_CALLS == set()


@pytest.mark.parametrize("module", [module for module in INSIDE if room_of(module) not in HAS_A_CLOCK])
def test_the_time_is_passed_in(module):
    tree = MODULES[module]
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    read = {called.attr for called in calls if isinstance(called, ast.Attribute)} & CLOCK_CALLS
    assert read == ({"now"} if module in IS_ITS_OWN_DRIVER else set())
    assert not {"time.time", "time.time_ns"} & set(imported(tree))
    assert not any(
        isinstance(node, ast.Attribute) and node.attr == "time" and getattr(node.value, "id", "") == "time"
        for node in ast.walk(tree)
    )


@pytest.mark.parametrize("module", [module for module in INSIDE if FLOOR_OF[room_of(module)] <= FLOOR_OF["rule"]])
def test_decisions_leave_nothing_to_chance(module):
    assert {name.split(".")[0] for name in imported(MODULES[module])} & CHANCE_MODULES == set()


HEAVY = {"scipy", "pandas", "polars", "altair", "papermill", "statsmodels", "nbclient", "nbformat", "rich"}


@pytest.mark.parametrize(
    "module", ["litmus_nb", "litmus_nb.contracts.schemas", "litmus_nb.evidence.load", "litmus_nb.cli"]
)
def test_the_front_of_the_house_is_light(module):
    program = f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) & HEAVY == set()


def test_the_bound_is_light():
    program = "import sys, litmus_nb.stats.bound; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) & (HEAVY | {"pydantic"}) == set()


def test_hidden_imports_are_seen():
    hidden = """
if TYPE_CHECKING:
    from litmus_nb.rule import decision
def f():
    import litmus_nb.evidence.load
    importlib.import_module("litmus_nb.driver.run")
"""
    assert set(imported(ast.parse(hidden))) == {
        "litmus_nb.rule.decision",
        "litmus_nb.evidence.load",
        "litmus_nb.driver.run",
    }


def test_the_map_shows_every_room_on_its_floor() -> None:
    text = (PACKAGE.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:3] for line in text.splitlines() if re.match(r"\| [0-9] \|", line)]
    shown = [set(re.findall(r"`(\w+)/?`", rooms)) for _, rooms in rows]
    assert [floor - {"_version"} for floor in [FLOORS[0] | FLOORS[1], *FLOORS[2:]]] == shown
