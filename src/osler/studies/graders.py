"""Grader references: "NAME" for a grader's latest judgement, or "NAME@VERSION" for that of one version."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from osler.errors import BadInput
from osler.judging.judge import GRADER
from osler.store.rows import Judgement, RunInfo
from osler.store.store import Store


class Grader(NamedTuple):
    """A grader by name; an empty `version` means its latest judgement, by any version."""

    name: str = GRADER
    version: str = ""

    def among(self, judgements: Iterable[Judgement]) -> Judgement | None:
        """Return its judgement among those of one episode (latest last); `None` if it has not judged."""
        found = [one for one in judgements if one.grader == self.name and self.version in ("", one.version)]
        return found[-1] if found else None


def grader_named(text: str, run: RunInfo, store: Store) -> Grader:
    """Resolve NAME[@VERSION] among the graders of a run; a unique prefix of the version is enough.

    Raises BadInput that lists the graders of the run.
    """
    name, _, version = text.partition("@")
    known = store.graders(run.id)
    names = [f"{grader}@{found}" for grader, found in known]
    mend = f"one of {', '.join(names)}" if names else f"osler judge run {run.name}"
    versions = [found for grader, found in known if grader == name and found.startswith(version)]
    if not versions:
        raise BadInput(f"{text!r} has not judged {run.name}", where="--grader", mend=mend)
    if not version:
        return Grader(name)
    if version not in versions and len(versions) > 1:
        raise BadInput(f"{text!r} may be any of several versions", where="--grader", mend=mend)
    return Grader(name, version if version in versions else versions[0])
