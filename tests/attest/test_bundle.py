"""Bundles: the same bytes twice, nothing hidden in them, and the same verdict on another machine."""

from __future__ import annotations

import io
import json
import os
import shutil
import site
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

import litmus_nb
from litmus_nb.attest.archive import extract_archive, write_archive
from litmus_nb.attest.bundle import pack_bundle, unpacked
from litmus_nb.attest.check import checked
from litmus_nb.attest.expectations import Expectations
from litmus_nb.attest.presented import read_presented
from litmus_nb.contracts.params import GateParams
from litmus_nb.errors import UnreadableInput, UsageError
from litmus_nb.evidence.inventory import evidence_files
from litmus_nb.outcome.decide import decided
from litmus_nb.outcome.output import claimed
from tests.attest.gated import PRESENT, codes, gate_again, params_in
from tests.builders import AS_OF, correct_world, write
from tests.readers.around import Around

AUDIT = Expectations(present=PRESENT, is_recomputed=True, trusts_bundle=True)


def audited(path, expected=AUDIT):
    with unpacked(path) as bundle:
        return checked(read_presented(bundle.verdict_path), bundle.params, expected)


@pytest.fixture
def bundle(folder):
    path = folder / "gate.tar"
    pack_bundle(params_in(folder), path)
    return path


def test_the_same_files_are_the_same_bytes(folder, bundle):
    for path in folder.rglob("*"):
        os.utime(path, (0, 0))
    pack_bundle(params_in(folder), folder / "again.tar")
    assert bundle.read_bytes() == (folder / "again.tar").read_bytes()


def test_a_bundle_decides_the_same_without_the_files_that_it_was_made_from(folder, bundle, tmp_path):
    alone = tmp_path / "alone.tar"
    shutil.move(bundle, alone)
    shutil.rmtree(folder)
    assert audited(alone).accepted


def test_a_bundle_by_itself_proves_nothing_about_shipping(bundle):
    assert codes(audited(bundle, Expectations(present=PRESENT, is_recomputed=True))) == {"UNPROVEN"}


def test_a_gate_far_from_its_runs_keeps_its_paths(tmp_path):
    """gate.yaml points upwards and sideways; its bytes are packed as they are."""
    write(correct_world(), tmp_path / "there")
    gates = tmp_path / "there/gates/release"
    gates.mkdir(parents=True)
    text = (tmp_path / "there/gate.yaml").read_text()
    for name in ("suite/suite.yaml", "ledger.jsonl"):
        text = text.replace(name, f"../../{name}")
    (gates / "gate.yaml").write_text(text.replace("run: baseline", "run: ../../baseline"))
    shutil.move(tmp_path / "there/candidate", tmp_path / "elsewhere")
    params = params_in(tmp_path / "there").model_copy(
        update={"gate": str(gates / "gate.yaml"), "candidate": str(tmp_path / "elsewhere")}
    )
    with claimed(tmp_path / "there/out") as output:
        output.settle(decided(params, as_of=AS_OF, run_id="x").verdict, params, issued_at=PRESENT)
    pack_bundle(params, tmp_path / "far.tar")
    with tarfile.open(tmp_path / "far.tar") as archive:
        assert "evidence/gates/release/gate.yaml" in archive.getnames()
        assert "candidate/elsewhere/run.json" in archive.getnames()
    assert audited(tmp_path / "far.tar").accepted


def test_an_absolute_path_in_the_gate_file_is_refused(folder):
    path = folder / "gate.yaml"
    path.write_text(path.read_text().replace("ledger.jsonl", str(folder / "ledger.jsonl")))
    gate_again(folder)
    with pytest.raises(UsageError, match="relative path"):
        pack_bundle(params_in(folder), folder / "gate.tar")
    assert not (folder / "gate.tar").exists()


def test_a_verdict_without_its_statement_is_not_packed(folder):
    (folder / "out/verdict.statement.json").unlink()
    with pytest.raises(UnreadableInput, match="statement"):
        pack_bundle(params_in(folder), folder / "gate.tar")


def test_report_and_signature_are_packed_where_they_are(folder):
    for name in ("report.html", "report.ipynb", "verdict.dsse.json"):
        (folder / "out" / name).write_text("{}")
    assert {"report.html", "report.ipynb", "verdict.dsse.json"} <= set(pack_bundle(params_in(folder), folder / "g.tar"))


def test_a_flipped_bit_anywhere_in_a_bundle_is_refused(bundle):
    """Headers, padding and the end of the archive among them."""
    content = bundle.read_bytes()
    places = sorted({*range(0, 1024, 37), *range(1024, len(content), 2501), len(content) - 1})
    accepted = []
    for place in places:
        bundle.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        try:
            if audited(bundle).accepted:
                accepted.append(place)
        except UnreadableInput:
            pass
    assert accepted == []


def repacked(path, change):
    """The bundle with its members changed, packed as carefully as ours."""
    with tarfile.open(path) as archive:
        members = {member.name: archive.extractfile(member).read() for member in archive}
    change(members)
    with path.open("wb") as target:
        write_archive(members, target)


@pytest.mark.parametrize(
    "change",
    [
        lambda members: members.update({"evidence/extra.txt": b"hidden"}),
        lambda members: members.pop("evidence/suite/judge.md"),
        lambda members: members.update({"evidence/gate.yaml": members["evidence/gate.yaml"] + b"\n"}),
        lambda members: members.pop("MANIFEST.json"),
        lambda members: members.pop("verdict.json"),
        lambda members: members.update({"MANIFEST.json": b"{}"}),
    ],
    ids=["added", "removed", "changed", "no manifest", "no verdict", "empty manifest"],
)
def test_members_that_the_manifest_does_not_name_are_refused(bundle, change):
    repacked(bundle, change)
    with pytest.raises(UnreadableInput):
        audited(bundle)


def test_a_bundle_packed_anew_around_another_gate_is_refused_by_the_statement(bundle):
    from litmus_nb.contracts.canonical import canonical_json, digest_of_bytes

    def with_lax_gate(members):
        members["evidence/gate.yaml"] = members["evidence/gate.yaml"].replace(b"0.9", b"0.99")
        manifest = json.loads(members["MANIFEST.json"])
        manifest["files"]["evidence/gate.yaml"] = digest_of_bytes(members["evidence/gate.yaml"])
        members["MANIFEST.json"] = canonical_json(manifest) + b"\n"

    repacked(bundle, with_lax_gate)
    assert codes(audited(bundle)) >= {"EVIDENCE_CHANGED", "DIGEST_MISMATCH"}


def hostile(path, *members):
    """An archive of members (TarInfo fields and content)."""
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for fields, content in members:
            member = tarfile.TarInfo(fields.pop("name"))
            member.mode, member.size = 0o644, len(content)
            for name, value in fields.items():
                setattr(member, name, value)
            archive.addfile(member, io.BytesIO(content))


@pytest.mark.parametrize(
    "member",
    [
        ({"name": "../escape"}, b"x"),
        ({"name": "/etc/escape"}, b"x"),
        ({"name": "a/../../escape"}, b"x"),
        ({"name": ".hidden"}, b"x"),
        ({"name": "link", "type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}, b""),
        ({"name": "link", "type": tarfile.LNKTYPE, "linkname": "verdict.json"}, b""),
        ({"name": "pipe", "type": tarfile.FIFOTYPE}, b""),
        ({"name": "folder", "type": tarfile.DIRTYPE}, b""),
        ({"name": "mode", "mode": 0o755}, b"x"),
        ({"name": "time", "mtime": 1}, b"x"),
        ({"name": "owner", "uname": "root"}, b"x"),
        ({"name": "white space"}, b"x"),
    ],
    ids=lambda member: member[0]["name"] if isinstance(member, tuple) else None,
)
def test_an_archive_that_we_could_not_have_written_is_refused(tmp_path, member):
    fields, content = member
    hostile(tmp_path / "h.tar", (dict(fields), content))
    (tmp_path / "into").mkdir()
    with pytest.raises(UnreadableInput):
        extract_archive(tmp_path / "h.tar", tmp_path / "into")
    assert not (tmp_path / "escape").exists()


def test_a_member_twice_is_refused(tmp_path):
    hostile(tmp_path / "h.tar", ({"name": "a"}, b"x"), ({"name": "a"}, b"y"))
    (tmp_path / "into").mkdir()
    with pytest.raises(UnreadableInput, match="twice"):
        extract_archive(tmp_path / "h.tar", tmp_path / "into")


@pytest.mark.parametrize("tail", [b"\0" * 512, b"hidden" + b"\0" * 506])
def test_bytes_after_the_end_are_refused(bundle, tail):
    bundle.write_bytes(bundle.read_bytes() + tail)
    with pytest.raises(UnreadableInput):
        audited(bundle)


def test_a_compressed_archive_is_refused(tmp_path, bundle):
    import gzip

    bundle.write_bytes(gzip.compress(bundle.read_bytes()))
    with pytest.raises(UnreadableInput):
        audited(bundle)


@pytest.mark.parametrize("reader", ["folder"])
def test_the_inventory_is_every_file_of_a_run(folder, reader):
    (folder / "candidate/transcripts").mkdir()
    (folder / "candidate/transcripts/one.txt").write_text("…")
    names = {file.name for file in evidence_files(params_in(folder))}
    assert "candidate/transcripts/one.txt" in names


def gated_log(folder, probes="../suite/probes.jsonl"):
    """A table read by a reader: log, declarations, and the probes that the declarations take classes from."""
    classes = {f"s-{number}": "leak" for number in range(12)}
    around = Around(folder, classes, trials=2, tolerance=0.6, margin=0.9)
    rows = [f"s-{number},{trial},{'yes' if number == 0 else 'no'}" for number in range(12) for trial in range(2)]
    part = {
        "classes": {"probes": probes},
        "outcome": {
            "scenario": "scenario",
            "trial": "trial",
            "label": "leaked",
            "attack_success_when": {"equals": ["yes"]},
            "attack_failure_when": {"equals": ["no"]},
        },
    }
    for name, day in (("base", "2026-08-31"), ("cand", "2026-11-28")):
        around.declare(f"logs/{name}.csv", part, around.run(name, day=day))
        (around.folder / f"logs/{name}.csv").write_text("\n".join(["scenario,trial,leaked", *rows]) + "\n")
    around.pin("table:logs/base.csv")
    params = GateParams(
        gate=str(folder / "gate.yaml"), candidate=f"table:{folder}/logs/cand.csv", output_dir=str(folder / "out")
    )
    verdict = decided(params, as_of=AS_OF, run_id="x").verdict
    assert verdict.reasons == []
    with claimed(folder / "out") as output:
        output.settle(verdict, params, issued_at=PRESENT)
    return params


def test_a_log_travels_with_its_declarations_and_all_that_they_name(tmp_path):
    names = pack_bundle(gated_log(tmp_path / "world"), tmp_path / "log.tar")
    assert {"candidate/logs/cand.csv", "candidate/logs/cand.csv.litmus.yaml", "candidate/suite/probes.jsonl"} <= set(
        names
    )
    shutil.move(tmp_path / "world", tmp_path / "gone")
    with unpacked(tmp_path / "log.tar") as bundle:
        assert bundle.params.candidate.startswith("table:/")
        assert bundle.params.candidate.endswith("/candidate/logs/cand.csv")
    assert audited(tmp_path / "log.tar").accepted


def test_a_log_whose_declarations_name_an_absolute_path_is_not_packed(tmp_path):
    probes = f"{tmp_path}/world/suite/probes.jsonl"
    params = gated_log(tmp_path / "world", probes)
    with pytest.raises(UsageError) as refused:
        pack_bundle(params, tmp_path / "log.tar")
    named = [f"{run}/{probes}: expected a relative path, seen {probes}" for run in ("baseline", "candidate")]
    assert sorted(str(refused.value).splitlines()) == named


def test_an_output_folder_inside_the_run_is_not_part_of_the_run(folder):
    params = params_in(folder).model_copy(update={"output_dir": str(folder / "candidate/report")})
    with claimed(folder / "candidate/report") as output:
        output.settle(decided(params, as_of=AS_OF, run_id="x").verdict, params, issued_at=PRESENT)
    expected = Expectations(present=PRESENT, is_evidence_own=True)
    result = checked(read_presented(folder / "candidate/report/verdict.json"), params, expected)
    assert result.refusals == []


@pytest.mark.slow
def test_a_bundle_made_here_decides_the_same_byte_for_byte_in_a_fresh_environment(bundle, folder, tmp_path):
    """A new virtual environment with its own copy of the package, another working directory, nothing of ours around it.

    It shares the installed dependencies' files, so that the test needs no network; the package itself is a copy.
    """
    home = tmp_path / "fresh"
    venv.EnvBuilder(with_pip=False, symlinks=True).create(home)
    packages = next(home.glob("lib/python*/site-packages"))
    shutil.copytree(Path(litmus_nb.__file__).parent, packages / "litmus_nb")
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.move(bundle, elsewhere / "gate.tar")
    program = "import litmus_nb.cli as cli; print(cli.__file__); cli.main()"
    words = ["check", "gate.tar", "--trust-bundle", "--as-if-at", "2026-11-30T15:00:00Z"]
    done = subprocess.run(
        [home / "bin/python", "-I", "-c", program, *words, "--recompute", "--keep-recomputed", "again.json"],
        cwd=elsewhere,
        env={"PATH": os.environ["PATH"], "LANG": "C", "TZ": "Pacific/Kiritimati"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(home) in done.stdout
    assert (elsewhere / "again.json").read_bytes() == (folder / "out/verdict.json").read_bytes()
    assert sys.prefix not in str(home)
