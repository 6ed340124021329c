"""The shipped examples: a policy that allows what is shown and nothing else, and commands that exist.

The policy is run by OPA where it is on the PATH, else by regopy where that is installed; neither is needed to use
litmus_nb. OPA's documentation has the semantics that matter here: a rule whose body is undefined does not hold, and
`default allow := false` is what `allow` is then.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import json
import re
import shutil
import subprocess

import pytest
import yaml

from tests.attest.test_tampering import flipped, holder_of, leaves
from tests.documents.commands import assert_is_a_command, code_of, shown_commands


def opa_allows(policy, statement, pins, tmp_path):
    (tmp_path / "pins.json").write_text(json.dumps(pins))
    command = ["opa", "eval", "--format", "raw", "--data", str(policy), "--data", str(tmp_path / "pins.json")]
    if statement is not None:
        (tmp_path / "statement.json").write_text(json.dumps(statement))
        command += ["--input", str(tmp_path / "statement.json")]
    done = subprocess.run([*command, "data.litmus.allow"], capture_output=True, text=True, check=True)
    return done.stdout.strip() == "true"


def regopy_allows(policy, statement, pins, tmp_path):
    interpreter = importlib.import_module("regopy").Interpreter()
    interpreter.add_module("litmus", policy.read_text())
    interpreter.add_data(pins)
    if statement is not None:
        interpreter.set_input(statement)
    return str(interpreter.query("data.litmus.allow")) == '{"expressions":[true]}'


@pytest.fixture
def allows(root, tmp_path):
    """Whether the policy allows a statement under pins; a test with several questions asks in one process."""
    if shutil.which("opa"):
        ask = opa_allows
    elif importlib.util.find_spec("regopy"):
        ask = regopy_allows
    else:
        pytest.skip("neither OPA nor regopy is here to run the policy")
    return lambda statement, pins: ask(root / "examples/policy/litmus.rego", statement, pins, tmp_path)


@pytest.fixture
def statement(folder):
    return json.loads((folder / "out/verdict.statement.json").read_bytes())


@pytest.fixture
def pins(statement):
    digests = statement["predicate"]["verdict"]["evidence"]
    return {
        "litmus": {
            "artefact_sha256": digests["policy_digest"].removeprefix("sha256:"),
            "gate_sha256": digests["gate_sha256"],
            "now_unix": statement["predicate"]["issuedAtUnix"] + 60,
            "max_age_days": 7,
            "min_ledger_length": 1,
        }
    }


def test_a_fresh_pass_for_the_pinned_artefact_is_allowed(allows, statement, pins):
    assert allows(statement, pins) is True


def test_nothing_is_allowed_where_anything_is_missing(allows, statement, pins):
    assert allows(None, pins) is False
    assert allows({}, pins) is False
    assert allows(statement, {}) is False
    for name in pins["litmus"]:
        fewer = {"litmus": {key: value for key, value in pins["litmus"].items() if key != name}}
        assert allows(statement, fewer) is False, name


DECIDING = re.compile(
    r"/(_type|predicateType|subject/0/(name|digest/sha256)|predicate/(issuedAtUnix|expiresAtUnix)|"
    r"predicate/verdict/(schema|verdict|gate_open|classes/\d/outcome|evidence/(policy_digest|gate_sha256|ledger_length)))"
)


def test_whatever_decides_is_needed(allows, statement, pins):
    """Left out, or null; a policy of denials would be satisfied by both."""
    deciding = [path for path in leaves(statement) if DECIDING.fullmatch("".join(f"/{part}" for part in path))]
    assert len(deciding) == 14
    for path in deciding:
        for change in (lambda holder, key: holder.pop(key), lambda holder, key: holder.update({key: None})):
            changed = copy.deepcopy(statement)
            change(holder_of(changed, path), path[-1])
            assert allows(changed, pins) is False, path


@pytest.mark.parametrize("state", ["FAIL", "REJECTED", "NO_VERDICT", "pass", "PASSED", True, ["PASS"]])
def test_only_pass_is_allowed(allows, statement, pins, state):
    statement["predicate"]["verdict"]["verdict"] = state
    assert allows(statement, pins) is False


def test_what_is_pinned_is_compared(allows, statement, pins):
    for name in ("artefact_sha256", "gate_sha256"):
        other = {"litmus": pins["litmus"] | {name: flipped(pins["litmus"][name])}}
        assert allows(statement, other) is False, name
    for name, value in (("now_unix", 0), ("now_unix", 2**40), ("max_age_days", -1), ("min_ledger_length", 2)):
        assert allows(statement, {"litmus": pins["litmus"] | {name: value}}) is False, name


def test_a_second_policy_among_the_subjects_is_refused(allows, statement, pins):
    statement["subject"].append({"name": "policy", "digest": {"sha256": "0" * 64}})
    assert allows(statement, pins) is False


def test_no_classes_are_no_pass(allows, statement, pins):
    statement["predicate"]["verdict"]["classes"] = []
    assert allows(statement, pins) is False


# -- the commands that the examples and the docs show ----------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "examples/ci/github/gate.yml",
        "examples/ci/github/action.yml",
        "examples/ci/gitlab/litmus-gate.yml",
        "docs/papermill-in-ci.md",
        "examples/policy/README.md",
        "examples/policy/litmus.rego",
        "examples/kubernetes/README.md",
        "docs/evidence-chain.md",
        "docs/formats.md",
    ],
)
def test_the_commands_that_are_shown_exist(root, name):
    text = (root / name).read_text(encoding="utf-8")
    for words in shown_commands(code_of(text) if name.endswith(".md") else text):
        assert_is_a_command(words)


def test_the_workflow_is_yaml_and_gives_the_gate_no_secret(root):
    workflow = yaml.safe_load((root / "examples/ci/github/gate.yml").read_text(encoding="utf-8"))
    assert set(workflow["jobs"]) == {"ledger", "gate", "record", "sign"}
    assert "secrets" not in json.dumps(workflow["jobs"]["gate"])
    assert workflow["permissions"] == {"contents": "read"}
