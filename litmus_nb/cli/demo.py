"""`litmus-nb demo`: the embedded demo, put into a folder of the caller's and gated there."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from litmus_nb.cli.gate import command as gate_command
from litmus_nb.errors import UsageError
from litmus_nb.shipped import shipped_path

__all__ = ["command"]

_PARTS = ("data/demo", "data/judge-drift-demo", "params")
SCENES = {
    "demo": "PASS",
    "demo-regressed": "FAIL",
    "demo-renamed": "REJECTED",
    "demo-timeouts": "NO_VERDICT",
}


@click.command()
@click.argument("scene", default="demo", type=click.Choice(list(SCENES)))
@click.pass_context
def command(ctx: click.Context, scene: str) -> None:
    """Copy the demo's suite, runs and params into this folder and gate them.

    The scenes are demo (PASS), demo-regressed (FAIL), demo-renamed (REJECTED) and demo-timeouts (NO_VERDICT). Files
    that are there already are kept if they are the same, and never overwritten.

    \b
    Example:  litmus-nb demo
              litmus-nb demo demo-regressed
    Exit:     0 PASS   1 FAIL   2 usage   3 REJECTED   4 NO_VERDICT
    """
    for part in _PARTS:
        _copy(shipped_path(part), Path(part))
    click.echo(f"  the demo lies in data/demo and params; this is: litmus-nb gate params/{scene}.yaml", err=True)
    ctx.invoke(gate_command, params=Path("params") / f"{scene}.yaml")


def _copy(source: Path, target: Path) -> None:
    files = [path for path in sorted(source.rglob("*")) if path.is_file()]
    differing = [
        str(target / path.relative_to(source))
        for path in files
        if (there := target / path.relative_to(source)).exists() and there.read_bytes() != path.read_bytes()
    ]
    if differing:
        raise UsageError(
            f"other files than the demo's are in the way ({', '.join(differing[:3])}); run the demo in an empty folder"
        )
    for path in files:
        there = target / path.relative_to(source)
        if not there.exists():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, there)
