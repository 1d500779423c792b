"""The built-in lexical rubric judge: an item is met if one line has most of its content words.

An item about asking is also met by questions on its history topics ("when did it start?" for the onset).
This is a baseline without understanding. A negated word ("we will not give aspirin") does not count as said,
unless in a question. An item that holds by absence holds if its words are not found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from osler.cases.rubrics import polarity
from osler.cases.rubrics.model import Rubric, RubricItem
from osler.core.judge import version_of
from osler.judging.lines import JudgedLine, Quote, by_examinee
from osler.judging.rubric.judgement import RubricJudgement, foregone, unscored
from osler.judging.rubric.scores import Open, Verdict
from osler.judging.scores import QUOTE
from osler.knowledge import fingerprint
from osler.knowledge.vocabulary import Topic
from osler.text import refusal as refusals
from osler.text.hostile import inert
from osler.text.key_points import SAID, telling
from osler.text.phrases import words
from osler.text.tokens import lowered, sentences
from osler.text.topics import clauses

GRADER: Final = "rubric:lexical"
VERSION: Final = "3"
"""Increment it with every change to how this judge decides."""
_TOKEN: Final = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_ASIDE: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\be\.g\.?.*$|\bsuch as\b.*$", re.DOTALL)
_ASKING: Final = re.compile(
    r"(?:ask|inquir|enquir|question|elicit|obtain(?:s|ed)? (?:a |an |the )?[\w ]{0,30}history)"
)
_TOO_WIDE: Final[frozenset[Topic]] = frozenset({"complaint", "associated", "systems", "character", "other"})
# Words of checklists that no one says at the bedside.
_OF_CHECKLISTS: Final = frozenset(
    words(
        "student learner resident examinee candidate physician doctor provider fellow trainee team "
        "patient family"
        " ask inquire enquire elicit obtain explore explain discuss describe state identify "
        "recognize recognise"
        " demonstrate perform provide use assess evaluate address acknowledge appropriate "
        "appropriately correctly"
        " correct effective effectively clear clearly adequate adequately complete relevant "
        "pertinent understanding"
        " include including regarding about possible order request initiate administer consider ensure"
    )
)


class LexicalJudge:
    """A judge by the words that a transcript shares with a rubric's items. Deterministic, without a model."""

    @property
    def grader(self) -> str:
        """The name under which its judgements are stored."""
        return GRADER

    def version(self, rubric: Rubric) -> str:
        """The version, which changes whenever this judge might judge differently by this rubric."""
        return version(rubric)

    async def judge(
        self, rubric: Rubric, lines: Sequence[JudgedLine], unscored_because: str = ""
    ) -> RubricJudgement:
        """Judge one transcript; `unscored_because` is the reason if it is not to be scored. It never waits
        and is async only to be interchangeable with a model judge."""
        return judged(rubric, lines, unscored_because)


def judged(rubric: Rubric, lines: Sequence[JudgedLine], unscored_because: str = "") -> RubricJudgement:
    """The judgement of `LexicalJudge` on one transcript, synchronously."""
    if unscored_because:
        verdicts = unscored(rubric, unscored_because)
    else:
        pairs = [(each, _said(each.text)) for each in by_examinee(lines)]
        verdicts = tuple(foregone(item, lines) or _verdict(item, pairs) for item in rubric.items)
    return RubricJudgement(GRADER, version(rubric), rubric, verdicts)


def version(rubric: Rubric) -> str:
    """The version, which changes whenever the judge might judge differently by this rubric."""
    return f"{_version()}-{rubric.digest}"


def _verdict(item: RubricItem, said: Sequence[tuple[JudgedLine, frozenset[str]]]) -> Verdict:
    line, why = _asked(item, said) if _ASKING.match(polarity.denied_kernel(item.text)) else (None, "")
    if line is None:
        line, why = _named(item, said)
    quote = () if line is None else (Quote(line.turn, inert(line.text, QUOTE)),)
    if item.traits.by_absence:
        return Verdict(item.id, line is None, "", quote, f"by absence: {why}")
    return Verdict(item.id, line is not None, "", quote, why, open=_open(item, line))


def _open(item: RubricItem, line: JudgedLine | None) -> Open:
    """Words that do not occur leave it open whether it was done; what counts against one is not presumed."""
    return "" if line is not None or item.traits.negative else "not_seen"


def _named(
    item: RubricItem, said: Sequence[tuple[JudgedLine, frozenset[str]]]
) -> tuple[JudgedLine | None, str]:
    """The line with most of an item's content words, if it has enough of them, and the reason."""
    wanted = _wanted(item.text)
    asks = _ASKING.match(polarity.denied_kernel(item.text)) is not None
    heard = [pair for pair in said if pair[0].source == "examinee" or not asks]
    if not wanted or not heard:
        return None, "nothing to compare"
    shares = [len(wanted & forms) / len(wanted) for _, forms in heard]
    best = max(range(len(heard)), key=lambda n: (shares[n], -n))
    why = f"{shares[best]:.0%} of {len(wanted)} telling words in one line"
    return (heard[best][0] if shares[best] >= SAID else None), why


def _asked(
    item: RubricItem, said: Sequence[tuple[JudgedLine, frozenset[str]]]
) -> tuple[JudgedLine | None, str]:
    """The first line that asks about the item's history topics, if all of them are asked about somewhere."""
    topics = _topics(item.text, asking=False)
    lines: dict[Topic, JudgedLine] = {}
    for line, _ in said:
        if line.source == "examinee":
            for topic in _topics(line.text, asking=True):
                lines.setdefault(topic, line)
    if not topics or not topics <= lines.keys():
        return None, ""
    first = min((lines[topic] for topic in topics), key=lambda line: (line.turn, line.text))
    return first, f"asked for {', '.join(sorted(topics))}"


@lru_cache(maxsize=20_000)
def _topics(text: str, asking: bool) -> frozenset[Topic]:
    """The sure topics of a text, without those too general; only of its questions if `asking`."""
    kept = (clause for clause in clauses(text) if clause.sure and (clause.asks or not asking))
    return frozenset(topic for clause in kept for topic in clause.topics) - _TOO_WIDE


@lru_cache(maxsize=20_000)
def _wanted(text: str) -> frozenset[str]:
    """The content words of an item, without asides and checklist words unless nothing else is left."""
    kernel = polarity.denied_kernel(text)
    bare = _ASIDE.sub(" ", kernel)
    for candidate in (telling(bare) - _OF_CHECKLISTS, telling(kernel) - _OF_CHECKLISTS, telling(bare)):
        if candidate:
            return candidate
    return frozenset()


@lru_cache(maxsize=4_096)
def _said(text: str) -> frozenset[str]:
    """The words of a line in normal form, without negated ones."""
    result: set[str] = set()
    for sentence in sentences(text):
        low = lowered(sentence)
        asked = low.rstrip(" )\"'").endswith("?")
        for token in _TOKEN.finditer(low):
            if asked or not refusals.refused(low, token.start(), token.end()):
                result.update(words(token[0]))
    return frozenset(result)


@lru_cache(maxsize=1)
def _version() -> str:
    return version_of(VERSION, words=polarity.data(), knowledge=fingerprint())
