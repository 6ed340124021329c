"""What a checker asks for: nothing here comes from the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

__all__ = ["DEFAULT_MAX_AGE_DAYS", "Expectations", "PinnedGate", "PinnedIdentity"]

DEFAULT_MAX_AGE_DAYS = 7


@dataclass(frozen=True)
class PinnedGate:
    """The gate that the checker means."""

    name: str
    content: bytes | None
    """Its bytes; None where only the digest is known."""
    sha256: str


@dataclass(frozen=True)
class PinnedIdentity:
    """Who may have signed, as Sigstore's certificate says it."""

    name: str
    """Such as `https://github.com/OWNER/REPO/.github/workflows/gate.yml@refs/heads/main`, or an e-mail address."""
    issuer: str
    """Who vouches for it: `https://token.actions.githubusercontent.com`. A name without its issuer is nobody."""
    is_offline: bool = False
    """Whether the trusted root at hand is used without asking for a newer one."""


@dataclass(frozen=True)
class Expectations:
    """Everything that the checker asks for."""

    present: datetime
    max_age_days: int = DEFAULT_MAX_AGE_DAYS
    run_id: str | None = None
    """The execution that the checker started itself."""
    notebook_sha256: str | None = None
    subject: str | None = None
    """Digest of the artefact about to ship."""
    gate: PinnedGate | None = None
    key_files: tuple[Path, ...] = ()
    """PEM files of the public keys that may sign."""
    signatures_needed: int = 1
    """How many different keys must have signed."""
    identity: PinnedIdentity | None = None
    ledger: Path | None = None
    """A ledger of the checker's own, of which the verdict's must be a part."""
    min_ledger_length: int = 0
    """The longest ledger that the checker has seen; a verdict on a shorter one is of the past."""
    is_record_required: bool = False
    is_recomputed: bool = False
    """Whether to decide again although somebody signed; what nobody signed is always decided again."""
    is_evidence_own: bool = False
    """Whether the evidence at hand is the checker's, as with --params; what is inside a bundle is its maker's."""
    trusts_bundle: bool = False
    """Whether a bundle's own evidence is good enough: the check then shows consistency, and nothing about shipping."""

    @property
    def asks_for_signature(self) -> bool:
        """Whether somebody must have signed."""
        return bool(self.key_files) or self.identity is not None
