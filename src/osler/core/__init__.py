"""The kernel: events, seats' contracts, the table, traces, episodes, and the protocol as a value.

It names no protocol and imports nothing but errors, files and plug-ins; what it takes from other rooms by
default (casting, a plain form for a person) it names and does not import.
"""
