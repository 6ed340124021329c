"""`litmus-nb check`: may this verdict be relied upon, here and now, for what is about to ship?"""

from __future__ import annotations

import re
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import click

from litmus_nb.attest.at_hand import read_at_hand
from litmus_nb.attest.bundle import unpacked
from litmus_nb.attest.check import checked
from litmus_nb.attest.expectations import DEFAULT_MAX_AGE_DAYS, Expectations, PinnedGate, PinnedIdentity
from litmus_nb.attest.presented import Presented, read_presented
from litmus_nb.attest.recompute import decided_again
from litmus_nb.cli.decisions import now
from litmus_nb.cli.plain import printable
from litmus_nb.cli.requests import digest_of
from litmus_nb.contracts.canonical import DIGEST_PATTERN, digest_of_bytes
from litmus_nb.contracts.check_codes import CHECK_CODES
from litmus_nb.contracts.check_result import CheckResult, Refused
from litmus_nb.contracts.params import GateParams
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.times import instant_of
from litmus_nb.contracts.verdict import Verdict, verdict_bytes
from litmus_nb.errors import UnreadableInput, UsageError
from litmus_nb.evidence.load import read_params
from litmus_nb.files import read_bytes, replace_file
from litmus_nb.report.phrases import plain, with_code
from litmus_nb.shipped.notebook_pins import NOTEBOOK_PINS

__all__ = ["command"]

_REFUSED = 1
_BUNDLE_SUFFIX = ".tar"
_PATH = click.Path(path_type=Path)
_COUNT = click.IntRange(min=0)


@click.command()
@click.argument("verdict", type=_PATH)
@click.option("--params", type=_PATH, help="Your params file: gate, suite, runs and ledger at hand.")
@click.option("--recompute", is_flag=True, help="Decide again even what is signed; what is not always is.")
@click.option("--keep-recomputed", metavar="FILE", type=_PATH, help="Leave the verdict that was decided again there.")
@click.option("--subject", metavar="FILE|DIGEST", help="The artefact about to ship.")
@click.option("--key", "keys", multiple=True, type=_PATH, help="A public key (PEM, ECDSA P-256) that may sign.")
@click.option(
    "--signatures", default=1, show_default=True, type=click.IntRange(min=1), help="Keys that must have signed."
)
@click.option("--identity", help="Sigstore identity that must have signed; needs --issuer.")
@click.option("--issuer", help="Who vouches for the identity.")
@click.option("--offline", is_flag=True, help="Use the Sigstore trusted root at hand.")
@click.option("--gate", metavar="FILE|DIGEST", help="The gate that you mean; for signed verdicts and bundles.")
@click.option("--ledger", type=_PATH, help="A ledger of your own; the verdict's must be its beginning.")
@click.option("--min-ledger-length", default=0, type=_COUNT, help="The longest ledger that you have seen.")
@click.option("--require-record", is_flag=True, help="The ledger must have an entry for this verdict (gate --record).")
@click.option("--max-age-days", default=DEFAULT_MAX_AGE_DAYS, show_default=True, type=_COUNT, help="Oldest verdict.")
@click.option("--run-id", help="The execution that you started.")
@click.option("--notebook", metavar="released|DIGEST", help="The notebook that must have given the verdict.")
@click.option(
    "--trust-bundle", is_flag=True, help="Audit: believe the evidence in it. Shows consistency, not that to ship."
)
@click.option("--as-if-at", metavar="TIME", help="Audit: judge age as if it were this time (RFC 3339, UTC).")
@click.option("--json", "as_json", is_flag=True, help="Print litmus-nb/check/v1 as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    verdict: Path,
    params: Path | None,
    recompute: bool,
    keep_recomputed: Path | None,
    subject: str | None,
    keys: tuple[Path, ...],
    signatures: int,
    identity: str | None,
    issuer: str | None,
    offline: bool,
    gate: str | None,
    ledger: Path | None,
    min_ledger_length: int,
    require_record: bool,
    max_age_days: int,
    run_id: str | None,
    notebook: str | None,
    trust_bundle: bool,
    as_if_at: str | None,
    as_json: bool,
) -> None:
    """Check a verdict.json, or a bundle (FILE.tar), before relying on it. Any doubt refuses.

    A verdict can be written by anybody: something of yours must be compared. That is your own evidence (--params), from
    which it is decided again, or a signature by a key that you pin (--key) with the artefact about to ship (--subject).

    \b
    Example:  litmus-nb check reports/demo/verdict.json --params params/demo.yaml
              litmus-nb check verdict.json --key gate.pub --subject agent.tar --min-ledger-length 41
              litmus-nb check demo.tar --trust-bundle
    Exit:     0 accepted   1 refused, with every reason   2 usage   4 an error of litmus-nb itself: not accepted
    """
    expected = Expectations(
        present=_instant(as_if_at) if as_if_at else now(),
        max_age_days=max_age_days,
        run_id=run_id,
        notebook_sha256=_notebook(notebook) if notebook else None,
        subject=digest_of(subject, "--subject") if subject else None,
        gate=_pinned_gate(gate) if gate else None,
        key_files=keys,
        signatures_needed=signatures,
        identity=_identity(identity, issuer, is_offline=offline),
        ledger=ledger,
        min_ledger_length=min_ledger_length,
        is_record_required=require_record,
        is_recomputed=recompute or keep_recomputed is not None,
        is_evidence_own=params is not None,
        trusts_bundle=trust_bundle,
    )
    _refuse_contradictions(verdict, params, expected)
    result = _checked(verdict, read_params(params) if params else None, expected, keep_recomputed)
    click.echo(result.model_dump_json(indent=2) if as_json else _text(result))
    ctx.exit(0 if result.accepted else _REFUSED)


def _checked(path: Path, params: GateParams | None, expected: Expectations, keep: Path | None) -> CheckResult:
    with ExitStack() as stack:
        code = "VERDICT_UNREADABLE"
        try:
            if path.suffix == _BUNDLE_SUFFIX:
                code = "BUNDLE_UNREADABLE"
                bundle = stack.enter_context(unpacked(path))
                path, params = bundle.verdict_path, bundle.params
            presented = read_presented(path)
        except UnreadableInput as unreadable:
            return _unreadable(code, unreadable)
        result = checked(presented, params, expected)
        if keep is not None and params is not None:
            _keep_recomputed(presented, params, keep)
        return result


def _keep_recomputed(presented: Presented, params: GateParams, target: Path) -> None:
    try:
        given = Verdict.read(parse_json(presented.verdict, file=presented.name), file=presented.name)
        at_hand = read_at_hand(params, given)
    except UnreadableInput:
        return  # refused already, with every fault
    replace_file(target, verdict_bytes(decided_again(at_hand.evidence, given)))


def _unreadable(code: str, unreadable: UnreadableInput) -> CheckResult:
    refusals = [
        Refused(code=code, subject=f"{fault.file} {fault.where}".strip(), expected=fault.expected, observed=fault.seen)
        for fault in unreadable.faults
    ]
    return CheckResult(
        schema="litmus-nb/check/v1",
        accepted=False,
        refusals=refusals,
        checked=[],
        policy_digest=None,
        candidate_digest=None,
        verdict_sha256=None,
        signed_by=[],
    )


def _refuse_contradictions(path: Path, params: Path | None, expected: Expectations) -> None:
    is_bundle = path.suffix == _BUNDLE_SUFFIX
    if is_bundle and params is not None:
        raise UsageError("--params: a bundle brings its own evidence; give --gate to pin the gate that you mean")
    if expected.trusts_bundle and not is_bundle:
        raise UsageError("--trust-bundle is about bundles (FILE.tar)")
    if expected.signatures_needed > max(1, len(expected.key_files)):
        raise UsageError(f"--signatures {expected.signatures_needed}: only {len(expected.key_files)} keys are given")


def _identity(name: str | None, issuer: str | None, *, is_offline: bool) -> PinnedIdentity | None:
    if (name is None) != (issuer is None):
        raise UsageError("--identity and --issuer go together: a name that nobody vouches for is anybody's")
    return PinnedIdentity(name, issuer, is_offline) if name and issuer else None


def _notebook(words: str) -> str:
    """The digest of a notebook's sources; `released` is the one that this version shipped with."""
    if words == "released":
        return NOTEBOOK_PINS["notebooks/gate.ipynb"]
    if not re.fullmatch(DIGEST_PATTERN, words):
        raise UsageError(f"--notebook: expected released, or sha256: and 64 hex digits; seen {words!r}")
    return words


def _pinned_gate(words: str) -> PinnedGate:
    if re.fullmatch(DIGEST_PATTERN, words):
        return PinnedGate("gate", None, words)
    content = read_bytes(Path(words))
    return PinnedGate(words, content, digest_of_bytes(content))


def _instant(words: str) -> datetime:
    try:
        return instant_of(words)
    except ValueError as error:
        raise UsageError(f"--as-if-at: expected {error}, seen {words!r}") from error


def _text(result: CheckResult) -> str:
    if result.accepted:
        by = f"signed by {', '.join(result.signed_by)}" if result.signed_by else "unsigned"
        return f"accepted, {by}; compared: {', '.join(result.checked)}\npolicy {result.policy_digest}"
    lines = ["refused"]
    for refusal in result.refusals:
        lines.append(printable(str(refusal), 400))
    for code in dict.fromkeys(refusal.code for refusal in result.refusals):
        row = CHECK_CODES[code]
        lines.append(f"  {code}: {plain(with_code(f'{row.meaning} {row.action}'))}")
    return "\n".join(lines)
