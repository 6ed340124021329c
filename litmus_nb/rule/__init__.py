"""What the gate decides. Pure: opens nothing, reads no clock, draws no random number."""
