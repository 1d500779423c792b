"""Helpers for users' own tests: a small case, players that record, forget or play at random, and visitors."""
