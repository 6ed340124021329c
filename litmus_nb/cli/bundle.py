"""`litmus-nb bundle`: verdict, report and evidence in one archive from which another machine decides the same."""

from __future__ import annotations

from pathlib import Path

import click

from litmus_nb.attest.bundle import pack_bundle
from litmus_nb.cli.decisions import params_argument, usable
from litmus_nb.cli.requests import override_option
from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.errors import UsageError
from litmus_nb.files import read_bytes

__all__ = ["command"]


@click.command()
@params_argument
@override_option
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The archive [default: OUTPUT_DIR/bundle.tar].")
def command(params: Path, override: tuple[tuple[str, str], ...], *, output: Path | None) -> None:
    """Pack a gate that has run: verdict, statement, report, suite, gate, both runs and ledger.

    The same files give the same bytes on every machine. `litmus-nb check FILE.tar --trust-bundle` decides again
    from it.

    \b
    Example:  litmus-nb gate params/demo.yaml && litmus-nb bundle params/demo.yaml -o demo.tar
    Exit:     0 packed   2 usage, or a file is missing; no archive is left
    """
    asked = usable(params, override).params
    target = output or Path(asked.output_dir) / "bundle.tar"
    if target.suffix != ".tar":
        raise UsageError(f"--output: expected a name that ends in .tar, by which `check` knows a bundle; seen {target}")
    names = pack_bundle(asked, target)
    click.echo(f"{target}: {len(names)} files, {digest_of_bytes(read_bytes(target))}")
