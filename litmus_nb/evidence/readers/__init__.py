"""Readers of other tools' logs: one file per tool, one row each in `litmus_nb.evidence.sources.READERS`.

A reader yields what a log says: an outcome per trial, and the facts of run.json that the log states. It never yields a
rate, and it believes no total of the log. What the log cannot say is declared beside it, never guessed.
"""
