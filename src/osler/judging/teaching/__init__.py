"""How a ward round's teaching is scored: sessions, scales, model judges.

A session is what everybody in the room could hear, with case, answer and steps beside it; who taught is no
part of it.
"""
