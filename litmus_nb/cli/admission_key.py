"""`litmus-nb admission-key FILE`: the key that admission tickets are signed with."""

from __future__ import annotations

import os
from pathlib import Path

import click

from litmus_nb.contracts.signature import new_private_key, public_key_of
from litmus_nb.errors import UsageError
from litmus_nb.files import read_bytes

__all__ = ["KEY_VARIABLE", "command", "key_option", "private_key_at"]

KEY_VARIABLE = "LITMUS_NB_ADMISSION_KEY"

key_option = click.option(
    "--key",
    type=click.Path(path_type=Path),
    envvar=KEY_VARIABLE,
    help=f"The private key that tickets are signed with. [env: {KEY_VARIABLE}]",
)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Make a private key, readable by you alone, and say the line that pins its public half in gate.yaml.

    Whoever holds the private key can admit runs: keep it where the harness and the candidate cannot read it. A key that
    is there already is left as it is, and its line is said again.

    \b
    Example:  litmus-nb admission-key ~/.litmus-nb/admission.pem
    Exit:     0, or 2 where the file is something else than such a key
    """
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(new_private_key())
    click.echo(f'admission_key: "{public_key_of(read_bytes(file))}"')


def private_key_at(path: Path | None) -> bytes | None:
    """The bytes of a private key; None where none is named.

    Raises:
        UsageError: others can read the file.
        UnreadableInput: it cannot be read.
    """
    if path is None:
        return None
    content = read_bytes(path)
    if path.stat().st_mode & 0o077:
        raise UsageError(f"{path}: expected a key that nobody else can read (chmod 600), seen wider permissions")
    return content
