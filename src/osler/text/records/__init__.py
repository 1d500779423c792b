"""Readings of a record's words that every reader of records shares: missing values, language, speaker.

They stand apart from the words of spoken language, whose fingerprint is part of the graders' versions.
"""
