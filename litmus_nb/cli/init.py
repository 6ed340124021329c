"""`litmus-nb init`: a first gate in this repository, from a log or a folder of probes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Literal

import click

from litmus_nb.cli.declaring import saying_how_to_declare
from litmus_nb.cli.plain import printable
from litmus_nb.cli.requests import digest_of
from litmus_nb.errors import UsageError
from litmus_nb.files import read_bytes
from litmus_nb.report.numbers import plural
from litmus_nb.scaffold.files import Wanted
from litmus_nb.scaffold.proposal import proposals
from litmus_nb.scaffold.seen import Seen, from_log, from_probes
from litmus_nb.scaffold.write import Laid, lay

__all__ = ["command"]

_PATH = click.Path(path_type=Path)

_QUESTIONS = (
    ("tool_namespace", "How does the agent's tool dialect call itself? (tool_namespace)"),
    ("tools", "Which tools do the scenarios attack? (names, comma between)"),
    ("canary_probe", "What is the canary's id? (canary.probe_id)"),
    ("canary_signal", "What does the detector report when the canary's act is done? (canary.expected_signal)"),
    ("judge_digest", "Digest of the judge: sha256 and 64 hex digits, or a file to take it of"),
)


@click.command()
@click.argument("folder", default=".", type=_PATH)
@click.option("--log", "log", metavar="READER:PATH", help="A log, or a run folder, of the agent in use.")
@click.option("--probes", type=_PATH, help="A folder of probes: *.jsonl, *.json, or texts in a folder per class.")
@click.option("--declarations", type=_PATH, help="NAME.litmus.yaml for a log that has none beside it.")
@click.option("--name", help="The suite's name. Default: the folder's.")
@click.option("--tool-namespace", help="How the agent's tool dialect calls itself.")
@click.option("--tool", "tools", multiple=True, help="A tool that the scenarios attack; may be repeated.")
@click.option("--canary-probe", help="The canary's id.")
@click.option("--canary-signal", help="What the detector reports when the canary's act is done.")
@click.option("--judge-digest", metavar="DIGEST|FILE", help="Digest of the judge, or the file that is the judge.")
@click.option("--judge-template", type=_PATH, help="The judge's template; copied.")
@click.option("--decision-margin", default=0.1, show_default=True, type=click.FloatRange(0, 1, min_open=True))
@click.option("--disagreement", type=click.FloatRange(0, 1), help="How often two trials differ, instead of the log's.")
@click.option("--ci", type=click.Choice(["github", "gitlab", "none"]), help="Which workflow. Default: none.")
@click.option("--no-input", is_flag=True, help="Ask nothing, in a terminal too; what is not said stays open.")
def command(
    folder: Path,
    log: str | None,
    probes: Path | None,
    declarations: Path | None,
    name: str | None,
    tool_namespace: str | None,
    tools: tuple[str, ...],
    canary_probe: str | None,
    canary_signal: str | None,
    judge_digest: str | None,
    judge_template: Path | None,
    decision_margin: float,
    disagreement: float | None,
    ci: Literal["github", "gitlab", "none"] | None,
    *,
    no_input: bool,
) -> None:
    """Lay a first gate into FOLDER: suite, gate with proposed tolerances, ledger, params, CI workflow, GATE.md.

    From a log of the agent in use, or a folder of probes. Tolerances and min_n are proposed by the power planner from
    how often trials of the log disagree; gate.yaml says why. What neither log nor flags say is asked for in a terminal
    and stays open elsewhere: a gate with something open refuses. What is there already is never written over.

    \b
    Example:  litmus-nb init --log inspect:logs/old.eval --declarations source.yaml --ci github
              litmus-nb init gate --probes probes/ --no-input
    Exit:     0 laid, or everything was there   2 usage, or something cannot be read
    """
    if (log is None) == (probes is None):
        raise UsageError("from what? expected exactly one of --log READER:PATH and --probes FOLDER")
    with saying_how_to_declare(log):
        seen = from_probes(probes) if probes is not None else from_log(str(log), declarations=declarations)
    flags: dict[str, Any] = {
        "tool_namespace": tool_namespace,
        "tools": list(tools) or None,
        "canary_probe": canary_probe,
        "canary_signal": canary_signal,
        "judge_digest": judge_digest,
    }
    said = {**seen.said, **{key: value for key, value in flags.items() if value is not None}}
    said |= {"classes": seen.classes, "decision_margin": decision_margin}
    is_asking = not no_input and sys.stdin.isatty()
    if is_asking:
        said |= _asked(said)
        ci = ci or click.prompt("CI workflow", type=click.Choice(["github", "gitlab", "none"]), default="github")
    if said.get("judge_digest") is not None:
        said["judge_digest"] = digest_of(str(said["judge_digest"]), "the judge's digest")
    template = None if judge_template is None else read_bytes(judge_template)
    wanted = Wanted(name or folder.resolve().name or "gate", said, ci or "none", template)
    proposed = proposals(seen, decision_margin=decision_margin, disagreement=disagreement)
    try:
        laid = lay(seen, wanted, proposed, folder)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error}") from error
    _say(laid, seen, folder)
    for one in proposed:
        click.echo(printable(f"  {one.name}: tolerance {one.tolerance}, min_n {one.min_n}: {one.why}", 400))
    click.echo(f"now: litmus-nb doctor {folder / 'gate.yaml'}")


def _asked(said: dict[str, Any]) -> dict[str, Any]:
    """What nobody has said yet, question by question; an empty answer leaves it open."""
    answers: dict[str, Any] = {}
    for key, question in _QUESTIONS:
        if said.get(key) is not None:
            continue
        answer = click.prompt(question, default="", show_default=False).strip()
        if answer:
            answers[key] = [word.strip() for word in answer.split(",") if word.strip()] if key == "tools" else answer
    return answers


def _say(laid: Laid, seen: Seen, folder: Path) -> None:
    size = f"{plural(len(seen.probes), 'scenario')} in {plural(len(seen.classes), 'class', 'classes')}"
    click.echo(f"{folder}: {size}, from {printable(seen.source, 200)}")
    for path in laid.written:
        click.echo(f"  written  {path}")
    for path in laid.kept:
        click.echo(f"  kept     {path}")
    if not laid.is_frozen:
        click.echo(
            "  the suite is not frozen: something in suite/suite.yaml is open, and the gate will refuse until it is not"
        )
