# Admission by a litmus_nb verdict. Allowed is only what is shown; whatever is missing, misspelt or null is not.
#
#   input        the in-toto statement: the payload of verdict.dsse.json, AFTER its signature was verified with your own
#                key (litmus-nb check --key, cosign verify-blob-attestation --key, gh attestation verify). This policy sees
#                no signature: without that step anybody can write its input.
#   data.litmus  what you pin, from a place that whoever made the verdict cannot write to:
#                artefact_sha256     hex digest of what is about to ship (the policy that was gated)
#                gate_sha256         `sha256:` and hex digest of the gate.yaml that you mean
#                now_unix            the present, in seconds
#                max_age_days        the oldest verdict that you accept
#                min_ledger_length   the longest ledger that you have seen
#
# Do not turn it round into `deny if verdict != "PASS"`: where a field is missing that rule is undefined, nothing is
# denied, and the gate stands open.
package litmus

import rego.v1

default allow := false

allow if {
	input._type == "https://in-toto.io/Statement/v1"
	input.predicateType == "urn:litmus-nb:attestation:verdict:v1"
	is_pass
	is_about_the_artefact
	is_of_the_gate
	is_fresh
	is_not_rolled_back
}

is_pass if {
	verdict := input.predicate.verdict
	verdict.schema == "litmus-nb/verdict/v1"
	verdict.verdict == "PASS"
	verdict.gate_open == true
	count(verdict.reasons) == 0
	count(verdict.classes) > 0
	count([class | some class in verdict.classes; class.outcome == "PASS"]) == count(verdict.classes)
}

is_about_the_artefact if {
	policies := [subject | some subject in input.subject; subject.name == "policy"]
	count(policies) == 1
	policies[0].digest.sha256 == data.litmus.artefact_sha256
	input.predicate.verdict.evidence.policy_digest == concat(":", ["sha256", data.litmus.artefact_sha256])
}

is_of_the_gate if {
	input.predicate.verdict.evidence.gate_sha256 == data.litmus.gate_sha256
}

is_fresh if {
	is_number(input.predicate.issuedAtUnix)
	is_number(input.predicate.expiresAtUnix)
	is_number(data.litmus.now_unix)
	is_number(data.litmus.max_age_days)
	data.litmus.now_unix >= input.predicate.issuedAtUnix - 300
	data.litmus.now_unix < input.predicate.expiresAtUnix
	data.litmus.now_unix - input.predicate.issuedAtUnix <= data.litmus.max_age_days * 86400
}

is_not_rolled_back if {
	is_number(data.litmus.min_ledger_length)
	is_number(input.predicate.verdict.evidence.ledger_length)
	input.predicate.verdict.evidence.ledger_length >= data.litmus.min_ledger_length
}
