"""Reading: which findings a text affirms or denies.

One trie over words holds every wording of every finding together with the cues that turn a sentence round
("denies", "but", "raised", "my father"). A text is walked once, longest match first. Rules, in short:

- a negation reaches to the end of its clause: ".", ";", "but", or a comma followed by a new subject;
- "X negative" and "X: none" deny what stands just before;
- what a relative has is not the patient's;
- a laboratory name takes the qualifier beside it, else its place in a stated reference range, else in ours;
- what is both affirmed and denied in one text is affirmed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from osler.knowledge.findings import Finding, finding, findings

__all__ = ["Finding", "finding", "findings", "mentions"]

_TOKEN: Final = re.compile(r"[<≤]\s?\d[\d.]*|\d[\d.,/]*(?:\s?[-–]\s?\d[\d.,]*)?|[a-zβ]+(?:'[a-z]+)?|\++|[.;:!?,()\n]")
_DROPPED: Final = frozenset("my the a an his her their your our its some any very really so quite just".split())
_OWNERS: Final = frozenset(["my", "his", "her", "their", "our", "the"])
_PRONOUNS: Final = dict.fromkeys(
    "i he she they we it i'm i've he's she's they've i'd he'd she'd it's we've they're there there's".split(), "i"
)
_NOT: Final = dict.fromkeys(
    "don't doesn't didn't haven't hasn't hadn't isn't aren't wasn't weren't ain't cannot".split(), "not"
)
_CUES: Final[dict[str, tuple[str, ...]]] = {
    "negate": ("no", "not", "never", "denies", "denied", "deny", "denying", "without", "none of", "neither", "nor",
               "non", "negative for", "free of", "absence of", "no evidence of", "no history of", "rules out"),
    "stop": (".", ";", "!", "?", "\n", "but", "however", "although", "though", "except", "apart from", "whereas", "then", "yet"),
    "soft": (",", "and", ":", "(", ")"),
    "subject": ("i", "has", "have", "had", "reports", "reported", "admits", "endorses", "complains", "notes", "presents",
                "presented", "developed", "began", "says", "said", "noticed", "positive for", "tells"),
    "relative": ("father", "mother", "brother", "sister", "dad", "mum", "mom", "aunt", "uncle", "grandmother", "grandfather",
                 "cousin", "parents", "family history", "grandparent"),
    "deny_back": ("denied", "none", "absent", "negative", "not present", "not seen", "not palpable", "not heard", "not detected"),
    "high": ("raised", "elevated", "high", "increased", "positive", "above", "prolonged", "h", "↑", "detected", "reactive", "up", "rising"),
    "low": ("low", "reduced", "decreased", "below", "suppressed", "undetectable", "l", "depressed", "impaired", "diminished", "fallen"),
    "normal": ("normal", "negative", "unremarkable", "within normal", "not detected", "within reference", "clear", "not raised",
               "not elevated", "non reactive", "nonreactive", "not increased", "not reduced", "not low", "not high"),
}


class _Leaf(NamedTuple):
    """What a wording stands for: findings affirmed or denied (indices), laboratory names, cues."""

    affirms: tuple[int, ...] = ()
    denies: tuple[int, ...] = ()
    measures: tuple[int, ...] = ()
    cues: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Node:
    next: dict[str, _Node] = field(default_factory=dict)
    leaf: _Leaf | None = None


def _normal(word: str) -> str:
    """One spelling for a word: pronouns and "n't" unified, possessive and plural endings cut."""
    word = _PRONOUNS.get(word) or _NOT.get(word) or word
    if word.endswith("'s"):
        word = word[:-2]
    word = word.replace("'", "")
    if len(word) > 3 and word[-1] == "s" and not word.endswith(("ss", "us", "is", "as")):
        word = word[:-1]
    return word


class _Words(dict[str, str]):
    """Words to their normal spelling, remembered for the words that some wording uses; others are ""."""

    def __missing__(self, word: str) -> str:
        known = _normal(word)
        return known if known in self else ""


@dataclass(slots=True)
class _Lexicon:
    items: tuple[Finding, ...]
    root: _Node
    words: _Words
    implied: tuple[tuple[int, ...], ...]


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower().replace("’", "'"))


def _grow(root: _Node, words: _Words, form: str, leaf: _Leaf) -> None:
    node = root
    for token in _tokens(form):
        if token in _DROPPED:
            continue
        normal = _normal(token)
        words[normal] = normal
        node = node.next.setdefault(normal, _Node())
    old = node.leaf or _Leaf()
    node.leaf = _Leaf(
        old.affirms + tuple(i for i in leaf.affirms if i not in old.affirms),
        old.denies + tuple(i for i in leaf.denies if i not in old.denies),
        old.measures + tuple(i for i in leaf.measures if i not in old.measures),
        old.cues | leaf.cues,
    )


def _closure(items: tuple[Finding, ...]) -> tuple[tuple[int, ...], ...]:
    """For each finding, the indices of all that it implies, at any distance."""
    at = {item.id: i for i, item in enumerate(items)}

    def reach(i: int, seen: frozenset[int]) -> frozenset[int]:
        for name in items[i].implies:
            if at[name] not in seen:
                seen = reach(at[name], seen | {at[name]})
        return seen

    return tuple(tuple(sorted(reach(i, frozenset()) - {i})) for i in range(len(items)))


@lru_cache(maxsize=1)
def _lexicon() -> _Lexicon:
    items, root, words = findings(), _Node(), _Words()
    for i, item in enumerate(items):
        for form in item.forms + item.positive:
            _grow(root, words, form, _Leaf(affirms=(i,)))
        for form in item.negative:
            _grow(root, words, form, _Leaf(denies=(i,)))
        for form in item.analytes:
            _grow(root, words, form, _Leaf(measures=(i,)))
    for cue, forms in _CUES.items():
        for form in forms:
            _grow(root, words, form, _Leaf(cues=frozenset([cue])))
    return _Lexicon(items, root, words, _closure(items))
