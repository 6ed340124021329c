"""What a sandbox really grants: a probe inside it, a beacon outside it, and the comparison of what they saw."""
