"""Every file as a strict frozen model, the reason codes, canonical JSON and digests. Opens nothing."""
