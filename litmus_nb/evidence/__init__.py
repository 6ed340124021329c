"""Run folders, suites and the readers of other tools' logs: files in, facts out. Decides nothing."""
