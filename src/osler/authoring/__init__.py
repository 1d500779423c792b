"""CASES MADE BY MODELS: writing.py asks, draft.py says what shape a model writes and makes a case of it."""
