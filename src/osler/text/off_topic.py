"""Off-topic speech: questions about the world, the textbook or the machine, and prompt-injection attempts."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources
from typing import Final

import yaml

from osler.knowledge.findings import findings
from osler.text import lay_terms as lay
from osler.text import topics
from osler.text.phrases import Phrases, words
from osler.text.tokens import lowered
from osler.text.topics import Clause, clauses

_INSTRUCTION: Final = re.compile(
    r"""\b(?: (?:ignore|forget|disregard|override)\b.{0,40}
        \b(?:instruction|prompt|rule|above|previous|everything)
    | (?:system|hidden|initial)\ prompt | your\ (?:system\ )?(?:instructions|prompt|rules|programming)
    | pretend\ (?:to\ be|that\ you|you) | act\ as\ (?:a|an|if)\b | role.?play
    | (?:you\ are|are\ you)\ (?:now\ )?(?:an?\ )?(?:large\ )?
        (?:ai|a\.i\.|bot|chatbot|robot|machine|program|simulation|simulated
        |language\ model|actor|real\ (?:person|patient|human))\b
    | json | (?:print|dump|output|reveal)\b.{0,30}
        \b(?:facts?|case|record|file|script|answer|diagnosis|everything|instructions)
    | (?:all|list|repeat|read\ out)\ (?:of\ )?your\ facts | your\ (?:script|fact\ list|case\ file) )""",
    re.VERBOSE,
)
_DIAGNOSIS: Final = re.compile(
    r"\b(?:what(?: is|'s)|tell me|give me|name|know) (?:your|the|my|this) (?:\w+ )?diagnos[ie]s\b"
)
_SUMS: Final = re.compile(
    r"\b(?:what(?: is|'s)|how much is)\b[^.?!]{0,60}\b(?:times|plus|minus|divided by)\b"
)
# A complete question or request that could be put to anyone.
_WHOLE: Final = re.compile(
    r"^\W*(?:(?:and|so|ok|okay|well|now|but|please)\W+)*"
    r"(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|will|would|should"
    r"|name|explain|define|describe|compare|give me)\b.* "
)
# Words that tie a question to this patient or to what was just said.
_HERE: Final = re.compile(
    r"\b(?:you|your|yours|yourself|you've|you're|you'd|he|he's|she|she's|him|her|his|it|it's|its|that|that's"
    r"|these|those|this|they|they're|them|their|we|us|our|one|ones|else|others?|today|now|any|anyone|anything"
    r"|something|someone|ya|both|mom|dad|patient)\b"
)
_EVERYDAY: Final = words(
    """so and or but if of in on at to for from with by as about than then no not yes ok okay well here there
    who whom whose which what when where why how can could will would should shall may might must
    it he that this these those one two three more less much many few all each every same other else now
    today morning night last next way thing place person people time hour minute first second
    say see know want need get put let call look tell ask mean remember help try keep show little
    fine everything doctor gp nurse clinic practice visit letter note record report appointment
    brother friend"""
)


@lru_cache(maxsize=20_000)
def outside(said: str) -> bool:
    """Whether the words try to instruct the player, fish for the answer, or lead outside a consultation.

    A question is off-topic by what it names, or because it is complete, refers to no one present and has a
    word that occurs in no history ("Why is the sky blue?").
    """
    text = lowered(said)
    if _INSTRUCTION.search(text) or _DIAGNOSIS.search(text) or _SUMS.search(text):
        return True
    parts = clauses(said)
    asked = [clause for clause in parts if clause.asks] or list(parts)
    return bool(asked) and any(map(_leads_away, asked)) and not any(map(_surely_history, asked))


def _surely_history(clause: Clause) -> bool:
    return clause.sure and not _leads_away(clause)


def _leads_away(clause: Clause) -> bool:
    spoken = words(clause.text)
    kinds = {match.label for match in _lexicon().find(spoken)}
    if "always" in kinds:
        return True
    if clause.sure:
        return False
    if "alone" in kinds:
        return True
    return (
        clause.asks
        and not clause.topics
        and _WHOLE.search(clause.text) is not None
        and _HERE.search(clause.text) is None
        and not _vocabulary().issuperset(spoken)
    )


@cache
def _vocabulary() -> frozenset[str]:
    """The words that may occur in a history, in normal form."""
    named = (form for item in findings() for form in item.forms)
    return topics.vocabulary() | lay.vocabulary() | frozenset(_EVERYDAY).union(*map(words, named))


@cache
def _lexicon() -> Phrases[str]:
    text = resources.files("osler.knowledge").joinpath("outside.yaml").read_text(encoding="utf-8")
    source: dict[str, dict[str, str]] = yaml.safe_load(text)
    named = (
        (phrase, strength)
        for strength, kinds in source.items()
        for phrases in kinds.values()
        for phrase in phrases.split(",")
        if phrase.strip()
    )
    return Phrases(named, merge=lambda one, other: one if one == "always" else other)
