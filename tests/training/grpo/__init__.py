"""Policies: their formulas, their reward function, and whole encounters as roll-outs."""
