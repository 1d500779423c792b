"""The language that a text is written in, told by its letters and its frequent words.

It is for the records of cases, which hold a few words or a few pages. Letters tell a language of its own
script; of those in Latin letters a list of words does (`written_in.yaml`). What is not surely another
language is English: a list of findings, drugs and Latin names has no language of its own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Final

import yaml

from osler.text.languages import ENGLISH

_LONGEST: Final = 20_000
# The first whose letters make up the share wins; Japanese is told from Chinese by its own letters.
_SCRIPTS: Final = {
    "ja": r"[\u3040-\u30ff]",
    "ko": r"[\uac00-\ud7af\u1100-\u11ff]",
    "zh": r"[\u3400-\u9fff]",
    "ar": r"[\u0600-\u06ff\u0750-\u077f]",
    "he": r"[\u0590-\u05ff]",
    "hi": r"[\u0900-\u097f]",
    "bn": r"[\u0980-\u09ff]",
    "ta": r"[\u0b80-\u0bff]",
    "th": r"[\u0e00-\u0e7f]",
    "el": r"[\u0370-\u03ff\u1f00-\u1fff]",
    "ru": r"[\u0400-\u04ff]",
}
_COUNTED: Final = {code: re.compile(letters) for code, letters in _SCRIPTS.items()}
_ITS_OWN: Final = {
    "ar": (
        ("ur", re.compile("[\u0679\u0688\u0691\u06ba\u06d2]")),
        ("fa", re.compile("[\u067e\u0686\u0698\u06af]")),
    ),
    "ru": (("uk", re.compile("[\u0456\u0457\u0454\u0491]", re.IGNORECASE)),),
}
_LETTER: Final = re.compile(r"[^\W\d_]")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# A word with a capital inside a sentence is a name ("Maria de la Cruz"); in German it may be any noun.
_NAME: Final = re.compile(r"(?<=[^\W\d_A-Z] )[A-Z][^\W\d_]*")
_MARKED: Final = re.compile(r"[^\W\d_a-z]")
# Han characters say more each than letters do.
_SHARE: Final = {"zh": 0.12, "ja": 0.08, "ko": 0.15}
_USUAL_SHARE: Final = 0.25
_FEWEST_LETTERS: Final = 2
_FEWEST_WORDS: Final = 2
_MORE_THAN_ENGLISH: Final = 1.2
_CAPITAL_NOUNS: Final = "de"
_SHORT: Final = 12
"""A text of no more words is told by two words of a language; a longer one by three."""


def written_in(text: str) -> str:
    """The ISO 639-1 code of the language of a text; English where it is not surely another."""
    text = text[:_LONGEST]
    if not text.isascii():
        letters = len(_LETTER.findall(text))
        for code, of_script in _COUNTED.items():
            count = len(of_script.findall(text))
            if count >= _FEWEST_LETTERS and count >= letters * _SHARE.get(code, _USUAL_SHARE):
                return next((own for own, its in _ITS_OWN.get(code, ()) if its.search(text)), code)
    return _by_words(text)


def _by_words(text: str) -> str:
    words = _plain(text)
    result = _counted(_plain(_NAME.sub(" ", text)))
    result[_CAPITAL_NOUNS] = _counted(words)[_CAPITAL_NOUNS]
    english = result.pop(ENGLISH, Counter()).total()
    # A word of two languages speaks for both; the language with more different words has it.
    best = max(result, key=lambda code: (len(result[code]), result[code].total()))
    told = result[best]
    needed = _FEWEST_WORDS if len(words) <= _SHORT else _FEWEST_WORDS + 1
    sure = len(told) >= needed and told.total() > english * _MORE_THAN_ENGLISH
    marked = any(_MARKED.search(word) for word in told) or len(told) > needed
    return best if sure and marked else ENGLISH


def _counted(words: Iterable[str]) -> defaultdict[str, Counter[str]]:
    """For each language, how often each of its words stands in a text."""
    known, result = _languages_of_words(), defaultdict[str, Counter[str]](Counter)
    for word in words:
        for code in known.get(word, ()):
            result[code][word] += 1
    return result


def _plain(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


@cache
def _languages_of_words() -> Mapping[str, tuple[str, ...]]:
    source = resources.files(__package__).joinpath("written_in.yaml").read_text(encoding="utf-8")
    codes = defaultdict[str, list[str]](list)
    for code, words in yaml.safe_load(source).items():
        for word in dict.fromkeys(str(words).split()):
            codes[word].append(code)
    return {word: tuple(of_word) for word, of_word in codes.items()}
