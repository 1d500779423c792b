"""Dialogue acts of a doctor's turn, and the emotional cues in a patient's words.

Acts are read a sentence at a time by the learned classes of utterances (`osler.text.utterance_kind`), and by
a few set phrases for what those do not tell apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from osler.text.introductions import gives_name, gives_role
from osler.text.tokens import any_of, compiled, folded, sentences
from osler.text.utterance_kind import chances

_GRAVE: Final = r"(?:cancer|serious|bad|fatal|dangerous|(?:a|another) (?:heart attack|stroke|tumou?r))"

_FEELING: Final = any_of(
    r"worr(?:y|ied|ies|ying)|scare[sd]?|scary|fright\w+|terrif\w+|afraid|anxious|panick\w+|dread(?:ing)?",
    r"nervous(?! system)|upset(?:s|ting)?(?! (?:stomach|tummy))",
    r"angry(?!,? (?:red|rash|looking)|-looking)",
    r"sad|tearful|hopeless|helpless|lonely|ashamed|embarrass\w+|guilty|furious|frustrat\w+",
    r"fed up|stressed|overwhelmed|desperate|miserable|heartbroken|grieving|depressed",
    r"wits' end|end of my (?:tether|rope)|(?:can't|cannot) (?:cope|go on|take (?:it|this|any more))",
    r"feel(?:ing)? (?:so |very |really |quite )?(?:low|down|alone|useless)",
    r"felt (?:so |very |really |quite )?(?:low|down|alone|useless)",
    r"i(?:'m|'ve| am| have| keep| can't| cannot| just)[^.?!]{0,20}\b(?:crying|cried|cry)",
    rf"(?:is|could|might|can) (?:it|this|that) (?:be )?(?:something )?{_GRAVE}",
    r"am i (?:going to die|dying|going mad|losing)|will i (?:die|be (?:ok|okay|all right))",
    r"what if it(?:'s| is)|(?:hope|pray) it(?:'s| is) (?:nothing|not)",
)

_CUE: Final = re.compile(rf"\b{_FEELING}\b")

_DENIED: Final = re.compile(
    r"\b(?:not|no|never|nothing|without|hardly|nor|(?:is|was|are|do|did|does|have"
    r"|has)n't)\b(?:\s+\w+){0,2}\s*$"
)

_CLAUSE: Final = re.compile(r"[.?!;,:]|\bbut\b")

_POLITE: Final = re.compile(r" (?:not|so|i (?:(?:do|ca|could|have|did)n't|cannot|do not|have no|never))\b")


def cue(said: str) -> str | None:
    """The first feeling or fear expressed in a patient's words; `None` if there is none or it is negated.

    "I'm afraid I don't remember" is politeness, not fear.
    """
    text = folded(said)
    for result in _CUE.finditer(text):
        before = _CLAUSE.split(text[: result.start()])[-1]
        polite = result[0] == "afraid" and _POLITE.match(text, result.end())
        if not _DENIED.search(before) and not polite:
            return result[0]
    return None


_LEAST: Final = 0.4
"""The least probability from which a sentence counts as of the classes of an act."""
_LONGEST: Final = 4000
_MOST: Final = 40
"""The most sentences of a turn that are read."""
_EMPATHY: Final = frozenset({"empathy"})
_SUMMARY: Final = frozenset({"summary"})
_TEACH_BACK: Final = frozenset({"teach_back"})
_CHECK: Final = frozenset({"plan_ok"})
_CLOSING: Final = frozenset({"closing", "any_questions"})

_HARD: Final = (
    r"(?:hard|difficult|tough|rough|awful|horrible|terrible|painful|frightening|scary|worrying|upsetting"
    r"|stressful|exhausting|distressing|unsettling|frustrating|overwhelming|(?:a )?(?:shock|blow|lot))"
)
_ACKNOWLEDGED: Final = compiled(
    rf"\b(?:that|this|it) (?:must(?: have)?|sounds?|seems|has)(?: been?)? (?:\w+ ){{0,3}}{_HARD}\b(?! work)",
    r"\bsorry (?:to hear|about|for (?:your|what)|(?:that )?you)|\b(?:so|very|really) sorry\b",
    r"\bthank(?:s| you) for (?:telling|sharing|trusting|being (?:so )?(?:honest|open))",
    r"\bwhat (?:\w+ ){0,2}(?:worries|frightens|scares|concerns|upsets) you\b|\bunderstandabl[ey]\b",
    r"\byou(?:'re| are) not alone\b|\bi(?:'m| am) here (?:to help|for you)\b",
)
_SUMMED_UP: Final = compiled(
    r"\b(?:let me|let's|i(?:'ll| will)|can i|just to|to) (?:\w+ )?(?:summari[sz]e|recap"
    r"|sum (?:\w+ )?up)\b(?! the)",
    r"\b(?:from what|so far) (?:you|i)(?:'ve| have)\b|\bin summary\b",
    r"\bif i(?:'ve| have)? (?:understood|understand|got|heard)\b|\bhave i (?:got|understood|missed)\b",
)
_UNDERSTOOD: Final = compiled(
    r"\b(?:does|did|is|has) (?:that|this|it|everything|all (?:of )?that)(?: all)? (?:make sense|clear"
    r"|understood)\b",
    r"\bhave i (?:explained|made|been)\b[^.?!]{0,30}\b(?:clear|clearly|well|sense)\b"
    r"|\bam i (?:being )?clear\b",
    r"\b(?:do|did|have) you (?:understand|understood|follow(?:ed)?)(?: (?:me|that|it|all|what"
    r"|everything)\b|\W*$)",
    r"\b(?:isn't|not|un)[ -]?clear\b[^.]*\?",
)
_CLOSED: Final = compiled(
    r"\b(?:any|anything)\b[^.?!]{0,20}\b(?:questions?|to ask|to add|to bring up)\b",
    r"\b(?:good)?bye\b|\btake care\b(?! of)|\bthank(?:s| you) (?:\w+ ){0,2}for (?:coming|your time"
    r"|talking)\b",
    r"(?<!pain )(?<!it )\bcome (?:straight |right |on )?back (?:here )?(?:if|at once|when|to (?:us|me"
    r"|the))\b",
    r"\bif (?:anything|it|things?|you|the pain|this)\b[^.?!]{0,40}\b(?:worse|new|changes?|faint|unwell)\b"
    r"[^.?!]{0,60}\b(?:come|call|ring|phone|return|999|911|112|emergency|hospital)\b",
    r"\b(?:our|my) plan\b|\bnext steps?\b|\bwhat happens (?:next|now)\b|(?<!to )see you (?:again|next|in|then"
    r"|soon)\b",
)
_OF_OTHERS: Final = compiled(
    r"^\W*(?:and |so |but )?(?:is|are|was|were|do|does|did|has|have|had|who|what|when|where|which)\b",
    r"\bi(?:'m| am) (?:afraid|sure|sorry|told|glad|calling|asking|getting|referring|sending|ringing|waiting"
    r"|not|going to (?!be ))",
)


def _any_of_class(turn: str, classes: Iterable[str]) -> bool:
    """Whether a sentence of a turn is of one of the learned classes."""
    return any(sum(found.get(name, 0.0) for name in classes) >= _LEAST for found in _read(turn))


@lru_cache(maxsize=4096)
def _read(turn: str) -> tuple[dict[str, float], ...]:
    """The chances of the classes of each sentence of a turn."""
    return tuple(chances(sentence) for sentence in sentences(folded(turn))[:_MOST])


def acknowledges(turn: str) -> bool:
    """Whether a turn acknowledges a feeling."""
    return _any_of_class(turn, _EMPATHY) or _ACKNOWLEDGED.search(folded(turn)) is not None


def summarises(turn: str) -> bool:
    """Whether the doctor summarizes what the patient told."""
    return _any_of_class(turn, _SUMMARY) or _SUMMED_UP.search(folded(turn)) is not None


def asks_back(turn: str) -> bool:
    """Whether the turn asks for teach-back: the plan in the patient's own words, not "do you understand?"."""
    return _any_of_class(turn, _TEACH_BACK)


def checks_understanding(turn: str) -> bool:
    """Whether the turn asks if what was said is understood, or asks to hear it back."""
    return _any_of_class(turn, _TEACH_BACK | _CHECK) or _UNDERSTOOD.search(folded(turn)) is not None


def introduces(turn: str) -> bool:
    """Whether the doctor says who they are: by name, by role, or both."""
    return any(
        (gives_name(sentence) or gives_role(sentence)) and not _OF_OTHERS.search(folded(sentence))
        for sentence in sentences(turn[:_LONGEST])[:_MOST]
    )


def closes(turn: str) -> bool:
    """Whether the turn closes the encounter: invites questions, says what is next or when to come back."""
    return _any_of_class(turn, _CLOSING) or _CLOSED.search(folded(turn)) is not None
