"""What notebook cells call: each cell one line, everything of substance in the package."""
