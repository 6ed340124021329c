"""The manifest of a suite: made from its files, or read as it was frozen."""

from __future__ import annotations

from pathlib import Path

from litmus_nb.contracts.canonical import digest_of_bytes
from litmus_nb.contracts.manifest import FrozenFile, ManifestFile
from litmus_nb.contracts.strict_json import parse_json
from litmus_nb.contracts.strict_yaml import parse_yaml
from litmus_nb.errors import Fault, UnreadableInput
from litmus_nb.evidence.suite import contract_of, named_files, read_probes, read_suite
from litmus_nb.files import read_bytes

__all__ = ["MANIFEST", "manifest_of", "read_manifest"]

MANIFEST = "manifest.json"
"""The frozen manifest's name, beside suite.yaml."""


def manifest_of(path: Path) -> ManifestFile:
    """The manifest of the suite that `path` (a suite.yaml) describes, from its files as they are now.

    Raises:
        UnreadableInput: with every fault of the suite.
    """
    suite = read_suite(path)
    contents = {key: read_bytes(path.parent / name) for key, name in named_files(suite.file).items()}
    probes = read_probes(path.parent / suite.file.probes)
    raw = parse_yaml(read_bytes(path), file=str(path))
    digests = {key: digest_of_bytes(content) for key, content in contents.items()}
    manifest = ManifestFile(
        contract=contract_of(raw, digests),
        probes=sorted(probes, key=lambda probe: str(probe["id"])),
        files={key: FrozenFile(sha256=digests[key], text=_text_of(content)) for key, content in contents.items()},
    )
    if manifest.manifest_hash != suite.manifest_hash:
        raise UnreadableInput([Fault(str(path), "", "files that stay as they are while they are read", "a change")])
    return manifest


def read_manifest(path: Path) -> ManifestFile:
    """A manifest as it was frozen.

    Raises:
        UnreadableInput: it is not there, or is no manifest.
    """
    return ManifestFile.read(parse_json(read_bytes(path), file=str(path)), file=str(path))


def _text_of(content: bytes) -> str | None:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None
