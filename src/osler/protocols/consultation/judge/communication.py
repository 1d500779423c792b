"""Communication indicators: formative figures counted from a doctor's words, not part of any score.

    open_questions       open questions, of all questions that ask for information
    leading_questions    questions that put an answer into the patient's mouth, of the same
    several_at_once      turns with two questions or a list of three things, of turns that ask
    cues_taken_up        emotional cues that one of the doctor's next two turns takes up, of those voiced
    empathy              turns that name or accept a feeling, of all turns
    unexplained_jargon   turns with a medical word or abbreviation left unexplained, of all turns
    summary, teach_back  whether the doctor summarized the history, and asked the patient to repeat the plan
    understanding        whether the doctor asked if what was said is understood, or to hear it back
    introduction         whether one of the first three turns introduces the doctor, by name or role
    closing              whether one of the last three turns closes the encounter

They are lexical indicators for English (`open_questions`, `dialogue_acts`, `osler.text.jargon`): they see
words, not manner. Only what was said aloud counts; a plan that was only written down was not spoken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from osler.core.events import Said
from osler.core.trace import Trace
from osler.judging.scores import QUOTE
from osler.protocols.consultation.judge.dialogue_acts import (
    acknowledges,
    asks_back,
    checks_understanding,
    closes,
    cue,
    introduces,
    summarises,
)
from osler.protocols.consultation.judge.open_questions import asks_several, questions
from osler.protocols.consultation.judge.reading import Exchange
from osler.text.jargon import unexplained

MEANINGS: Final = {
    "open_questions": "open questions, of questions asked",
    "leading_questions": "leading questions, of questions asked",
    "several_at_once": "turns that ask several things at once, of turns that ask",
    "cues_taken_up": "feelings and fears taken up, of those voiced",
    "empathy": "turns that name or accept a feeling, of turns",
    "unexplained_jargon": "turns with medical words left unexplained, of turns",
    "summary": "said back what was told, of encounters",
    "teach_back": "asked to hear back what was agreed, of encounters",
    "understanding": "checked that it was understood, of encounters",
    "introduction": "said who they are at the beginning, of encounters",
    "closing": "rounded the meeting off, of encounters",
}
"""The indicators in order, each with a description of its numerator and denominator."""
_MOST_QUOTES: Final = 6
_EITHER_END: Final = 3
_NEXT_TURNS: Final = 2


class Indicator(NamedTuple):
    """A count `met` out of `of`, with the words counted; undefined if `of` is 0."""

    met: int
    of: int
    quotes: tuple[str, ...] = ()


def communication(trace: Trace) -> dict[str, Indicator]:
    """Every indicator of one episode, in the order of `MEANINGS`."""
    pairs = [(one.by, one.text) for one in trace.of(Said) if one.by in ("doctor", "patient")]
    turns = [text for by, text in pairs if by == "doctor"]
    asked = [found for turn in turns if (found := questions(turn))]
    every = [question for found in asked for question in found]
    several = [turn for turn in turns if asks_several(turn)]
    voiced = [(words, after) for words, after in _answered(pairs) if words]
    jargon = [words for words in _jargon(pairs) if words]
    return {
        "open_questions": _of(len(every), [one.text for one in every if one.is_open]),
        "leading_questions": _of(len(every), [one.text for one in every if one.is_leading]),
        "several_at_once": _of(len(asked), several),
        "cues_taken_up": _of(len(voiced), [took for _, after in voiced if (took := _taken_up(after))]),
        "empathy": _of(len(turns), [turn for turn in turns if acknowledges(turn)]),
        "unexplained_jargon": _of(len(turns), [", ".join(words) for words in jargon]),
        "summary": _once([turn for turn in turns if summarises(turn)], turns),
        "teach_back": _once([turn for turn in turns if asks_back(turn)], turns),
        "understanding": _once([turn for turn in turns if checks_understanding(turn)], turns),
        "introduction": _once([turn for turn in turns[:_EITHER_END] if introduces(turn)], turns),
        "closing": _once([turn for turn in turns[-_EITHER_END:] if closes(turn)], turns),
    }


def _answered(said: list[tuple[str, str]]) -> Iterator[tuple[str | None, list[str]]]:
    """Each patient turn: its emotional cue, if any, and what the doctor said in the next turns."""
    for place, (by, text) in enumerate(said):
        if by == "patient":
            yield cue(text), [words for who, words in said[place:] if who == "doctor"][:_NEXT_TURNS]


def _taken_up(turns: list[str]) -> str | None:
    return next((turn for turn in turns if acknowledges(turn)), None)


def _jargon(said: list[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """The unexplained words of each of the doctor's turns."""
    heard: list[str] = []
    for by, text in said:
        if by == "patient":
            heard.append(text)
        else:
            yield unexplained(text, heard)


def unanswered_cues(exchanges: Sequence[Exchange]) -> Iterator[tuple[int, str, str]]:
    """The patient's words with a feeling that the doctor's next two turns do not take up, each with its turn
    and what the doctor said next ("" if nothing). Whether it was met, no rule can judge."""
    for place, one in enumerate(exchanges):
        after = [other.said for other in exchanges[place + 1 : place + 1 + _NEXT_TURNS]]
        if cue(one.reply) and not any(map(acknowledges, after)):
            yield one.turn, one.reply, after[0] if after else ""


def _of(total: int, quotes: list[str]) -> Indicator:
    return Indicator(len(quotes), total, tuple(quote[:QUOTE] for quote in quotes[:_MOST_QUOTES]))


def _once(quotes: list[str], turns: list[str]) -> Indicator:
    """The indicator of something that happened at all, out of one encounter in which the doctor spoke."""
    return Indicator(int(bool(quotes)), int(bool(turns)), tuple(quote[:QUOTE] for quote in quotes[:1]))
