"""Wrappers: players built around another player of any seat. Each one asked sees the whole encounter so far."""
