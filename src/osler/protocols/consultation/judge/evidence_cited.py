"""Evidence scores: the key evidence that a conclusion cites, and the evidence that it makes up.

Lines of evidence are matched by their words and by the findings they name (`osler.text.findings_in_text`); a
line that matches neither way counts neither for nor against the doctor. Most paraphrases are missed; for
better recall use a model judge, whose scores of the same names ask the same questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from osler.cases.made_up import made_up
from osler.cases.model import Case
from osler.core.measure import Need
from osler.judging.scores import NO_ANSWER, QUOTE, Json, Score
from osler.protocols.consultation.judge.gold import Ground
from osler.protocols.consultation.judge.reading import Reading
from osler.protocols.consultation.judge.scoring import MOST_QUOTES, EndedConsultation, in_words, share, tally
from osler.text.findings_in_text import mentions
from osler.text.lexical_similarity import numbers, stems

_HALF: Final = 0.5
_MOST_LINES: Final = 40
_LONGEST: Final = 8000


def _supporting(grounds: Sequence[Ground], reading: Reading) -> Score:
    """The share of the key facts and findings that were obtained and are cited in the conclusion."""
    if reading.final is None:
        return Score(0.0, NO_ANSWER)
    lines = _lines(reading.final)
    cited = [line for ground in grounds if (line := _cited(ground, lines, reading)) is not None]
    return Score(len(cited) / len(grounds), "", tuple(line[:QUOTE] for line in cited[:MOST_QUOTES]))


def _cited(ground: Ground, lines: Sequence[str], reading: Reading) -> str | None:
    """The line that cites something that was obtained; `None` without one."""
    if ground.id not in reading.released:
        return None
    return next((line for line in lines if _cites(line, ground)), None)


def _not_cited(consultation: EndedConsultation) -> Iterator[str]:
    """The key facts and findings that the conclusion does not cite."""
    lines = _lines(consultation.reading.final) if consultation.reading.final else []
    left = [one.id for one in consultation.gold.grounds if _cited(one, lines, consultation.reading) is None]
    return in_words(consultation.case, left)


def _unsupported(case: Case, reading: Reading) -> Score:
    """The number of lines of evidence that state what no one said and no result showed."""
    if reading.final is None:
        return Score(None, NO_ANSWER)
    lines = _lines(reading.final)
    if not lines:
        return Score(None, "not_given")
    told = (case.opening.door_note, *reading.heard)
    doubtful = [line for line in lines if not any(line in text for text in told)]
    made_up: list[str] = []
    if doubtful:
        age = "" if case.age_years is None else f"{case.age_years:g} years old"
        known = _Evidence((age, *told))
        made_up = [line[:QUOTE] for line in doubtful if known.contradicts(line)]
    return Score(float(len(made_up)), "", tuple(made_up[:MOST_QUOTES]))


def _lines(final: Json) -> list[str]:
    return [str(entry)[:_LONGEST] for entry in (final.get("evidence") or ())[:_MOST_LINES]]


@lru_cache(maxsize=4096)
def _cites(line: str, ground: Ground) -> bool:
    said = stems(line)
    if not said:
        return False
    if any(name <= said for name in ground.names) or any(_alike(said, stems(text)) for text in ground.texts):
        return not any(_opposed(mentions(line), mentions(text)) for text in ground.texts)
    claimed = {name for name, present in mentions(line).items() if present}
    return bool(claimed) and any(
        claimed & {name for name, present in mentions(text).items() if present} for text in ground.texts
    )


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether half the words of the shorter occur in the longer, and at least two or all of them."""
    shorter = min(len(one), len(other))
    shared = len(one & other)
    return shared >= max(min(2, shorter), _HALF * shorter) and shared > 0


def _opposed(one: Mapping[str, bool], other: Mapping[str, bool]) -> bool:
    """Whether all findings that both mention are affirmed by one and denied by the other."""
    both = one.keys() & other.keys()
    return bool(both) and all(one[name] != other[name] for name in both)


class _Evidence:
    """Everything that was told or shown; the findings it mentions are read lazily."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [text[:_LONGEST] for text in texts if text]
        self._words = frozenset[str]().union(*map(stems, self._texts))
        self._said: set[tuple[str, bool]] | None = None

    def contradicts(self, line: str) -> bool:
        """Whether a line gives a number or a finding that nothing told or shown supports."""
        if any(len(number) > 1 for number in numbers(line) - self._words):
            return True
        said = self._mentioned()
        claimed = list(mentions(line).items())
        if any(pair not in said and (pair[0], not pair[1]) in said for pair in claimed):
            return True
        words = stems(line)
        told = len(words & self._words) >= _HALF * len(words)
        return bool(claimed) and not told and not any(pair in said for pair in claimed)

    def _mentioned(self) -> set[tuple[str, bool]]:
        if self._said is None:
            self._said = set(self._pairs())
        return self._said

    def _pairs(self) -> Iterator[tuple[str, bool]]:
        for text in self._texts:
            yield from mentions(text).items()


def _says_what_is_decisive(case: Case) -> bool:
    """Whether the case says which of its results matter: some are marked key, or it has a work-up. A made-up
    case marks what it was drawn by, perhaps the history alone.

    Few sources say which results a diagnosis rests on, and nothing here guesses it: a share of what an
    importer happened to mark would be a number about the importer.
    """
    return case.workup is not None or any(finding.key for finding in case.findings) or made_up(case)


def _marked(case: Case) -> bool:
    marked = any(fact.key for fact in case.facts) or any(finding.key for finding in case.findings)
    return marked and _says_what_is_decisive(case)


EVIDENCE: Final = Need("results marked key, or a work-up and facts marked key", _marked)
SCORES: Final = (
    share(
        "supporting_evidence",
        "supporting evidence",
        "share of the key facts and findings that the conclusion cites, having obtained them",
        lambda seen: _supporting(seen.gold.grounds, seen.reading),
        missed=_not_cited,
        needs=EVIDENCE,
    ),
    tally(
        "unsupported_evidence",
        "unsupported evidence",
        "lines of evidence with a number or a finding that nobody told and no result showed",
        lambda seen: _unsupported(seen.case, seen.reading),
        "less",
        missed=lambda seen: _unsupported(seen.case, seen.reading).evidence,
    ),
)
