"""THE CORE: seats, the table, the trace, and protocols, configurations and episodes as values.

Nothing in here names a particular protocol.
"""
