"""Off-topic speech: questions about the world, the textbook or the machine, and prompt-injection attempts."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

import yaml

from osler.knowledge.findings import findings
from osler.knowledge.vocabulary import Topic
from osler.text import asked as things
from osler.text import lay_terms as lay
from osler.text import topics
from osler.text.asked import things_asked
from osler.text.findings_in_text import mentions
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
# Whom a question is put to is no part of it ("Do you watch cricket, uncle?").
_ADDRESS: Final = re.compile(
    r",\s*(?:uncle|aunt(?:y|ie)?|sir|madam|ma|ma'am|dear|brother|sister|mummy|mommy|mum|mama|daddy|papa"
    r"|boss|mate|dude|pal|love"
    r"|my (?:dear|friend)|doctor|oga|ji|bro|man|buddy|young (?:man|lady))(?=\s*[?.!]|\s*$)",
    re.IGNORECASE,
)
_SUMS: Final = re.compile(
    r"\b(?:what(?: is|'s)|how much is)\b[^.?!]{0,60}\b(?:times|plus|minus|divided by)\b"
)
# A complete question or request that could be put to anyone.
_WHOLE: Final = re.compile(
    r"^\W*(?:(?:and|so|ok|okay|well|now|but|please)\W+)*"
    r"(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|will|would"
    r"|should"
    r"|name|explain|define|describe|compare|give me)\b.* "
)
# Words that tie a question to this patient or to what was just said.
_HERE: Final = re.compile(
    r"\b(?:you|your|yours|yourself|you've|you're|you'd|he|he's|she|she's|him|her|his|it|it's|its|that|that's"
    r"|these|those|this|they|they're|them|their|we|us|our|one|ones|else|others?|today|now|any|anyone|anything"
    r"|something|someone|ya|both|mom|dad|patient)\b"
)
# What a stranger may be asked of anything: "do you like jazz?".
_TASTE: Final = re.compile(
    r"\b(?:do|did|have|are) you (?:\w+ )?(?:like|prefer|love|support|watch(?:ed|ing)?|follow(?:ing)?|seen"
    r"|read|believe in|voted?|listen to)\b(?! (?:to|it|that|this|him|her|them|me|yourself|a doctor|your)\b)"
)
_LIKING: Final = re.compile(
    r"\b(?:do|does|did|have|are|what|which|who|would)\b.{0,20}\b(?:likes?|prefer|love|hate|support\w*"
    r"|watch\w*"
    r"|follow|seen|read|listen|heard|believe|vot(?:e|ed|ing)|think|know|reckon|fan|buy|use)\b"
)
# Topics that everyday questions seem to touch ("what do you think of ...", "good for a family").
_EVERYDAYS: Final[frozenset[Topic]] = frozenset(
    {
        *("ideas", "expectations", "concerns", "course", "character", "modifiers", "other", "complaint"),
        *("family", "exposure", "identity", "home", "occupation", "diet", "travel", "systems", "associated"),
        "alcohol",
    }
)
# Things that are not of the body.
_ANYBODYS: Final = frozenset(
    """drive job school house pets hobby exercise noisy_place bad_food travel_where birds heating swim sun
    caffeine diet_kind live_with alive interest loud witness""".split()
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
    said = _ADDRESS.sub("", said)
    text = lowered(said)
    if _INSTRUCTION.search(text) or _DIAGNOSIS.search(text) or _SUMS.search(text):
        return True
    parts = clauses(said)
    asked = [clause for clause in parts if clause.asks] or list(parts)
    return bool(asked) and any(map(_leads_away, asked)) and not any(map(_surely_history, asked))


@lru_cache(maxsize=20_000)
def surely_outside(said: str) -> bool:
    """Whether the words name what belongs to no history, rather than merely hold an unknown word."""
    text = lowered(said)
    named = {match.label for clause in clauses(said) for match in _lexicon().find(words(clause.text))}
    return bool(named or _favours().search(text))


def _surely_history(clause: Clause) -> bool:
    return clause.sure and not _leads_away(clause)


def _leads_away(clause: Clause) -> bool:
    spoken = words(clause.text)
    kinds = {match.label for match in _lexicon().find(spoken)}
    if "always" in kinds:
        return True
    everyday = _EVERYDAYS.issuperset(clause.topics) and not _of_the_body(clause.text)
    if everyday and (_favours().search(clause.text) or ("alone" in kinds and _LIKING.search(clause.text))):
        return True
    if clause.sure:
        return False
    if "alone" in kinds:
        return True
    return (
        clause.asks
        and not clause.topics
        and _WHOLE.search(clause.text) is not None
        and (_HERE.search(clause.text) is None or _TASTE.search(clause.text) is not None)
        and not _vocabulary().issuperset(spoken)
    )


def _of_the_body(text: str) -> bool:
    """Whether words name a symptom, an illness, a medicine or anything else of a history."""
    named = things_asked(text)
    return bool(named.things - _ANYBODYS or lay.workings(text) or mentions(text))


@cache
def _vocabulary() -> frozenset[str]:
    """The words that may occur in a history, in normal form."""
    named = (form for item in findings() for form in item.forms)
    return (
        topics.vocabulary()
        | things.vocabulary()
        | lay.vocabulary()
        | frozenset(_EVERYDAY).union(*map(words, named))
    )


@cache
def _favours() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(_source()['favours'])})")


@cache
def _source() -> dict[str, Any]:
    text = resources.files("osler.knowledge").joinpath("outside.yaml").read_text(encoding="utf-8")
    source: dict[str, Any] = yaml.safe_load(text)
    return source


@cache
def _lexicon() -> Phrases[str]:
    named = (
        (phrase, strength)
        for strength in ("always", "alone")
        for phrases in _source()[strength].values()
        for phrase in phrases.split(",")
        if phrase.strip()
    )
    return Phrases(named, merge=lambda one, other: one if one == "always" else other)
