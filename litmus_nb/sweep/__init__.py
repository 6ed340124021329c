"""Many gates at once: a fleet of isolated runs on dask.distributed, and one matrix of what became of them."""
