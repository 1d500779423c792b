"""What an utterance does, step by step: a speech act, questions about harm, a summary or questions for facts.

Questions about harm, commands to the player and requests to check a summary are known by rule; a learned
classification decides on all else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, cast

from osler.protocols.shared.players.recall import plain_question
from osler.protocols.shared.players.summaries import asks_to_confirm
from osler.text.anaphora import asks_if_so, carries_on
from osler.text.speech_acts import Act, ActByRule, Risk, does_by_rule, risk_of
from osler.text.speech_acts import plain as as_spoken
from osler.text.tokens import sentences
from osler.text.topics import Clause, assurances, clauses
from osler.text.utterance_class import (
    OFF_TOPIC,
    QUESTION,
    STATEMENT,
    SUMMARY,
    chance_of_question,
    classified,
)
from osler.text.utterance_kind import BEGINS_A_QUESTION, after_hail, bids, greets, tells

_FEW_ON: Final = 6
# The least probability of a class that is not a question and has no answer of its own.
_SURE_OF_CLASS: Final = 0.6
_SURE_AGAINST_RULES: Final = 0.85
# Acts that want no answer of their own beside a question.
COURTESIES: Final = frozenset({"greeting", "thanks", "closing", "empathy", "apology", "presence"})
_ASSURES: Final[tuple[ActByRule, ...]] = ("privacy", "confidentiality")
_NO_ACTS: Final = frozenset({QUESTION, OFF_TOPIC, STATEMENT})
# Words that are less likely a question for a fact than this are not answered with one.
_HARDLY_A_QUESTION: Final = 0.5
_BIDS_TELL: Final = re.compile(
    r"\b(?:walk|talk|take|run) me through\b|\bfill me in\b|\b(?:tell|say) me\b"
    r"|\b(?:tell|explain) (?:to )?us\b"
)
# A verb of a statement: what has one is no fragment of a question ("the mole is cancerous").
_SAYS: Final = re.compile(
    r"\b(?:is|are|was|were|i|we|i'm|i'll|i've|we'll|it's|that's|you're|you've|you|has|had|will|let|may"
    r"|might|seems?|looks?|sounds?|please)\b"
)


def is_off_topic(question: str) -> bool:
    """Whether an utterance is of the world, a textbook or a machine, and has nothing to do with the visit."""
    return classified(question).name == OFF_TOPIC


class Step(NamedTuple):
    """One thing that an utterance does: an act, a question about harm, a summary, or a question."""

    text: str
    clause: Clause | None = None
    act: Act | None = None
    risk: Risk | None = None
    summary: bool = False


def steps_of(question: str) -> list[Step]:
    """The steps of an utterance, in order: one act or summary, or everything that it asks."""
    plain = plain_question(question)
    if plain:
        return [Step(plain.text, plain)]
    wanted = {clause.text: clause for clause in questions_in(question)}
    steps: list[Step] = []
    for sentence in sentences(question):
        steps += _steps_of(sentence, wanted)
    steps = _as_classified(question, steps)
    if any(step.summary for step in steps):
        return [Step(question, summary=True)]
    # A promise wants no answer of its own beside a question.
    more = [step for step in steps if step.act != "confidentiality"]
    return more or steps[:1] or _unmarked(question)


def _unmarked(question: str) -> list[Step]:
    """The questions of words that no rule takes for one, but that probably are: "anything in the family"."""
    if chance_of_question(question) < _HARDLY_A_QUESTION:
        return []
    return [Step(clause.text, clause) for clause in clauses(after_hail(question)) if clause.topics]


def _as_classified(question: str, by_rule: list[Step]) -> list[Step]:
    """The steps by the learned model, but for what rules know: harm, commands and requests to check."""
    if any(step.risk for step in by_rule):
        return by_rule
    if does_by_rule("instruction", question):
        return [Step(question, act="instruction")]
    name, chance = classified(question)
    if name in COURTESIES and by_rule and any(map(_is_question, sentences(question))):
        return by_rule  # "Hello, I'm Dr Lane. What brings you here?"
    if name not in _NO_ACTS:
        sure = chance >= _SURE_AGAINST_RULES or not any(step.act or step.summary for step in by_rule)
        return [_classified_step(question, name)] if sure else by_rule
    if any(step.act or step.summary for step in by_rule):
        return by_rule
    if name == QUESTION and chance >= _HARDLY_A_QUESTION:
        return by_rule
    bids_tell = "?" in question or _BIDS_TELL.search(as_spoken(question))
    return by_rule if name == STATEMENT and chance >= _SURE_OF_CLASS and bids_tell else []


def _is_question(sentence: str) -> bool:
    return sentence.rstrip().endswith("?") and classified(sentence).name == QUESTION


def _classified_step(question: str, name: str) -> Step:
    return Step(question, summary=True) if name == SUMMARY else Step(question, act=cast(Act, name))


def _steps_of(sentence: str, wanted: Mapping[str, Clause]) -> list[Step]:
    """The questions of a sentence, about harm and for facts, or the summary that it asks to check."""
    inner = [clause for clause in clauses(after_hail(sentence)) if clause.text]
    risk = None if does_by_rule("confidentiality", sentence) else risk_of(sentence)
    several = {each for clause in inner if (each := risk_of(clause.text))}
    if len(several) > 1:
        return [Step(clause.text, risk=each) for clause in inner if (each := risk_of(clause.text))]
    if risk and (asks(sentence) or any(clause.asks for clause in inner)):
        others = [clause for clause in inner if clause.text in wanted and not risk_of(clause.text)]
        spoken = [Step(clause.text, clause) for clause in others if clause.sure and len(inner) > 1]
        return [Step(sentence, risk=risk), *spoken]
    if asks_to_confirm(sentence):
        return [Step(sentence, summary=True)]
    if act := next((act for act in _ASSURES if does_by_rule(act, sentence)), None):
        return [Step(sentence, act=act)]
    return [Step(clause.text, wanted[clause.text]) for clause in inner if clause.text in wanted]


def asks(said: str) -> bool:
    """Whether words are a question, by their mark or how they begin."""
    if not any(map(str.isalpha, said)):
        return False
    return "?" in said or BEGINS_A_QUESTION.search(as_spoken(said)) is not None


def questions_in(said: str) -> list[Clause]:
    """The questions in an utterance; a few words that name a topic count as one."""
    plain = plain_question(said)
    if plain:
        return [plain]
    found = [clause for clause in clauses(after_hail(said)) if not _only_assures(clause)]
    stated = {
        clause.text
        for sentence in sentences(said)
        if "?" not in sentence
        for clause in clauses(after_hail(sentence))
        if tells(clause.text)
    }
    asked = [
        clause
        for clause in _told_first(found, said)
        if clause.asks and clause.text not in stated and not greets(clause.text)
    ]
    if asked:
        return asked
    return [
        clause
        for clause in found
        if (carries_on(clause.text) and len(clause.text.split()) <= _FEW_ON)
        or (
            (clause.topics and len(clause.text.split()) <= 4 and not greets(clause.text))
            and not _SAYS.search(clause.text)
            and not bids(clause.text)
        )
    ]


def _told_first(found: Sequence[Clause], said: str) -> list[Clause]:
    """The clauses, with "anything like that?" resolved: it turns the statement before it into a question."""
    return [
        before._replace(asks=True)
        if asks_if_so(clause.text) and before and before.topics and f"{before.text}?" not in said.lower()
        else clause
        for before, clause in zip((None, *found), found, strict=False)
    ]


def _only_assures(clause: Clause) -> bool:
    """Whether a clause is a mere assurance ("may I see you alone?"), which opens gates but asks nothing."""
    return bool(assurances(clause.text)) and not clause.sure
