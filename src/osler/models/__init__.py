"""TALKING TO MODELS: one small typed interface over any OpenAI-compatible endpoint.

types.py says what is asked and answered; config.py reads `osler.toml`; client.py does the asking with what
wire.py, faults.py, structured.py, limiter.py, breaker.py and budget.py know; cache.py stands in front of it.
Imports nothing of ours but `osler.errors`.
"""
