"""For evals that run under Inspect: the hook that insists on a ticket, reference policies, and the canary's command.

Loaded by Inspect through its entry points; it needs the extra `inspect`.
"""
