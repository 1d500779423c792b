"""Drafting a playable scenario from a station's papers by rule, without a model.

lines -> parts (candidate, actor, findings, mark sheet ...) -> facts, acts, items, states -> draft and checks
"""
