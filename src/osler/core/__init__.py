"""The protocol-independent core: the Protocol value, configurations, episodes and the registry.

Nothing in here names a particular protocol.
"""
