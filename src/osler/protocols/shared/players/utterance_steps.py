"""What an utterance does, step by step: speech acts, questions about harm, summaries and questions for facts.

Rules come first; a learned classification reads what they do not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, cast

from osler.protocols.shared.players.recall import plain_question
from osler.protocols.shared.players.summaries import asks_to_confirm
from osler.text.anaphora import asks_if_so, carries_on
from osler.text.speech_acts import COURTESIES, Act, Risk, act_of, risk_of
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
# Acts that a summary may look like, besides none.
_MAY_SUM_UP: Final = frozenset[Act | None]({None, "bad_news", "good_news", *COURTESIES})
_AFTER_A_SUMMARY: Final = frozenset[Act | None]({"any_questions", "plan_ok", "teach_back", "how_feel"})
_CONSENTS: Final = frozenset[Act]({"examine", "chaperone", "notes", "ask_leave", "privacy", "relatives"})
# The least probability of a class of utterance that no rule knows.
_SURE_OF_CLASS: Final = 0.6
_SURE_AGAINST_RULES: Final = 0.85
_SURELY_A_QUESTION: Final = 0.985
_NO_ACTS: Final = frozenset({QUESTION, OFF_TOPIC, STATEMENT})
# Words that are less likely a question for a fact than this are not answered with one.
_HARDLY_A_QUESTION: Final = 0.5
_BIDS_TELL: Final = re.compile(
    r"\b(?:walk|talk|take|run) me through\b|\bfill me in\b|\b(?:tell|say) me\b"
    r"|\b(?:tell|explain) (?:to )?us\b"
)
_REQUESTS: Final = re.compile(r"\b(?:tell|describe|explain|list|show)\b")
# A verb of a statement: what has one is no fragment of a question ("the mole is cancerous").
_SAYS: Final = re.compile(
    r"\b(?:is|are|was|were|i|we|i'm|i'll|i've|we'll|it's|that's|you're|you've|you|has|had|will|let|may"
    r"|might|seems?|looks?|sounds?|please)\b"
)


def surely_off_topic(question: str) -> bool:
    """Whether an utterance is surely everyday talk that has nothing to do with the visit."""
    name, chance = classified(question)
    return name == OFF_TOPIC and chance >= _SURE_OF_CLASS


class Step(NamedTuple):
    """One thing that an utterance does: an act, a question about harm, a summary, or a question."""

    text: str
    clause: Clause | None = None
    act: Act | None = None
    risk: Risk | None = None
    summary: bool = False


def steps_of(question: str) -> list[Step]:
    """The steps of an utterance, in order; courtesies only where nothing else is done."""
    plain = plain_question(question)
    if plain:
        return [Step(plain.text, plain)]
    wanted = {clause.text: clause for clause in questions_in(question)}
    steps: list[Step] = []
    for sentence in sentences(question):
        steps += _steps_of(sentence, wanted)
    steps = _as_classified(question, steps, wanted)
    said = [step for step in steps if step.act not in COURTESIES]
    if any(step.act in _CONSENTS for step in said):
        # "..., is that all right?" asks for the same leave again.
        said = [step for step in said if step.act != "plan_ok"]
    if any(step.act == "plan_ok" for step in said):
        # "Is that clear, or shall I go over it again?" wants one answer.
        said = [step for step in said if step.act not in ("wants_told", "repeat")]
    if any(step.summary for step in said):
        said = [step for step in said if step.summary or step.act or step.risk][:1] and [
            Step(question, summary=True),
            *(step for step in said if step.act in _AFTER_A_SUMMARY),
        ]
    return said or steps[:1] or _unmarked(question)


def _unmarked(question: str) -> list[Step]:
    """The questions of words that no rule takes for one, but that probably are: "anything in the family"."""
    if chance_of_question(question) < _HARDLY_A_QUESTION:
        return []
    return [Step(clause.text, clause) for clause in clauses(after_hail(question)) if clause.topics]


def _as_classified(question: str, by_rule: list[Step], wanted: Mapping[str, Clause]) -> list[Step]:
    """The steps by a learned model where no rule knows it, or where the model is surer."""
    name, chance = classified(question)
    if any(step.risk for step in by_rule):
        return by_rule
    known = any(step.act or step.summary for step in by_rule)
    if known:
        if wanted and chance_of_question(question) >= _SURELY_A_QUESTION:
            asked = [Step(text, clause) for text, clause in wanted.items()]
            return by_rule if any(step.clause or step.summary for step in by_rule) else asked
        other = name not in _NO_ACTS and not any(step.act == name for step in by_rule)
        return [_classified_step(question, name)] if other and chance >= _SURE_AGAINST_RULES else by_rule
    if chance < _SURE_OF_CLASS:
        return by_rule if chance_of_question(question) >= _HARDLY_A_QUESTION else []
    if name in (QUESTION, OFF_TOPIC):
        return by_rule
    if name == STATEMENT:
        return by_rule if "?" in question or _BIDS_TELL.search(as_spoken(question)) else []
    return [_classified_step(question, name)]


def _classified_step(question: str, name: str) -> Step:
    return Step(question, summary=True) if name == SUMMARY else Step(question, act=cast(Act, name))


def _steps_of(sentence: str, wanted: Mapping[str, Clause]) -> list[Step]:
    inner = [clause for clause in clauses(after_hail(sentence)) if clause.text]
    risk = risk_of(sentence) if act_of(sentence) != "confidentiality" else None
    several = {each for clause in inner if (each := risk_of(clause.text))}
    if len(several) > 1:
        return [Step(clause.text, risk=each) for clause in inner if (each := risk_of(clause.text))]
    if risk and (asks(sentence) or any(clause.asks for clause in inner)):
        others = [clause for clause in inner if clause.text in wanted and not risk_of(clause.text)]
        spoken = [Step(clause.text, clause) for clause in others if clause.sure and len(inner) > 1]
        return [Step(sentence, risk=risk), *spoken]
    if asks_to_confirm(sentence) and act_of(sentence) in _MAY_SUM_UP:
        return [Step(sentence, summary=True)]
    acts = [_act_of(clause, wanted, sentence) for clause in inner]
    act = act_of(sentence)
    asked = any(clause.text in wanted and clause.asks for clause in inner)
    if act and not any(acts) and not (asked and act in COURTESIES):
        return [Step(sentence, act=act)]
    if len(inner) == 1 and acts[0]:
        return [Step(sentence, act=acts[0])]
    steps = []
    for clause, act in zip(inner, acts, strict=True):
        if act:
            steps.append(Step(clause.text, act=act))
        elif clause.text in wanted:
            steps.append(Step(clause.text, wanted[clause.text]))
    return steps


def _act_of(clause: Clause, wanted: Mapping[str, Clause], sentence: str) -> Act | None:
    """The act of a clause; a courtesy that asks for a fact as well is a question."""
    act = act_of(clause.text)
    begins = BEGINS_A_QUESTION.search(clause.text) or _REQUESTS.search(clause.text)
    marked = clause.sure and sentence.rstrip().endswith("?")
    question = clause.text in wanted and clause.topics and (begins or marked)
    return None if act in COURTESIES and act != "presence" and question else act


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
