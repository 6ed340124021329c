"""Numbers and arrays: intervals, agreement, power. Nothing here knows what a gate, a class or a run is."""
