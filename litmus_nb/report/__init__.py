"""What people and machines read of a verdict. It reads contracts only: nothing here can recompute or improve a number.

Every string of the evidence is hostile until `litmus_nb.report.text` has cleaned it.
"""
