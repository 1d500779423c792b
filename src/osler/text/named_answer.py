"""Whether a question names an answer, and what is left of it without the part that does."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from osler.text.key_points import share, telling

_WORD: Final = re.compile(r"[a-z0-9]+")
_BRACKET: Final = re.compile(r"\([^()]*\)")
_POSSESSIVE: Final = re.compile(r"['’]s?\b")
# A single word of the answer as telling as the whole: "cholescintigraphy".
_TELLING: Final = 9
_SHORT: Final = 3
_GENERAL: Final = frozenset(
    "treatment management diagnosis operation procedure medication examination emergency immediate "
    "intravenous laboratory abdominal pulmonary peripheral congenital bacterial infection infectious "
    "syndrome deficiency intervention evaluation assessment increased decreased posterior anterior "
    "following consultation radiograph radiography ultrasound ultrasonography tomography resonance "
    "computed administration appropriate fracture carcinoma metastatic malignant secondary associated "
    "condition clinical symptoms therapeutic".split()
)
_PARTS: Final = re.compile(
    r"(?<=[.?!])\s+|[,;:]\s+|\s[–—-]\s|\s+(?=(?:such as|like|given|in the (?:context|setting) of|versus|"
    r"compared (?:to|with)"
    r"|rather than|as opposed to|and (?:how|what|why|which)|due to|because of|in light of)\b)",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"^(?:and |so |then )?(?:what|which|why|how|when|where|who|is|are|does|do|can|could|would|should)\b",
    re.IGNORECASE,
)
_LEAST: Final = 2
_CLAUSE: Final = 4
_AND: Final = re.compile(r"^(?:and|so|then) ", re.IGNORECASE)


def _plain(text: str) -> str:
    bare = _POSSESSIVE.sub(" ", text.lower()).replace("ae", "e").replace("oe", "e")
    return " ".join(_WORD.findall(bare))


@lru_cache(maxsize=4096)
def _names_of(answer: str) -> tuple[str, ...]:
    """The answer's name, whole and without its bracket; none for a bare number, a letter or a yes."""
    result = dict.fromkeys(_plain(one) for one in (answer, _BRACKET.sub(" ", answer)))
    return tuple(
        name for name in result if any(len(w) > 2 and w.isalpha() for w in name.split()) and telling(name)
    )


@lru_cache(maxsize=20_000)
def names_answer(text: str, answer: str) -> bool:
    """Whether a text names an answer: word for word, by all its content words, or by its most telling one."""
    seen = f" {_plain(text)} "
    names = _names_of(answer)
    if any(f" {name} " in seen or f" {name}s " in seen for name in names):
        return True
    if any(len(telling(name)) > 1 and share(text, name) >= 1 for name in names):
        return True
    short = [name for name in names if len(telling(name)) <= _SHORT]
    words = [w for name in short for w in name.split() if len(w) >= _TELLING and w not in _GENERAL]
    longest = max(words, key=len, default="")
    return bool(longest) and f" {longest}" in seen


@lru_cache(maxsize=20_000)
def without_answer(question: str, answer: str) -> str:
    """A question without the parts that name the answer; empty if what is left asks nothing."""
    if not names_answer(question, answer):
        return question
    parts = [part.strip() for part in _PARTS.split(question) if part and part.strip()]
    kept = [part for part in parts if not names_answer(part, answer)]
    if any(len(part.split()) < _CLAUSE for part in parts if part not in kept):
        return ""  # an item of a list: leaving it out would tell it apart from the others
    left = ", ".join(part.rstrip(" .?!,;:") for part in kept if part)
    if not _ASKS.match(left) or len(telling(left)) < _LEAST or names_answer(left, answer):
        return ""
    left = _AND.sub("", left)
    return f"{left[:1].upper()}{left[1:]}?"
