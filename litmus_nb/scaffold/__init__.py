"""A first gate in somebody's repository, from what they have. It writes what is not there and overwrites nothing."""
