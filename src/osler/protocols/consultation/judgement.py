"""The built-in judgement of a consultation: a complete, named set of scores.

A judge that fails sets every score to `None`; there are no partial judgements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic_core import from_json

from osler.core.events import Json
from osler.core.judge import Verdict, verdict
from osler.judging.scores import Score, scores_in
from osler.protocols.consultation.measures import NAMES


@dataclass(frozen=True, slots=True)
class Judgement:
    """All scores of one episode by one grader; `version` changes whenever the grader might judge differently.

    `kind` is the case's kind of task, `chance` the expected score of guessing, `None` if that is undefined.
    """

    grader: str
    version: str
    scores: dict[str, Score]
    kind: str = "diagnosis"
    chance: float | None = None

    def __post_init__(self) -> None:
        if self.scores.keys() != _NAMED:
            wrong = sorted(self.scores.keys() ^ _NAMED)
            raise ValueError(f"a judgement has every score and no other: {', '.join(wrong)}")

    @property
    def stored(self) -> Verdict:
        """The judgement as it is stored: scores in the order of `NAMES`, empty reasons and evidence left
        out."""
        scores = {name: _plain(self.scores[name]) for name in NAMES}
        return verdict(self.grader, self.version, scores, of={"kind": self.kind, "chance": self.chance})


_NAMED: Final = frozenset(NAMES)


def unscored(
    grader: str, version: str, reason: str, kind: str = "diagnosis", chance: float | None = None
) -> Judgement:
    """A judgement in which all scores are `None` for the same reason."""
    return Judgement(grader, version, dict.fromkeys(NAMES, Score(None, reason)), kind, chance)


def judgement_of(text: str) -> Judgement:
    """Parse the body of a stored judgement. Raises `ValueError` unless it has every score and no other."""
    return judgement_in(from_json(text))


def judgement_in(body: Json) -> Judgement:
    """Parse a stored judgement's JSON. Raises `ValueError` as `judgement_of` does."""
    return Judgement(body["grader"], body["version"], scores_in(body), body["kind"], body.get("chance"))


def _plain(score: Score) -> dict[str, object]:
    plain: dict[str, object] = {"value": score.value}
    if score.reason:
        plain["reason"] = score.reason
    if score.evidence:
        plain["evidence"] = score.evidence
    if score.missed:
        plain["missed"] = score.missed
    return plain
