"""People's labels of single episodes, on the scale of the judge's score that answers the same question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from osler.runs.judged_episodes import judged_episodes
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.rating.ratings import levels_of, rater_of
from osler.studies.rating.scales import Counterpart, Scale, ScaleItem
from osler.studies.rating.with_judge import as_share, people_share


class Question(NamedTuple):
    """An item of a scale, and the judge's score that answers it."""

    scale: Scale
    item: ScaleItem
    counterpart: Counterpart

    @property
    def step(self) -> float:
        """The least difference between two labels, as a share."""
        return 1.0 if self.item.yes_from is not None else 1 / self.item.top

    def judged(self, score: float) -> float:
        """A judge's score as a share: of yes, or of the highest level. Raises BadInput if it cannot be."""
        return as_share(score, self.counterpart, self.item)


def question_of(scale: Scale, grader: str, score: str) -> Question | None:
    """The item of a scale that asks what a judge's score answers; `None` if none does, and on a scale for the
    items of rubrics. A judge that the scale does not know is taken to mean by a score what others do."""
    if scale.each == "item":
        return None
    kind = grader.partition(":")[0]
    pairs = [(item, item.counterparts[kind]) for item in scale.items if kind in item.counterparts]
    every = [(item, counterpart) for item in scale.items for counterpart in item.counterparts.values()]
    for item, counterpart in (*pairs, *every):
        if counterpart.score == score:
            return Question(scale, item, counterpart)
    return None


def people_labels(
    runs: Sequence[RunInfo], store: Store, question: Question
) -> Mapping[tuple[int, int], float]:
    """People's label of each rated episode, by run id and ordinal: the share of raters who say yes, or their
    mean level as a share of the highest."""
    result: dict[tuple[int, int], float] = {}
    for run in runs:
        for row, judgements in judged_episodes(run, store, earlier=True):
            levels = [
                level
                for one in judgements
                if rater_of(question.scale, one.grader) and one.version == question.scale.full_version
                if (level := levels_of(question.scale, one.body)[question.item.id]) is not None
            ]
            if levels:
                result[run.id, row.ordinal] = people_share(levels, question.item)
    return result
