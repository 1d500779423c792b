"""Helpers for users' own tests: a small case, and players that record, forget or play at random."""
