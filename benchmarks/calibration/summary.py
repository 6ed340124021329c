from pathlib import Path
import polars as pl


def write(results: pl.DataFrame, output: Path) -> None:
    pass
