"""The built-in judgement of a consultation that was not held in English.

The rules read English words, so what rests on them is unscored. What stays rests on identifiers, counts and
the clock, and an answer in the reference's own words, or by its option's key, is right in any language.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from osler.judging.scores import NEEDS_A_JUDGE, NO_ANSWER, Score
from osler.protocols.consultation.judgement import Judgement
from osler.protocols.consultation.measures import SCORES
from osler.text.languages import ENGLISH, NOT_ENGLISH

_WORDLESS: Final = frozenset(one.measure.name for one in SCORES if one.wordless)
_BY_KEY: Final = ("chose option", NO_ANSWER)
_ANSWERS: Final = frozenset({"correct", "correct_or_unsupported"})


def in_language(judgement: Judgement, language: str) -> Judgement:
    """The judgement of a consultation held in a language: as it is for English, otherwise without the scores
    that rest on English words."""
    if language == ENGLISH or all(score.value is None for score in judgement.scores.values()):
        return judgement
    return replace(judgement, scores={name: _kept(name, score) for name, score in judgement.scores.items()})


def in_english(judgement: Judgement) -> bool:
    """Whether a judgement is of a consultation held in English, so that rules may read its talk."""
    return all(score.reason != NOT_ENGLISH for score in judgement.scores.values())


def _kept(name: str, score: Score) -> Score:
    if name in _WORDLESS:
        return score
    if name in _ANSWERS:
        sure = score.value in (1, None) or score.reason.startswith(_BY_KEY)
        return score if sure else Score(None, NEEDS_A_JUDGE, score.evidence)
    return Score(None, NOT_ENGLISH)
