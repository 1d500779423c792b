"""The doctor as a trained seat."""
