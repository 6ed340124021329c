"""`litmus-nb attest`: sign what was decided, once it was decided again."""

from __future__ import annotations

from pathlib import Path

import click

from litmus_nb.attest.expectations import Expectations
from litmus_nb.cli.decisions import now
from litmus_nb.contracts.attestation import DSSE_ENVELOPE, KEYLESS_BUNDLE
from litmus_nb.errors import UsageError
from litmus_nb.evidence.load import read_params
from litmus_nb.files import replace_file

__all__ = ["command"]

_REFUSED = 1


@click.command()
@click.argument("verdict", type=click.Path(path_type=Path))
@click.option("--params", type=click.Path(path_type=Path), required=True, help="Where the evidence lies.")
@click.option(
    "--key", metavar="KEY", help="A PEM file, env:NAME, or a KMS key (awskms: gcpkms: azurekms: hv: hsm:). ECDSA P-256."
)
@click.option("--public-key", type=click.Path(path_type=Path), help="The public half (PEM) of a KMS key.")
@click.option("--keyless", is_flag=True, help="Sign with this CI job's identity by Sigstore; publishes the statement.")
@click.option("--valid-days", default=30, show_default=True, type=click.IntRange(min=1), help="Days until it expires.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    verdict: Path,
    params: Path,
    key: str | None,
    public_key: Path | None,
    keyless: bool,
    valid_days: int,
) -> None:
    """Sign a verdict as an in-toto statement, after deciding again from the evidence.

    Nothing is signed that does not follow from the evidence at hand. Run it in a job that the candidate's code and the
    notebook never touch: a key in the gate's own environment is a key in the kernel's.

    \b
    Example:  litmus-nb attest reports/demo/verdict.json --params params/demo.yaml --key env:GATE_KEY
    Exit:     0 signed   1 the verdict does not follow from the evidence; nothing was signed   2 usage
    """
    if (key is None) == (not keyless):
        raise UsageError("expected one of --key and --keyless")
    # Deferred: extras, which nothing but signing needs.
    from litmus_nb.attest.sign import statement_to_sign

    made = statement_to_sign(verdict, read_params(params), Expectations(present=now()), valid_days=valid_days)
    for refusal in made.refusals:
        click.echo(f"litmus-nb: {refusal}", err=True)
    if made.statement is None:
        click.echo("litmus-nb: nothing was signed", err=True)
        ctx.exit(_REFUSED)
    target = verdict.with_name(KEYLESS_BUNDLE if keyless else DSSE_ENVELOPE)
    replace_file(target, _signed(made.statement, key, public_key))
    click.echo(f"signed: {target}")


def _signed(statement: bytes, key: str | None, public_key: Path | None) -> bytes:
    try:
        if key is None:
            from litmus_nb.attest.keyless import keyless_bundle

            return keyless_bundle(statement)
        from litmus_nb.attest.signing import signed_envelope, signer_for

        return signed_envelope(statement, signer_for(key, public_key))
    except ImportError as error:
        extra = "keyless" if key is None else "attest"
        raise UsageError(f"signing needs litmus-nb[{extra}]: {error}") from error
