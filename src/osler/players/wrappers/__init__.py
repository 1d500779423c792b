"""Wrappers: players built around another of any seat. Each one asked sees the whole encounter so far."""
