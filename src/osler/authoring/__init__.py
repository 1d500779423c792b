"""CASES WRITTEN BY MODELS: writing.py queries the model, draft.py has the draft's schema and conversion."""
