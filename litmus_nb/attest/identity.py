"""An identity that a checker trusts. Apart from what verifies it, so that naming one needs no extra installed."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PinnedIdentity"]


@dataclass(frozen=True)
class PinnedIdentity:
    """Who may have signed, as Sigstore's certificate says it."""

    name: str
    """Such as `https://github.com/OWNER/REPO/.github/workflows/gate.yml@refs/heads/main`, or an e-mail address."""
    issuer: str
    """Who vouches for it: `https://token.actions.githubusercontent.com`. A name without its issuer is nobody."""
    is_offline: bool = False
    """Whether the trusted root at hand is used without asking for a newer one."""
