"""`litmus-nb sweep SWEEP.yaml`: many gates on a cluster, one matrix."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from litmus_nb.contracts.codes import VerdictState
from litmus_nb.contracts.sweep import CellResult
from litmus_nb.errors import UsageError
from litmus_nb.report.text import safe_text

__all__ = ["command"]


@click.command()
@click.argument("sweep", type=click.Path(path_type=Path))
@click.option("--workers", default=2, show_default=True, type=click.IntRange(min=1), help="Of the local cluster.")
@click.option("--scheduler", metavar="ADDRESS", help="A dask scheduler elsewhere, such as tcp://host:8786.")
@click.option("--json", "as_json", is_flag=True, help="Print sweep.json instead of a table.")
@click.pass_context
def command(ctx: click.Context, sweep: Path, workers: int, scheduler: str | None, *, as_json: bool) -> None:
    """Gate many candidates against many gates, each in a process and a kernel of its own.

    Cells that an earlier sweep finished are not run again while their evidence is the same. The matrix is open only if
    every cell is there and PASS.

    \b
    Example:  litmus-nb sweep nightly.yaml --workers 8
    Exit:     0 every cell PASS   1 a FAIL   2 usage   3 a REJECTED   4 a NO_VERDICT or an absent cell
    """
    try:
        from litmus_nb.sweep.run import read_sweep, run_sweep
    except ModuleNotFoundError as error:
        needed = "pip install 'litmus-nb[sweep]'"
        raise UsageError(f"sweeps need the extra `sweep`: {needed} ({error.name} is not installed)") from error
    asked = read_sweep(sweep)
    matrix = run_sweep(
        asked,
        as_of=datetime.now(UTC).date(),
        workers=workers,
        scheduler=scheduler,
        told=lambda result, done, total: click.echo(f"  {done}/{total}  {_line(result)}", err=True),
    )
    if as_json:
        click.echo(matrix.model_dump_json(indent=2))
    else:
        for result in matrix.cells:
            click.echo(_line(result))
        click.echo(
            f"\n{matrix.state.value}: {sum(c.state is VerdictState.PASS for c in matrix.cells)} of "
            f"{len(matrix.cells)} cells PASS; index.html and sweep.json in {safe_text(asked.output)}"
        )
    ctx.exit(matrix.state.exit_code)


def _line(result: CellResult) -> str:
    state = result.state.value if result.state else "ABSENT"
    why = safe_text(result.problem) if result.problem else " ".join(result.codes)
    return f"{state:<11} {result.name}  {why}".rstrip()
