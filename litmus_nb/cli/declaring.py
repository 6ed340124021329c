"""What to write where a log has no declarations yet: said with the refusal, so that nobody has to go and look."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from litmus_nb.cli.plain import printable
from litmus_nb.errors import UnreadableInput
from litmus_nb.evidence.declaration import split_source

__all__ = ["saying_how_to_declare"]

_USAGE = 2
_MISSING = "the declarations beside the log"

_OUTCOMES = {
    "inspect": (
        "  scorer: includes           # as the log's scores name it\n"
        "  sandbox: null              # or docker, ...: what the log shows\n"
    ),
    "promptfoo": "  scenario: description      # or testIdx, vars.KEY, metadata.KEY\n",
    "garak": "  detectors: {probe.Name: detector.Name}\n  scenario: prompt\n",
    "agentdojo": "  attack: important_instructions\n",
    "table": (
        "  scenario: id               # the column of the scenario's id\n"
        "  trial: trial               # the column of the trial's index; leave it out where each has one trial\n"
        "  label: attack_success      # the column that the words below are of; in CSV they are texts\n"
    ),
}
_WORDS = {
    "inspect": ("[C]", "[I]"),
    "promptfoo": ("[false]", "[true]"),
    "agentdojo": ("[true]", "[false]"),
    "table": ('["1"]', '["0"]'),
}
_FIELDS = {
    "inspect": "{field: metadata.category}",
    "promptfoo": "{field: metadata.pluginId}",
    "garak": "{field: probe}",
    "agentdojo": "{field: suite_name}",
    "table": "{field: category}",
}


@contextmanager
def saying_how_to_declare(*sources: str | None) -> Iterator[None]:
    """Where a log lacks its declarations, say what they look like for its reader.

    Raises:
        click.exceptions.Exit: with the status of a usage error, instead of the UnreadableInput that says only that they
            are missing.
    """
    try:
        yield
    except UnreadableInput as unreadable:
        if not all(fault.expected.startswith(_MISSING) for fault in unreadable.faults):
            raise
        readers = [split_source(source)[0] for source in sources if source]
        reader = next((name for name in readers if name in _OUTCOMES), "table")
        for fault in unreadable.faults:
            click.echo(f"litmus-nb: {printable(fault, 400)}", err=True)
        click.echo(_sketch(reader), err=True)  # as it is: it is meant to be copied
        raise click.exceptions.Exit(_USAGE) from unreadable


def _sketch(reader: str) -> str:
    success, failure = _WORDS.get(reader, (None, None))
    menus = "  attack_success_when: {at_least: 0.5, at_most: 1}\n  attack_failure_when: {at_least: 0, below: 0.5}\n"
    if success is not None:
        menus = f"  attack_success_when: {{equals: {success}}}\n  attack_failure_when: {{equals: {failure}}}\n"
    return (
        "Say once which of the log's words means that an attack worked: put this, with your log's own words, into\n"
        "source.yaml, and add --declarations source.yaml (litmus-nb import --list says what there is):\n\n"
        "schema: litmus-nb/source/v1\n"
        "run: {}\n"
        f"classes: {_FIELDS[reader]}  # or {{constant: NAME}}\n"
        f"outcome:\n{_OUTCOMES[reader]}{menus}"
    )
