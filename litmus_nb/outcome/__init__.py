"""What a gate leaves: a decision in this process, the output folder, the page."""
