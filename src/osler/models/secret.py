"""Secret handling: a wrapper that never shows an API key, and the redaction of keys from foreign text."""

from __future__ import annotations

import re
from typing import Final, Never

SHOWN: Final = 200
_HIDDEN: Final = "[hidden]"
_SHORTEST_STRUCK: Final = 8
_LOOKS_LIKE_KEY: Final = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|nvapi)-[\w-]{12,}|\b(?:hf|gsk|ghp)_\w{12,}|\bAIza[\w-]{16,}|\bAKIA[A-Z0-9]{12,}"
    r"|\beyJ[\w-]{8,}\.|\b[Bb]earer\s+\S"
)
_IN_OTHERS_WORDS: Final = re.compile(
    r"\b[Bb]earer\s+\S+|\b(?:sk|pk|rk|gsk|xai|nvapi|hf|ghp)[-_][^\s\"']{6,}|\b(?:AIza|AKIA|eyJ)[\w.-]{8,}"
    r"|[^\s*\"']{0,40}\*{3,}[^\s\"']{0,40}|\b[A-Za-z0-9]{24,}"
)
_CONTROL: Final = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
_WORD: Final = re.compile(r"[^\s\"'`,;:<>()\[\]{}]{6,}")


class Secret:
    """An API key, and other values that must be hidden with it. Only `reveal` and `all` return them; any
    other way of writing it shows `Secret(***)` or fails."""

    __slots__ = ("_others", "_value")

    def __init__(self, value: str, *others: str) -> None:
        self._value, self._others = value, others

    def reveal(self) -> str:
        """The key itself, for the one header that needs it."""
        return self._value

    def all(self) -> tuple[str, ...]:
        """Everything to be hidden from foreign text."""
        return tuple(filter(None, (self._value, *self._others)))

    def struck_from(self, raw: bytes) -> bytes:
        """Foreign bytes without these values, so that an endpoint that echoes them puts them nowhere. Those
        of fewer than 8 characters are left: they may be part of any word."""
        for value in self.all():
            if len(value) >= _SHORTEST_STRUCK and (result := value.encode()) in raw:
                raw = raw.replace(result, _HIDDEN.encode())
        return raw

    def __repr__(self) -> str:
        return "Secret(***)"

    def __reduce__(self) -> Never:
        raise TypeError("a key is not written down")


def looks_like_key(text: str) -> bool:
    """Whether a text contains something that looks like a provider's API key."""
    return _LOOKS_LIKE_KEY.search(text) is not None


def looks_like_name(text: str) -> bool:
    """Whether a text is clearly the name of an environment variable: capitals, and not one long code."""
    if not re.fullmatch(r"[A-Z_][A-Z0-9_]{0,99}", text) or looks_like_key(text):
        return False
    return len(text) < 16 or "_" in text or not any(c.isdigit() for c in text)


def sanitized(text: str, secret: Secret | None = None, limit: int = SHOWN) -> str:
    """Sanitize foreign text for an error message: one line, no control characters, no key or part of one,
    at most `limit` characters."""
    text = struck(_CONTROL.sub(" ", text[: 20 * limit]).strip(), secret)
    text = _IN_OTHERS_WORDS.sub(_HIDDEN, text)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def struck(text: str, secret: Secret | None) -> str:
    """Foreign text of any length without these values and without words that are part of one."""
    for key in secret.all() if secret is not None else ():
        text = text.replace(key, _HIDDEN)
        text = _WORD.sub(lambda word: _HIDDEN if _is_part(word.group(), key) else word.group(), text)  # noqa: B023
    return text


def without_keys(text: str) -> str:
    """Foreign text of any length without what looks like a provider's API key."""
    return _LOOKS_LIKE_KEY.sub(_HIDDEN, text)


def _is_part(word: str, key: str) -> bool:
    """Whether a word is part of the key, or the key abbreviated in the middle (`abcdef...wxyz`)."""
    bare = word.strip(".*…")
    return len(bare) >= 6 and (bare in key or (bare[:6] == key[:6] and bare[-4:] == key[-4:]))
