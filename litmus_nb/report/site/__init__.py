"""A site over many gate reports: files alone, no server. What was published stays where it is."""
