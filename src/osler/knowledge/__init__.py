"""The knowledge of built-in players: formulary, conditions, findings and biases, as data and its loaders."""

from __future__ import annotations

from osler.files import KNOWLEDGE, packaged_fingerprint


def fingerprint() -> str:
    """16 hex digits over every packaged knowledge file and the sentence encoder's; with others, built-in
    players may play otherwise."""
    return packaged_fingerprint(*KNOWLEDGE)
