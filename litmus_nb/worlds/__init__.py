"""Made worlds: a suite, a gate, a ledger and runs whose truth is known, from a written plan and a seed."""
