"""Judge drift: did the agent change, or the judge? Label tables in, findings with their limits out; opens no file.

table = litmus_nb.read_labels("labels.parquet")
report = investigate(table, Question())        # everything at once
compare_raters(table, first, second)           # or step by step
"""
