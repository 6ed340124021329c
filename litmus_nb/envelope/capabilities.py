"""From facets to the capabilities that a suite is calibrated on, and to what is not known of them. Pure.

A capability is a facet that is ALLOWED; DENIED and ABSENT are both its lack. What a measurement looked at is itself
part of the set, as `scope.*` strings, wherever it differs from the default: two sets that were measured with different
eyes never compare equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from litmus_nb.contracts.envelope import FacetState, Scope
from litmus_nb.envelope import probe

__all__ = [
    "EffectiveCapabilities",
    "capabilities_of",
    "capability_of",
    "expected_facets",
    "is_known_facet",
    "paths_of",
    "scope_of",
]

_SCANS = {"fs.mounts", "cred.env", "cred.environ", "privs.caps"}
"""Facets that say whether a list could be made; what is on the list has facets of its own."""

_LISTED = ("fs.write:", "fs.exec:", "cred.env:", "cred.environ:", "cred.socket:", "privs.cap:")
"""Facets whose subjects the probe finds for itself."""

_PROCESSES = {"process.fork", "process.exec"}
"""Together they are the one capability `process.spawn`."""


@dataclass(frozen=True)
class EffectiveCapabilities:
    """What the sandbox grants, and what could not be told; both sorted, no string in both."""

    effective: tuple[str, ...]
    unknown: tuple[str, ...]


def scope_of(calibrated: Iterable[str]) -> Scope:
    """The scope that a calibrated set was measured with, so that a sandbox can be measured likewise.

    Raises:
        UnreadableInput: a `scope.*` string that means nothing, or a path that cannot be watched.
    """
    found: dict[str, Any] = {"watch": [], "without": [], "metadata": False}
    for capability in sorted(set(calibrated)):
        kind, _, subject = capability.partition(":")
        if kind in ("scope.watch", "scope.without"):
            found[kind.removeprefix("scope.")].append(subject)
        elif capability == "scope.metadata":
            found["metadata"] = True
    return Scope.read(found, file="calibrated_capabilities")


def paths_of(calibrated: Iterable[str]) -> list[str]:
    """The paths that a calibrated set says can be written: a measurement must look there, mount point or not."""
    kinds = [capability.partition(":") for capability in calibrated]
    return sorted({subject for kind, _, subject in kinds if kind == "fs.write" and subject not in probe.WATCHED})


def expected_facets(scope: Scope) -> list[str]:
    """Every facet that a measurement with this scope must speak of; silence about one is not knowing it."""
    paths = [*probe.WATCHED, *scope.watch]
    groups = {
        "process.limits": ["process.parallel", "process.threads"],
        "fs.exec": [f"fs.exec:{path}" for path in paths],
        "socket": [f"socket.{name}" for name in probe.SOCKETS],
        "kernel": ["kernel.userns", "kernel.ptrace", "kernel.io_uring"],
        "privs": ["privs.root", "privs.caps", "privs.gain"],
        "ns": [f"ns.host:{name}" for name in probe.INITIAL_NAMESPACES],
    }
    ways_out = ("link", "route", "route6", "tcp", "udp", "dns", "resolver", "proxy", "proxy.listening")
    return [
        *sorted(_PROCESSES),
        *(f"fs.write:{path}" for path in paths),
        *sorted(_SCANS - ({"privs.caps"} if "privs" in scope.without else set())),
        *(f"cred.file:{path}" for path in probe.CREDENTIAL_FILES),
        *(f"cred.socket:{path}" for path in probe.CREDENTIAL_SOCKETS),
        *(f"net.{way}" for way in ways_out),
        *(["net.metadata"] if scope.metadata else []),
        *(facet for group, facets in groups.items() if group not in scope.without for facet in facets),
    ]


def is_known_facet(facet: str, scope: Scope) -> bool:
    """Whether a measurement with this scope can speak of the facet at all."""
    return facet in expected_facets(scope) or facet.startswith(_LISTED)


def capability_of(facet: str) -> str:
    """The capability that a facet is about."""
    return "process.spawn" if facet in _PROCESSES else facet


def capabilities_of(facets: Mapping[str, FacetState], scope: Scope) -> EffectiveCapabilities:
    """What the facets amount to. A facet that the scope asks for and that is not there counts as UNKNOWN."""
    asked: dict[str, FacetState] = dict.fromkeys(expected_facets(scope), "UNKNOWN")
    states = asked | dict(facets)
    unknown = {capability_of(facet) for facet, state in states.items() if state == "UNKNOWN"}
    granted = {facet for facet, state in states.items() if state == "ALLOWED" and facet not in _SCANS}
    if granted >= _PROCESSES:
        granted = granted - _PROCESSES | {"process.spawn"}
    effective = (granted | _scope_strings(states, scope)) - unknown
    return EffectiveCapabilities(tuple(sorted(effective)), tuple(sorted(unknown)))


def _scope_strings(states: Mapping[str, FacetState], scope: Scope) -> set[str]:
    """Where the measurement looked otherwise than by default."""
    found = {f"scope.without:{group}" for group in scope.without}
    found |= {f"scope.watch:{path}" for path in scope.watch}
    if scope.metadata:
        found.add("scope.metadata")
    if states["fs.mounts"] in ("DENIED", "ABSENT"):
        found.add("scope.no-mounts")
    return found
