"""WHO MAY SAY AND SEE WHAT: the contract of every seat. Imports nothing but pydantic."""
