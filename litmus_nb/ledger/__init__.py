"""The ledger on disk: baselines, quarantines, verdicts, each a line chained to the one before."""
