"""Runs gates and owns the fact that a verdict is fresh: papermill made strict, and deciding in this process."""
