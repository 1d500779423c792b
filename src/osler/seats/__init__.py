"""The contracts of all seats: WHO MAY SAY AND SEE WHAT. Imports nothing but pydantic."""
