"""Normalization of the words of a diagnosis: spelling, plural, Latin endings, adjective to noun."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from osler.judging.diagnosis.vocabulary import word_lists

Words = tuple[str, ...]

CLAUSE: Final = frozenset(
    "due caused because with complicated from in following after to by".split()
    + "mimicking resembling simulating".split()
)
_EMPTY: Final = frozenset({"the", "a", "an", "and", "et", "this", "is", "his", "her", "patient"})
_UNSPOKEN: Final = _EMPTY | CLAUSE | {"of", "s"}
_BEFORE_ARTICLE: Final = CLAUSE | {"of"}
_PREFIX_WORDS: Final = frozenset(
    "non without gastro post pre anti broncho cardio cerebro haemo hemo hyper hypo intra micro macro musculo "
    "naso neuro osteo poly pseudo retro sub thrombo".split()
)
_WORD: Final = re.compile(r"[a-z0-9]+")
_ISE: Final = re.compile(r"is(?=(?:e|ed|es|ing|ation)$)")
_IMMUNOGLOBULIN: Final = re.compile(r"\bimmunoglobulin ([adegm])\b")
_POSSESSIVE: Final = re.compile(r"['’`´]s\b")
_SUBSTITUTES: Final = (("leuco", "leuko"), ("sulph", "sulf"), ("ae", "e"), ("ooe", "oe"), ("oe", "e"))
_KEPT_S: Final = ("ss", "us", "is", "os", "ous")
_LATIN_OUS: Final = re.compile(r"os(?:us|a|um)$")
_LONGEST_INITIALS: Final = 6
_GREEK: Final = str.maketrans(
    {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "λ": "lambda"}
)
_DASHES: Final = str.maketrans({**dict.fromkeys("‐‑‒–—―−", "-"), "’": "'", "‘": "'", "“": '"', "”": '"'})


@lru_cache(maxsize=1)
def _synonym_words() -> dict[str, Words]:
    return {one_form(key): (one_form(word),) for key, word in word_lists()["spelt"].items()}


@lru_cache(maxsize=8192)
def one_form(word: str) -> str:
    """A word in American spelling and the singular; it only needs to be the same for both sides."""
    for old, new in _SUBSTITUTES:
        word = word.replace(old, new)
    if len(word) > 6:
        word = _ISE.sub("iz", word)
    if len(word) > 5 and word.endswith("our"):
        word = f"{word[:-3]}or"
    if len(word) > 5 and word.endswith("mata"):
        return word[:-2]
    if word.endswith("eous"):
        return f"{word[:-4]}eus"
    if len(word) > 5 and _LATIN_OUS.search(word):
        return _LATIN_OUS.sub("ous", word)
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(_KEPT_S):
        return word[:-1]
    return word


@lru_cache(maxsize=8192)
def _forms(word: str) -> Words:
    plain = one_form(word)
    if plain.startswith("adenocarcinoma"):
        return ("adeno", "carcinoma")
    return _synonym_words().get(plain, (plain,))


def words_of(text: str) -> Words:
    """The normalized words of a text; `non x`, `post-x` and `x-like` are one word each."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in text if not unicodedata.combining(char))
    plain = _POSSESSIVE.sub("", text.lower().replace("&", " and ").replace("in situ", "insitu"))
    plain = _IMMUNOGLOBULIN.sub(r"ig\1", plain)
    words: list[str] = []
    glue = ""
    for word in _WORD.findall(plain):
        if word == "like" and words:
            words[-1] += word
        elif word in _PREFIX_WORDS:
            glue += word
        elif word not in _EMPTY or (word == "a" and words and words[-1] not in _BEFORE_ARTICLE):
            words.extend(_forms(glue + word))
            glue = ""
    if glue:
        words.append(glue)
    return tuple(words)


@lru_cache(maxsize=8192)
def plain_text(text: str) -> str:
    """A text in lower case, without accents and 's, each word in one spelling; punctuation stays."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_GREEK))
        text = "".join(char for char in text if not unicodedata.combining(char)).translate(_DASHES)
    plain = _POSSESSIVE.sub("", text.lower().replace("&", " and "))
    return _WORD.sub(lambda match: one_form(match[0]), plain)


def initials_of(name: str) -> str:
    """The first letters of a name of two to six words; empty for other names."""
    words = [word for word in _WORD.findall(name.lower()) if word not in _UNSPOKEN]
    return "".join(word[0] for word in words) if 2 <= len(words) <= _LONGEST_INITIALS else ""
