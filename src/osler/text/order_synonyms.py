"""Synonyms in orders, for all scenarios at once: "crash call" also says "2222", "sats probe" also "monitor".

The words are in `order_synonyms.yaml`. `without_verbs` gives the rule for an act named without its verb.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources
from typing import Final

import yaml

from osler.text.act_rules import Rule, rule, stems
from osler.text.order_verbs import ORDER_VERBS
from osler.text.quantities import in_figures
from osler.text.tokens import lowered

_BREAK: Final = "|"
"""A stem that no rule holds, so that no wording reaches across two expressions."""
_PLACES: Final = frozenset(
    stems("down here next beside with you in on up off out away back now today one it")
)
_PARTS: Final = frozenset(
    stems(
        "abdomen belly tummy stomach kidney kidneys loin chest lung lungs heart neck throat mouth "
        "tongue lips skin arm "
        "forearm wrist elbow hand head airway eyes ears legs leg feet back pulse breathing body "
        "uterus womb fundus"
    )
)
"""Places and parts of the body: with its verb gone, a rule that asks only for one of them says nothing."""
_GENERAL_VERBS: Final = frozenset(
    stem
    for verb in """
    administer apply arrange ask assess attach book check commence connect do draw establish examine
    feel fill find get give inspect insert listen look measure obtain offer order palpate perform place
    prescribe provide put read record request run secure see send set show site start take test transfer
    write hand hang infuse inject
    call ring phone page bleep contact introduce bring invite refer involve inform tell alert notify discuss
    speak consult summon fetch join calls introduces referral review ring telephone
    initiate pull push schedule use sends takes places gives having have having full another reads begin load
    """.split()
    for stem in stems(verb)
)

_VERB_FORMS: Final = frozenset(stems(" ".join(ORDER_VERBS)))
_APART: Final = re.compile(
    r"\b(take|turn|switch|put|hook|pull|get|lay|lie|lift|raise|write|run|hang|shut|hand|cross"
    r"|call|wheel|roll)"
    r"(?:ing)?\s+(?:[\w'-]+\s+){1,6}?(down|off|up|on|out|over|back|flat|away)\b"
)
"""Verbs with their particle apart: "take that antibiotic down" also says "take down"."""

_GETS_UP: Final = re.compile(
    r"\bget(?:ting)?\s+(?!her\b|him\b|you\b|them\b|the patient\b|ms\b|mrs?\b)(?=.*\bup\b)"
)
"""To get a litre up is not to get up."""
_LET_KNOW: Final = re.compile(r"\blet(?:ting)?\s+(?:[\w'-]+\s+){1,5}know\b")


@lru_cache(maxsize=8192)
def in_figures_too(text: str) -> tuple[str, ...]:
    """The stems of a text with its numbers in figures, if that makes a difference."""
    figures = stems(in_figures(text))
    return () if figures == stems(text) else (_BREAK, *figures)


@lru_cache(maxsize=8192)
def also_said(text: str) -> tuple[str, ...]:
    """The stems of the synonyms of what an order says."""
    result: list[str] = []
    for verb, particle in _APART.findall(_GETS_UP.sub(" ", lowered(text))):
        result += (_BREAK, *stems(f"{verb} {particle}"))
    if _LET_KNOW.search(lowered(text)):
        result += (_BREAK, *stems("inform tell let know"))
    for said in (stems(text), in_figures_too(text)):
        for _, means in _longest(said):
            result += (_BREAK, *means)
    return tuple(result)


def _longest(said: tuple[str, ...]) -> list[tuple[tuple[int, int], tuple[str, ...]]]:
    """The synonyms that occur, with their spans, but for those inside a longer one: a Macmillan nurse is not
    the Macmillan service."""
    pairs = [
        ((at, at + len(way)), means)
        for at, word in enumerate(said)
        for way, means in _synonyms().get(word, ())
        if said[at : at + len(way)] == way
    ]
    return [
        (span, means)
        for span, means in pairs
        if not any(other != span and other[0] <= span[0] and span[1] <= other[1] for other, _ in pairs)
    ]


@cache
def _synonyms() -> dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]]:
    """The meanings of wordings, by a wording's first stem."""
    text = (resources.files("osler.text") / "order_synonyms.yaml").read_text("utf-8")
    result: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for line in yaml.safe_load(text):
        for said in line["said"]:
            way = stems(str(said))
            result.setdefault(way[0], []).append((way, stems(line["means"])))
    return {first: tuple(ways) for first, ways in result.items()}


def is_synonym(stem: str) -> bool:
    """Whether a word by itself is a synonym of something."""
    return any(way == (stem,) for way, _ in _synonyms().get(stem, ()))


def without_verbs(full: Rule) -> Rule | None:
    """The rule without its groups of general verbs; `None` if it has none, or if little would be left."""
    parts = [
        part
        for part, group in zip(full.text.split("&"), full.groups, strict=True)
        if not _verbs(group.ways) or not group.wanted
    ]
    if len(parts) == len(full.groups) or all(part.strip().startswith("!") for part in parts):
        return None
    left = rule("&".join(parts))
    told = [frozenset(stem for way in ways for stem in way) for ways in left.wanted]
    beds = (any(way[0] == "bed" and len(way) > 1 for way in ways) for ways in left.wanted)
    return None if all(one & (_PLACES | _PARTS) or bed for one, bed in zip(told, beds, strict=True)) else left


def is_special_verb(text: str) -> bool:
    """Whether a text begins with a verb that is no general one, so that the verb is part of what is meant."""
    first = stems(text)[:1]
    return bool(first) and first[0] in _VERB_FORMS and first[0] not in _GENERAL_VERBS


def is_general_verb(text: str) -> bool:
    """Whether a text begins with a general verb, such as "get" or "arrange", which says little of what is
    meant."""
    return bool(_GENERAL_VERBS.intersection(stems(text)[:1]))


def _verbs(ways: tuple[tuple[str, ...], ...]) -> bool:
    general = sum(way[0] in _GENERAL_VERBS for way in ways)
    return general * 2 > len(ways)
