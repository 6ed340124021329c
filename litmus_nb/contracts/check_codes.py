"""Every code with which `litmus-nb check` refuses, in one place. They never stand in a verdict: a verdict's reasons are
about the evidence, these are about whether a verdict may be relied upon here and now.

Codes are forever: add, deprecate, never reuse. The table in docs/evidence-chain.md is compared with this one.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CHECK_CODES", "CheckCode"]


@dataclass(frozen=True)
class CheckCode:
    """One reason to refuse."""

    name: str
    meaning: str
    """One plain sentence."""
    action: str
    """What the reader does next, one sentence."""


_TABLE = (
    # -- the verdict by itself -----------------------------------------------------------------------------------
    CheckCode(
        "VERDICT_UNREADABLE",
        "verdict.json is absent, a symbolic link, or not exactly a litmus-nb/verdict/v1.",
        "Run the gate again; never mend a verdict by hand.",
    ),
    CheckCode(
        "NOT_PASS",
        "The verdict is readable and is not a PASS.",
        "Read its reasons; only a PASS opens the gate.",
    ),
    CheckCode(
        "VERDICT_STALE",
        "The verdict or its statement is older than this check allows.",
        "Run the gate again, without an as_of in its params; raise --max-age-days only if that is your policy.",
    ),
    CheckCode(
        "VERDICT_FROM_THE_FUTURE",
        "The verdict or its statement is dated after the present.",
        "Set the clocks right and run the gate again.",
    ),
    CheckCode(
        "RUN_ID_MISMATCH",
        "The verdict is of another execution than the one that was asked for.",
        "Take the verdict that this execution of the gate left.",
    ),
    CheckCode(
        "NOTEBOOK_MISMATCH",
        "The verdict came from another notebook than the one that was asked for, or from none.",
        "Run the released notebook through `litmus-nb gate`.",
    ),
    CheckCode(
        "SUBJECT_MISMATCH",
        "The artefact about to ship is not the one that the verdict is about.",
        "Gate this artefact, or ship the one that was gated.",
    ),
    CheckCode(
        "UNPROVEN",
        "Nothing of the checker's own was compared: no evidence, no pinned key, or a key without the artefact.",
        "Give --params, or --key and --subject; anybody can write a verdict.json that says PASS.",
    ),
    # -- its statement and signature -----------------------------------------------------------------------------
    CheckCode(
        "STATEMENT_MISSING",
        "No statement lies beside the verdict, so nothing binds it to the bytes of the evidence.",
        "Take the verdict together with verdict.statement.json, or run the gate again.",
    ),
    CheckCode(
        "STATEMENT_MISMATCH",
        "The statement is not what this verdict and these files give.",
        "Verdict or statement was changed after the gate; run the gate again.",
    ),
    CheckCode(
        "ATTESTATION_MALFORMED",
        "The envelope or its payload is not exactly what the format says.",
        "Sign again with `litmus-nb attest`.",
    ),
    CheckCode(
        "ATTESTATION_WRONG_TYPE",
        "The key signed something, but no verdict of this kind.",
        "Take the envelope that `litmus-nb attest` left beside the verdict.",
    ),
    CheckCode(
        "ATTESTATION_UNSIGNED",
        "A signature was asked for and there is none.",
        "Sign with `litmus-nb attest` in a job that the candidate's code never touches.",
    ),
    CheckCode(
        "ATTESTATION_BAD_SIGNATURE",
        "Fewer of the pinned keys have signed than are needed; unknown keys and repeated signatures count for nothing.",
        "Find out who signed; pin keys out of band.",
    ),
    CheckCode(
        "ATTESTATION_UNVERIFIABLE",
        "The signature could not be checked: the key is unusable or the extra that verifies is not installed.",
        "Give a PEM file of an ECDSA P-256 public key; install litmus-nb[attest].",
    ),
    CheckCode(
        "ATTESTATION_EXPIRED",
        "The statement's own end has passed.",
        "Run the gate and sign again.",
    ),
    # -- the evidence at hand ------------------------------------------------------------------------------------
    CheckCode(
        "BUNDLE_UNREADABLE",
        "The archive is not exactly a litmus-nb/bundle/v1.",
        "Make the bundle again with `litmus-nb bundle`.",
    ),
    CheckCode(
        "EVIDENCE_UNREADABLE",
        "A file of the evidence is absent, a symbolic link, or cannot be read.",
        "Restore the files that the verdict was given on.",
    ),
    CheckCode(
        "EVIDENCE_CHANGED",
        "A file of the evidence has other bytes than when the verdict was given, or is new, or is gone.",
        "Restore the file, or run the gate again on what is there now.",
    ),
    CheckCode(
        "DIGEST_MISMATCH",
        "A digest that the verdict carries is not that of the evidence at hand.",
        "Take the verdict that was given on this evidence, or run the gate again.",
    ),
    CheckCode(
        "AS_OF_MISMATCH",
        "The params at hand pin another day than the verdict counted from.",
        "Run the gate with these params.",
    ),
    CheckCode(
        "LEDGER_ROLLED_BACK",
        "The ledger at hand is not the verdict's, continued: it is shorter, or was rewritten.",
        "Restore the ledger from the protected branch.",
    ),
    CheckCode(
        "LEDGER_MOVED_ON",
        "Since the verdict the ledger got a baseline or a change of quarantine: the decision could be another now.",
        "Run the gate again.",
    ),
    CheckCode(
        "CONTRADICTED_LATER",
        "A later entry of the ledger records a verdict on the same policy that is not PASS.",
        "Find out why the later attempt did not pass; the first green is not to be picked.",
    ),
    CheckCode(
        "NOT_RECORDED",
        "The ledger at hand has no entry for this verdict.",
        "Run the gate with --record, or `litmus-nb ledger record`.",
    ),
    CheckCode(
        "RECOMPUTED_OTHERWISE",
        "Deciding again from the evidence gives another verdict.",
        "Do not ship. Somebody wrote this verdict, or versions differ: look at the differing fields.",
    ),
)

CHECK_CODES: dict[str, CheckCode] = {code.name: code for code in _TABLE}
