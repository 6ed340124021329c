"""`litmus-nb doctor`: what this machine has, what it lacks, and what each is for."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from litmus_nb._version import __version__
from litmus_nb.cli.plain import printable
from litmus_nb.files import replace_file
from litmus_nb.shipped import shipped_path

__all__ = ["command"]

_GATE_PACKAGES = (
    *("polars", "numpy", "scipy", "pydantic", "papermill", "nbclient", "ipykernel"),
    *("altair", "vl-convert-python", "jinja2", "rich"),
)
_OPTIONAL = {
    "inspect-ai": ("inspect", "read Inspect's logs (.eval)"),
    "cryptography": ("attest", "verify attestations"),
    "securesystemslib": ("attest", "sign attestations"),
    "sigstore": ("keyless", "sign without a key"),
    "distributed": ("sweep", "sweep many gates on a cluster"),
    "apprise": ("notify", "tell people"),
    "jupyterlab": ("lab", "open the notebooks (in an environment of its own)"),
    "anywidget": ("lab", "draw interactive charts in JupyterLab"),
}
_PROGRAMS = {
    "bwrap": "measure and run sandboxes (bubblewrap)",
    "ip": "measure what a sandbox's network reaches (iproute2)",
    "git": "keep ledger and gate file under version control",
    "chromium": "look at pages in tests",
}
_STATES = ("missing", "declared", "measured")
_SHADOWING = ("statsmodels", "polars", "numpy", "scipy", "pandas", "altair", "papermill", "litmus_nb")


@dataclass(frozen=True)
class Found:
    """One thing that was looked at."""

    what: str
    state: str
    """ok, missing (the gate needs it), absent (something else needs it), warning."""
    detail: str


@click.command()
@click.argument("gate", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@click.pass_context
def command(ctx: click.Context, gate: Path | None, *, as_json: bool) -> None:
    """Look at this machine; or, with GATE (a gate.yaml), at that gate.

    Of the machine: what the gate needs, what other commands need, what could mislead. Of a gate: what is measured, what
    is only declared and what is missing, the cheapest to mend first.

    \b
    Example:  litmus-nb doctor
              litmus-nb doctor gate.yaml
    Exit:     0 everything that the gate needs is here   2 there is no such gate   4 something of it is missing
    """
    if gate is not None:
        ctx.exit(_look_at_gate(gate, as_json=as_json))
    found = [result for check in CHECKS for result in check()]
    if as_json:
        click.echo(json.dumps([asdict(result) for result in found], indent=2))
    else:
        click.echo(_table(found))
    ctx.exit(4 if any(result.state == "missing" for result in found) else 0)


def _look_at_gate(gate: Path, *, as_json: bool) -> int:
    # Deferred: reading a gate's evidence needs polars, which the look at a machine must not.
    from litmus_nb.scaffold.standing import standing_of

    standing = standing_of(gate)
    if as_json:
        click.echo(json.dumps([asdict(one) | {"cost": one.cost.words} for one in standing], indent=2))
    else:
        counts = {state: sum(one.state == state for one in standing) for state in ("measured", "declared", "missing")}
        click.echo(
            f"{gate}: {counts['measured']} measured, {counts['declared']} only declared, {counts['missing']} missing\n"
        )
        for one in sorted(standing, key=lambda one: (_STATES.index(one.state), one.cost)):
            click.echo(printable(f"  {one.state:8}  {one.what}: {one.detail}", 400))
            if one.state != "measured" and one.to_do:
                click.echo(printable(f"            {one.cost.words}: {one.to_do}", 400))
    return 4 if any(one.state == "missing" for one in standing) else 0


def _table(found: list[Found]) -> str:
    order = {"missing": 0, "warning": 1, "ok": 2, "absent": 3}
    longest = max(len(result.what) for result in found)
    lines = [
        f"  {result.state:8} {result.what:{longest}}  {result.detail}"
        for result in sorted(found, key=lambda result: order[result.state])
    ]
    missing = sum(result.state == "missing" for result in found)
    verdict = (
        f"{missing} thing(s) that the gate needs are missing" if missing else "everything that the gate needs is here"
    )
    return "\n".join([f"litmus-nb {__version__}: {verdict}", "", *lines])


def check_python() -> Iterator[Found]:
    """The interpreter."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    is_enough = sys.version_info >= (3, 11)
    yield Found("python", "ok" if is_enough else "missing", f"{version} at {sys.executable}; 3.11 or later is needed")


def check_packages() -> Iterator[Found]:
    """What the gate imports, and what extras would add."""
    for name in _GATE_PACKAGES:
        version = _version(name)
        yield Found(name, "ok" if version else "missing", version or "pip install litmus-nb")
    for name, (extra, purpose) in _OPTIONAL.items():
        version = _version(name)
        detail = f"{version}: {purpose}" if version else f"to {purpose}: pip install 'litmus-nb[{extra}]'"
        yield Found(name, "ok" if version else "absent", detail)


def check_charts() -> Iterator[Found]:
    """Whether a chart can be drawn here at all."""
    try:
        import vl_convert

        svg = vl_convert.vega_to_svg({"width": 10, "height": 10, "marks": [{"type": "rect"}]})
        yield Found("charts", "ok" if "<svg" in svg else "warning", "SVG is drawn in this process, offline")
    except Exception as error:
        yield Found(
            "charts", "warning", f"cannot be drawn; reports show tables instead ({type(error).__name__}: {error})"
        )


def check_notebooks() -> Iterator[Found]:
    """Whether the notebooks that the gate runs are part of this installation, and the pinned ones."""
    from litmus_nb.shipped.notebooks import UntrustedNotebook, pinned_sources

    try:
        pinned_sources("notebooks/gate.ipynb")
        yield Found("gate.ipynb", "ok", str(shipped_path("notebooks/gate.ipynb")))
    except (UntrustedNotebook, FileNotFoundError) as error:
        yield Found("gate.ipynb", "missing", str(error))


def check_programs() -> Iterator[Found]:
    """Programs outside Python; the gate itself needs none."""
    for name, purpose in _PROGRAMS.items():
        path = shutil.which(name)
        yield Found(name, "ok" if path else "absent", f"{path}: {purpose}" if path else f"to {purpose}")


def check_lab_is_apart() -> Iterator[Found]:
    """JupyterLab in the gate's environment makes every start about two seconds slower."""
    if importlib.util.find_spec("jupyterlab") and importlib.util.find_spec("rfc3987_syntax"):
        yield Found("environment", "warning", "JupyterLab is in it: every start is slower; give it its own (make lab)")


def check_misleading() -> Iterator[Found]:
    """What in this shell could change what Python runs. `gate` guards its kernel against it; raw papermill does not."""
    for variable in ("PYTHONOPTIMIZE", "PYTHONPATH", "PYTHONSTARTUP"):
        if os.environ.get(variable):
            yield Found(variable, "warning", "is set; raw papermill would heed it, `litmus-nb gate` does not")
    for name in _SHADOWING:
        if Path(f"{name}.py").exists():
            yield Found(f"{name}.py", "warning", "in this folder it shadows the package under raw papermill")
    if sys.getfilesystemencoding().lower().replace("-", "") != "utf8":
        yield Found("encoding", "warning", f"file names are {sys.getfilesystemencoding()}, not UTF-8")


def check_disk() -> Iterator[Found]:
    """Whether a file can be replaced whole in this folder, which every verdict needs."""
    try:
        with tempfile.TemporaryDirectory(dir=".", prefix=".doctor-") as folder:
            replace_file(Path(folder) / "probe", b"whole or not at all")
        yield Found("this folder", "ok", "files are replaced whole")
    except OSError as error:
        yield Found("this folder", "warning", f"cannot be written: {error}; give the gate another output_dir")


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


CHECKS: tuple[Callable[[], Iterator[Found]], ...] = (
    check_python,
    check_packages,
    check_charts,
    check_notebooks,
    check_programs,
    check_lab_is_apart,
    check_misleading,
    check_disk,
)
