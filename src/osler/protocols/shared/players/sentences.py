"""What an utterance does, sentence by sentence: acts, questions about harm, summaries, questions for facts.

Questions about harm, commands to the player and assurances are known by rule; a learned classification
decides on all else.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple, cast

from osler.knowledge.vocabulary import Topic
from osler.reading.questions import BARE, hear, plain_questions
from osler.text.speech_acts import Act, ActByRule, Risk, does_by_rule, risk_of
from osler.text.tokens import sentences
from osler.text.topics import Clause, as_one, canonical_question, clauses, words_of_topics
from osler.text.utterance_kind import (
    BEGINS_A_QUESTION,
    QUESTION,
    STATEMENT,
    SUMMARY,
    classified,
)

# The least probability of a class that is not a question and has no answer of its own.
_SURE_OF_CLASS: Final = 0.6
# What may be a question with this probability is an act only if it is surely one.
_MAY_BE_A_QUESTION: Final = 0.25
# Words that are less likely a question for a fact than this are not answered with one.
_HARDLY_A_QUESTION: Final = 0.5
# Nor are those without the form of a question that are less likely one than this.
_SURELY_A_QUESTION: Final = 0.9
# Acts that want no answer of their own beside a question.
COURTESIES: Final = frozenset(
    {"greeting", "thanks", "closing", "empathy", "apology", "presence", "confidentiality"}
)
_ASSURES: Final[tuple[ActByRule, ...]] = ("privacy", "confidentiality")
# What is told most readily first.
_HABITS: Final[tuple[Topic, ...]] = ("tobacco", "alcohol", "drugs")
_DRUGS: Final = re.compile(r"\b(?:drugs|substances)\b")
_NO_ACTS: Final = frozenset({QUESTION, STATEMENT})


class Step(NamedTuple):
    """One thing that an utterance does: an act, a question about harm, a summary, or a question."""

    text: str
    clause: Clause | None = None
    act: Act | None = None
    risk: Risk | None = None
    summary: bool = False


@lru_cache(maxsize=8192)
def steps_of(said: str) -> tuple[Step, ...]:
    """The steps of an utterance, in order: all that it asks, else the one act that it is."""
    if (plain := said.lower().strip(BARE)) in plain_questions():
        return (Step(plain, as_one(plain)),)
    if does_by_rule("instruction", said):
        return (Step(said, act="instruction"),)
    steps = [step for part in sentences(said) for step in _steps_of(part)]
    act = _as_act(said)
    asked = [step for step in steps if step.risk or (step.clause and (not act or _by_itself(step.clause)))]
    if asked:
        return tuple(step for step in steps if step in asked or (step.act and step.act not in COURTESIES))
    by_rule = [step for step in steps if step.act in _ASSURES]
    return tuple(by_rule[:1] or act or steps[:1])


def _by_itself(clause: Clause) -> bool:
    """Whether a clause asks whatever is said beside it, unlike "is it correct?" after a summary."""
    return bool(clause.topics) and BEGINS_A_QUESTION.match(clause.text) is not None


def _steps_of(sentence: str) -> list[Step]:
    """The steps of a sentence."""
    inner = [clause for clause in clauses(sentence) if clause.text]
    if risks := _risks_of(sentence, inner):
        return risks
    if act := next((act for act in _ASSURES if does_by_rule(act, sentence)), None):
        _, colon, rest = sentence.partition(":")
        return [Step(sentence, act=act), *(_steps_of(rest) if colon else ())]
    if act_step := _as_act(sentence):
        return act_step
    asking = [clause for clause in inner if clause.asks]
    if classified(sentence).asks < (_HARDLY_A_QUESTION if asking else _SURELY_A_QUESTION):
        return []
    return [Step(each.text, each) for clause in asking or inner for each in _apart(clause)]


def _apart(clause: Clause) -> tuple[Clause, ...]:
    """A question that lists habits and asks nothing else, such as "do you smoke, drink or take drugs", as a
    plain question for each; any other question as it is."""
    if not (clause.sure and len(clause.topics) > 1 and set(_HABITS).issuperset(clause.topics)):
        return (clause,)
    reading = hear(clause)
    more = reading.people or reading.times or reading.aspects or reading.words - words_of_topics(reading.text)
    if more or "others_smoke" in reading.things:
        return (clause,)
    asked = {*clause.topics, *(("drugs",) if _DRUGS.search(clause.text) else ())}
    return tuple(each for topic in _HABITS if topic in asked for each in clauses(canonical_question(topic)))


def _as_act(said: str) -> list[Step]:
    """The act or summary that words are by the learned model, if it is sure enough."""
    name, chance, asks_for_fact = classified(said)
    if name in _NO_ACTS or (chance < _SURE_OF_CLASS and asks_for_fact > _MAY_BE_A_QUESTION):
        return []
    return [Step(said, summary=True) if name == SUMMARY else Step(said, act=cast("Act", name))]


def _risks_of(sentence: str, inner: list[Clause]) -> list[Step]:
    """The questions of a sentence if it asks about harm: about each harm, and for facts besides."""
    risk = None if does_by_rule("confidentiality", sentence) else risk_of(sentence)
    several = {clause.text: each for clause in inner if (each := risk_of(clause.text))}
    if len(set(several.values())) > 1:
        return [Step(text, risk=each) for text, each in several.items()]
    if risk is None or not (asks(sentence) or any(clause.asks for clause in inner)):
        return []
    others = [clause for clause in inner if clause.asks and clause.sure and clause.text not in several]
    return [Step(sentence, risk=risk), *(Step(each.text, each) for each in others if len(inner) > 1)]


def asks(said: str) -> bool:
    """Whether words are a question, by their mark or how they begin."""
    if not any(map(str.isalpha, said)):
        return False
    return "?" in said or BEGINS_A_QUESTION.search(said.lower()) is not None


def questions_in(said: str) -> list[Clause]:
    """The questions for facts in an utterance."""
    return [step.clause for step in steps_of(said) if step.clause]
