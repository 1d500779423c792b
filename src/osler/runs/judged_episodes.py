"""A run's ended episodes with their judgements, read in one pass; graders by name and version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from osler.errors import BadInput
from osler.judging.scores import GRADER
from osler.store.records import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store


def judged_episodes(
    run: RunInfo, store: Store, *, earlier: bool = False
) -> Iterator[tuple[EpisodeRow, list[Judgement]]]:
    """Yield each ended episode with its judgements, in the order of ordinals. With `earlier`, include
    those that other versions of a grader made before."""
    judgements = store.judgements(run.id, earlier=earlier)
    waiting = next(judgements, None)
    for episode in store.episodes(run.id):
        mine = []
        while waiting is not None and waiting.ordinal <= episode.ordinal:
            if waiting.ordinal == episode.ordinal:
                mine.append(waiting)
            waiting = next(judgements, None)
        yield episode, mine


class Grader(NamedTuple):
    """A grader by name; an empty `version` means its latest judgement, by any version."""

    name: str = GRADER
    version: str = ""

    def among(self, judgements: Iterable[Judgement]) -> Judgement | None:
        """Return its judgement among those of one episode (latest last); `None` if it has not judged."""
        result = [one for one in judgements if one.grader == self.name and self.version in ("", one.version)]
        return result[-1] if result else None


def grader_named(text: str, run: RunInfo, store: Store) -> Grader:
    """Resolve NAME[@VERSION] among the graders of a run; a unique prefix of the version is enough.

    Raises BadInput that lists the graders of the run.
    """
    name, _, version = text.partition("@")
    known = store.graders(run.id)
    names = [f"{grader}@{found}" for grader, found in known]
    hint = f"one of {', '.join(names)}" if names else f"osler judge run {run.name}"
    versions = [found for grader, found in known if grader == name and found.startswith(version)]
    if not versions:
        raise BadInput(f"{text!r} has not judged {run.name}", where="--grader", hint=hint)
    if not version:
        return Grader(name)
    if version not in versions and len(versions) > 1:
        raise BadInput(f"{text!r} may be any of several versions", where="--grader", hint=hint)
    return Grader(name, version if version in versions else versions[0])
