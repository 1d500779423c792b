"""Scoring the teaching of a ward round: sessions, scales, model judges.

A session is what everyone in the room could hear, plus case, answer and steps; it does not say who taught.
"""
