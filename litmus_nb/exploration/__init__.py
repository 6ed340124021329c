"""Two runs set side by side without a gate: what can be paired, what cannot, what a gate would have said.

It decides nothing, and opens no file.
"""
