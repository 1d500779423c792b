"""The door for agents that speak MCP: a seat's replies as tools, over standard input and output or HTTP.

Only `server` imports the tool's package; all else is plain Osler.
"""
