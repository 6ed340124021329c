"""Does a PASS mean what it says? Rates of wrong and right decisions over a grid of truths. README.md: how to run it."""
