"""The CI examples, taken out of their YAML and run: each step ends as the gate does, each hook as its files deserve."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from litmus_nb.shipped import shipped_path
from tests.builders import correct_world, write

STATES = {"demo": ("PASS", 0), "demo-regressed": ("FAIL", 1), "demo-renamed": ("REJECTED", 3)}


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Path:
    """A fresh checkout with the demo and the notebooks, as CI would have it."""
    for name in ("data/demo", "params"):
        shutil.copytree(shipped_path(name), tmp_path / name)
    (tmp_path / "notebooks").mkdir()
    shutil.copy(root / "notebooks/gate.ipynb", tmp_path / "notebooks")
    return tmp_path


def run(script: str, folder: Path, variables: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The script as GitHub and GitLab run it."""
    bash = shutil.which("bash")
    assert bash
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "LITMUS_", "CI_"))}
    return subprocess.run(
        [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder, env=kept | {"PATH": path} | dict(variables or {}), capture_output=True, text=True, check=False,
    )  # fmt: skip


def shims(folder: Path, *names: str) -> str:
    """A PATH on which these commands say what they were asked, and do nothing."""
    bin_ = folder / "shims"
    bin_.mkdir(exist_ok=True)
    for name in names:
        (bin_ / name).write_text(f'#!/bin/sh\necho "{name} $*" >> "{folder}/asked"\n')
        (bin_ / name).chmod(0o755)
    return f"{bin_}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


# -- GitHub


@pytest.fixture(scope="module")
def action(root: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((root / "examples/ci/github/action.yml").read_text(encoding="utf-8"))
    return loaded


def step(action: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (one for one in action["runs"]["steps"] if one["name"] == name)
    return dict(found)


def test_no_input_is_pasted_into_a_script(action: dict[str, Any]) -> None:
    assert action["runs"]["using"] == "composite"
    for one in action["runs"]["steps"]:
        if "run" in one:
            assert one["shell"] == "bash"
            assert "${{" not in one["run"]
            assert set(re.findall(r"\$([A-Z_]+)", one["run"])) == set(one["env"])
            assert not re.search(r"[|;&]", one["run"])


def without_a_kernel(folder: Path) -> str:
    """A PATH on which `litmus-nb gate` decides in its own process: the same exit status and formats, in a second."""
    path = shims(folder, "litmus-nb")
    litmus = Path(sys.executable).parent / "litmus-nb"
    script = f"""#!/bin/sh
case $1 in gate) shift; set -- evaluate "$@" ;; esac
exec "{litmus}" "$@"
"""
    (folder / "shims/litmus-nb").write_text(script)
    return path


@pytest.mark.kernel
def test_the_actions_gate_leaves_everything_that_is_kept(action: dict[str, Any], workspace: Path) -> None:
    told = {"GITHUB_STEP_SUMMARY": str(workspace / "summary"), "PARAMS": "params/demo-regressed.yaml"}
    done = run(step(action, "Gate")["run"], workspace, told | {"REPORTS": "reports/demo-regressed"})
    assert done.returncode == 1, done.stderr
    left = {path.name for path in (workspace / "reports/demo-regressed").iterdir()}
    assert {"verdict.json", "report.html", "report.ipynb", "junit.xml"} <= left


@pytest.mark.parametrize("name", STATES)
def test_the_actions_gate_ends_as_the_verdict_says(name: str, action: dict[str, Any], workspace: Path) -> None:
    state, status = STATES[name]
    told = {"GITHUB_STEP_SUMMARY": str(workspace / "summary"), "GITHUB_OUTPUT": str(workspace / "outputs")}
    told["PATH"] = without_a_kernel(workspace)
    reports = f"reports/{name}"
    done = run(step(action, "Gate")["run"], workspace, told | {"PARAMS": f"params/{name}.yaml", "REPORTS": reports})
    assert done.returncode == status, done.stderr
    assert f"verdict={state}\n" in (workspace / "outputs").read_text()
    assert f"gate-open={'true' if status == 0 else 'false'}\n" in (workspace / "outputs").read_text()
    assert state in (workspace / "summary").read_text()
    assert {"verdict.json", "junit.xml"} <= {path.name for path in (workspace / reports).iterdir()}


def test_a_params_path_that_is_a_command_is_a_path(action: dict[str, Any], workspace: Path) -> None:
    told = {"GITHUB_STEP_SUMMARY": str(workspace / "summary"), "REPORTS": "reports"}
    done = run(step(action, "Gate")["run"], workspace, told | {"PARAMS": "x; touch pwned $(touch pwned)"})
    assert done.returncode == 2
    assert not (workspace / "pwned").exists()


def test_the_action_installs_what_is_hashed(action: dict[str, Any], workspace: Path) -> None:
    told = {"REQUIREMENTS": "requirements gate.txt", "PATH": shims(workspace, "pip")}
    assert run(step(action, "Install")["run"], workspace, told).returncode == 0
    assert (workspace / "asked").read_text() == "pip install --require-hashes -r requirements gate.txt\n"


def test_the_workflow_uses_the_action_with_inputs_that_it_has(root: Path, action: dict[str, Any]) -> None:
    workflow = yaml.safe_load((root / "examples/ci/github/gate.yml").read_text(encoding="utf-8"))
    (used,) = (one for one in workflow["jobs"]["gate"]["steps"] if "litmus-gate" in one.get("uses", ""))
    assert set(used["with"]) <= set(action["inputs"])
    needed = {name for name, one in action["inputs"].items() if one.get("required")}
    assert needed <= set(used["with"])
    for job in workflow["jobs"].values():
        assert "continue-on-error" not in str(job)


# -- GitLab


@pytest.fixture(scope="module")
def template(root: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((root / "examples/ci/gitlab/litmus-gate.yml").read_text(encoding="utf-8"))
    return loaded


def test_the_pipeline_extends_jobs_that_there_are_and_none_may_fail(root: Path, template: dict[str, Any]) -> None:
    pipeline = yaml.safe_load((root / "examples/ci/gitlab/.gitlab-ci.yml").read_text(encoding="utf-8"))
    jobs = [one for one in pipeline.values() if isinstance(one, dict) and "extends" in one]
    assert {one["extends"] for one in jobs} == {".litmus-ledger", ".litmus-gate", ".litmus-check"}
    assert {one["extends"] for name, one in template.items() if name != ".litmus"} == {".litmus"}
    assert template[".litmus"]["allow_failure"] is False
    for one in (*jobs, *template.values()):
        assert not re.search(r"\|\||; *true|\| *tee", str(one.get("script", "")))


@pytest.mark.parametrize("name", STATES)
def test_the_templates_gate_and_check_end_as_the_verdict_says(
    name: str, template: dict[str, Any], workspace: Path
) -> None:
    state, status = STATES[name]
    told = {"PATH": without_a_kernel(workspace)}
    told |= {"LITMUS_PARAMS": f"params/{name}.yaml", "LITMUS_VERDICT_FILE": f"reports/{name}/verdict.json"}
    job = template[".litmus-gate"]
    done = run("\n".join(job["script"]), workspace, told)
    assert done.returncode == status, done.stderr
    left = job["artifacts"]["reports"].values()
    assert [path for path in left if not (workspace / path).exists()] == []
    assert f"LITMUS_VERDICT={state}\n" in (workspace / "litmus-ci/litmus.env").read_text()
    check = run("\n".join(template[".litmus-check"]["script"]), workspace, told)
    # The demo's day is fixed, so a check that comes later finds its PASS too old; no other doubt is left.
    assert (
        (check.returncode == 0 or "VERDICT_TOO_OLD" in check.stdout + check.stderr)
        if status == 0
        else (check.returncode == 1)
    )


@pytest.mark.parametrize("is_rewritten", [False, True])
def test_the_templates_ledger_job_sees_rewritten_history(
    is_rewritten: bool, template: dict[str, Any], tmp_path: Path
) -> None:
    origin, here = tmp_path / "origin", tmp_path / "here"
    write(correct_world(), origin)
    git = "git -c user.name=a -c user.email=a@localhost"
    assert run(f"git init -q -b main && git add -A && {git} commit -qm first", origin).returncode == 0
    assert run(f"git clone -q {shlex.quote(str(origin))} here", tmp_path).returncode == 0
    if is_rewritten:
        ledger = here / "ledger.jsonl"
        ledger.write_bytes(ledger.read_bytes().replace(b'"by":"', b'"by":"not '))
    told = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "LITMUS_PARAMS": "params.yaml"}
    done = run("\n".join(template[".litmus-ledger"]["script"]), here, told)
    assert done.returncode == (4 if is_rewritten else 0), done.stderr


# -- pre-commit


BROKEN = {
    "litmus-nb-gate": ("probes.jsonl", lambda text: text[text.index("\n") + 1 :]),
    "litmus-nb-suite": ("suite.yaml", lambda text: text.replace("schema:", "shema:", 1)),
    "litmus-nb-ledger": ("ledger.jsonl", lambda text: text.replace('"by":"', '"by":"not ', 1)),
}


@pytest.mark.parametrize("id_", BROKEN)
@pytest.mark.parametrize("is_broken", [False, True], ids=["right", "broken"])
def test_each_hook_passes_what_is_right_and_stops_what_is_broken(
    id_: str, is_broken: bool, root: Path, tmp_path: Path
) -> None:
    hooks = {one["id"]: one for one in yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    config = yaml.safe_load((root / "examples/ci/pre-commit-config.yaml").read_text(encoding="utf-8"))
    asked = {one["id"]: one["args"] for one in config["repos"][0]["hooks"]}
    assert set(BROKEN) == set(hooks) == set(asked)
    write(correct_world(), tmp_path)
    git = "git -c user.name=a -c user.email=a@localhost"
    assert run(f"git init -q && git add -A && {git} commit -qm first", tmp_path).returncode == 0
    if is_broken:
        name, change = BROKEN[id_]
        (path,) = (one for one in tmp_path.rglob(name))
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
        assert re.search(hooks[id_]["files"], str(path.relative_to(tmp_path)))
    done = run(f"{hooks[id_]['entry']} {shlex.join(asked[id_])}", tmp_path)
    assert (done.returncode != 0) == is_broken, done.stdout + done.stderr


# -- docs/papermill-in-ci.md


def shown(root: Path) -> list[tuple[int, str]]:
    text = (root / "docs/papermill-in-ci.md").read_text(encoding="utf-8")
    return [
        (int(status), script) for status, script in re.findall(r"<!-- exit: (\d) -->\n```\w+\n(.*?)```", text, re.S)
    ]


def test_every_shown_block_says_how_it_ends(root: Path) -> None:
    text = (root / "docs/papermill-in-ci.md").read_text(encoding="utf-8")
    assert len(shown(root)) == text.count("```") // 2 == 7


@pytest.mark.parametrize("place", range(7))
def test_the_page_on_papermill_tells_what_happens(place: int, root: Path, workspace: Path) -> None:
    status, script = shown(root)[place]
    needed = [name for name in ("jq", "papermill") if f"{name} " in script]
    missing = [
        name for name in needed if not shutil.which(name, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    ]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    # The page's point is what a plain shell does, so nothing is set that the block does not set itself.
    done = run(f"set +eo pipefail\n{script}", workspace, {"PATH": without_a_kernel(workspace)})
    assert done.returncode == status, done.stderr[-2000:]
