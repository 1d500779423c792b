"""Keys are used and never shown: a wrapper without a readable face, and the cleaning of others' words."""

from __future__ import annotations

import re
from typing import Final, Never

SHOWN: Final = 200
_HIDDEN: Final = "[hidden]"
_KEY_BEGINNINGS: Final = r"(?:sk|pk|rk|gsk|hf|xai|nvapi|AIza|AKIA|ghp|eyJ)"
_LOOKS_LIKE_KEY: Final = re.compile(
    rf"(?:^|\b){_KEY_BEGINNINGS}[-_]?[A-Za-z0-9_\-*.]{{8,}}|\b[Bb]earer\s+\S"
)
_IN_OTHERS_WORDS: Final = re.compile(
    rf"\b[Bb]earer\s+\S+|\b{_KEY_BEGINNINGS}[-_]\S{{4,}}|\S*\*{{3,}}\S*|\b[A-Za-z0-9_\-]{{28,}}"
)
_CONTROL: Final = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
_WORD: Final = re.compile(r"[^\s\"'`,;:<>()\[\]{}]{6,}")


class Secret:
    """A key. Only `reveal` gives it; every other way of writing it down shows `Secret(***)` or fails."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself, for the one header that needs it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    def __reduce__(self) -> Never:
        raise TypeError("a key is not written down")


def looks_like_key(text: str) -> bool:
    """Whether a setting looks like a key itself rather than like a name."""
    if _LOOKS_LIKE_KEY.search(text):
        return True
    unbroken = len(text) >= 16 and "_" not in text and text.isalnum()
    return unbroken and any(c.isdigit() for c in text) and any(c.isalpha() for c in text)


def sanitized(text: str, secret: Secret | None = None, limit: int = SHOWN) -> str:
    """Others' words made fit for an error message: one line, no control characters, no key or part of one,
    at most `limit` characters."""
    text = _CONTROL.sub(" ", text[: 20 * limit]).strip()
    if secret is not None:
        key = secret.reveal()
        text = text.replace(key, _HIDDEN)
        text = _WORD.sub(lambda word: _HIDDEN if _is_part(word.group(), key) else word.group(), text)
    text = _IN_OTHERS_WORDS.sub(_HIDDEN, text)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _is_part(word: str, key: str) -> bool:
    """Whether a word is a piece of the key, or the key shortened in its middle (`abcdef...wxyz`)."""
    bare = word.strip(".*…")
    return len(bare) >= 6 and (bare in key or (bare[:6] == key[:6] and bare[-4:] == key[-4:]))
