"""A verdict as something that others can rely on: statement, signature, bundle, and the consumer's check."""
