"""MODEL CLIENTS: one small typed interface over any OpenAI-compatible endpoint.

types.py defines requests and answers; config.py reads `osler.toml`; client.py sends requests, using wire.py,
faults.py, structured.py, limiter.py and budget.py; cache.py wraps a client. Imports nothing else
of ours but `osler.errors`.
"""
