"""Wrappers: players built around another player of any seat. Every inner question includes the whole
encounter so far."""
