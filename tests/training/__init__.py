"""The room of training."""
