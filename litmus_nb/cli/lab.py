"""`litmus-nb lab`: JupyterLab on copies of the notebooks; the installed ones are never opened."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import click

from litmus_nb.errors import UsageError
from litmus_nb.shipped.copies import copy_shipped

__all__ = ["command"]


@click.command()
@click.argument("folder", default="litmus-lab", type=click.Path(path_type=Path, file_okay=False))
@click.option("--copy-only", is_flag=True, help="Copy the notebooks and the demo, and start nothing.")
@click.option("--no-browser", is_flag=True, help="Start JupyterLab without opening a browser.")
@click.option("--port", type=click.IntRange(1, 65535), help="Port of JupyterLab.")
@click.option("--jupyter", "words", multiple=True, metavar="WORD", help="Another word for JupyterLab; may be repeated.")
@click.pass_context
def command(
    ctx: click.Context, folder: Path, words: tuple[str, ...], *, copy_only: bool, no_browser: bool, port: int | None
) -> None:
    """Copy the notebooks and the demo into FOLDER and open JupyterLab there.

    What lies in FOLDER already is kept: a notebook that you changed is never overwritten. JupyterLab belongs in an
    environment of its own (`make lab`): in the gate's it doubles the time of every start.

    \b
    Example:  litmus-nb lab
              litmus-nb lab my-investigation --no-browser
              litmus-nb lab --jupyter --allow-root
    Exit:     JupyterLab's own, or 2 where JupyterLab is not installed
    """
    if not copy_only and importlib.util.find_spec("jupyterlab") is None:
        raise UsageError(
            "JupyterLab is not in this environment: pip install 'litmus-nb[lab]' in one of its own, or make lab"
        )
    copied, kept = copy_shipped(folder)
    click.echo(f"  {len(copied)} files copied to {folder}; {len(kept)} kept as they are", err=True)
    for path in kept:
        click.echo(f"  kept, and differs from the installed one: {path}", err=True)
    if copy_only:
        return
    started = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder.resolve()}", *words]
    started += ["--no-browser"] if no_browser else []
    started += [f"--port={port}"] if port else []
    if os.name == "posix":
        # In this process's place: a signal to us would otherwise leave JupyterLab behind.
        os.execv(sys.executable, started)  # noqa: S606 - our own words, no shell
    ctx.exit(subprocess.run(started, check=False).returncode)
