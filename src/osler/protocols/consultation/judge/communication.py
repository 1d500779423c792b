"""Communication indicators: formative figures counted from a doctor's words, not part of any score.

    open_questions       open questions, of all questions that ask for information
    leading_questions    questions that put an answer into the patient's mouth, of the same
    several_at_once      turns with two questions or a list of three things, of turns that ask
    cues_taken_up        emotional cues that the doctor's next turn takes up, of those the patient voiced
    unexplained_jargon   turns with a medical word left unexplained, of all turns
    summary, teach_back  whether the doctor summarized the history, and asked the patient to repeat the plan
    introduction         whether the first two turns introduce the doctor
    closing              whether one of the last two turns closes the encounter

They are lexical indicators for English (`open_questions`, `dialogue_acts`, `osler.text.jargon`): they see
words, not manner. Only what was said aloud counts; a plan that was only written down was not spoken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from osler.core.events import Said
from osler.core.trace import Trace
from osler.judging.scores import QUOTE
from osler.protocols.consultation.judge.dialogue_acts import (
    acknowledges,
    asks_back,
    closes,
    cue,
    introduces,
    summarises,
)
from osler.protocols.consultation.judge.open_questions import Question, questions
from osler.text.jargon import unexplained

MEANINGS: Final = {
    "open_questions": "open questions, of questions asked",
    "leading_questions": "leading questions, of questions asked",
    "several_at_once": "turns that ask several things at once, of turns that ask",
    "cues_taken_up": "feelings and fears taken up, of those voiced",
    "unexplained_jargon": "turns with medical words left unexplained, of turns",
    "summary": "said back what was told, of encounters",
    "teach_back": "asked to hear back what was agreed, of encounters",
    "introduction": "said who they are at the beginning, of encounters",
    "closing": "rounded the meeting off, of encounters",
}
"""The indicators in order, each with a description of its numerator and denominator."""
_MOST_QUOTES: Final = 6
_EITHER_END: Final = 2


class Indicator(NamedTuple):
    """A count `met` out of `of`, with the words counted; undefined if `of` is 0."""

    met: int
    of: int
    quotes: tuple[str, ...] = ()


def communication(trace: Trace) -> dict[str, Indicator]:
    """Every indicator of one episode, in the order of `MEANINGS`."""
    said = [(one.by, one.text) for one in trace.of(Said) if one.by in ("doctor", "patient")]
    turns = [text for by, text in said if by == "doctor"]
    asked = [found for turn in turns if (found := questions(turn))]
    every = [question for found in asked for question in found]
    several = [turn for turn in turns if _asks_several(questions(turn))]
    voiced = [(words, after) for words, after in _answered(said) if words]
    jargon = [words for words in _jargon(said) if words]
    return {
        "open_questions": _of(len(every), [one.text for one in every if one.is_open]),
        "leading_questions": _of(len(every), [one.text for one in every if one.is_leading]),
        "several_at_once": _of(len(asked), several),
        "cues_taken_up": _of(len(voiced), [after for _, after in voiced if acknowledges(after)]),
        "unexplained_jargon": _of(len(turns), [", ".join(words) for words in jargon]),
        "summary": _once([turn for turn in turns if summarises(turn)], turns),
        "teach_back": _once([turn for turn in turns if asks_back(turn)], turns),
        "introduction": _once([turn for turn in turns[:_EITHER_END] if introduces(turn)], turns),
        "closing": _once([turn for turn in turns[-_EITHER_END:] if closes(turn)], turns),
    }


def _asks_several(asked: tuple[Question, ...]) -> bool:
    return len(asked) > 1 or any(one.is_list for one in asked)


def _answered(said: list[tuple[str, str]]) -> Iterator[tuple[str | None, str]]:
    """Each patient turn: its emotional cue, if any, and what the doctor said next."""
    for place, (by, text) in enumerate(said):
        if by == "patient":
            yield cue(text), next((words for who, words in said[place:] if who == "doctor"), "")


def _jargon(said: list[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """The unexplained words of each of the doctor's turns."""
    heard: list[str] = []
    for by, text in said:
        if by == "patient":
            heard.append(text)
        else:
            yield unexplained(text, heard)


def _of(total: int, quotes: list[str]) -> Indicator:
    return Indicator(len(quotes), total, tuple(quote[:QUOTE] for quote in quotes[:_MOST_QUOTES]))


def _once(quotes: list[str], turns: list[str]) -> Indicator:
    """The indicator of something that happened at all, out of one encounter in which the doctor spoke."""
    return Indicator(int(bool(quotes)), int(bool(turns)), tuple(quote[:QUOTE] for quote in quotes[:1]))
