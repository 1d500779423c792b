"""Generated cases as a source: streamed by number, in constant memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Final

from osler.cases.generator.making import made
from osler.cases.generator.wording import FILE
from osler.cases.model import Case
from osler.core.source import ImportReport
from osler.errors import BadInput
from osler.knowledge import fingerprint
from osler.knowledge.conditions import Knowledge, knowledge
from osler.knowledge.misspecified import misspecified

NAME: Final = "generated"
MOST: Final = 100_000_000
_SPEC: Final = re.compile(r"generated:(\d{1,9}):(\d{1,15})(:misspecified)?")
_HINT: Final = "write generated:N:SEED, or generated:N:SEED:misspecified, such as generated:100:7"


@dataclass
class GeneratedSource:
    """A source of `cases` generated cases. `wrong` generates them from knowledge that is wrong on purpose."""

    cases: int
    seed: int
    wrong: bool = False
    report: ImportReport | None = None

    @property
    def label(self) -> str:
        """The source as it is written in a spec."""
        return f"{NAME}:{self.cases}:{self.seed}{':misspecified' if self.wrong else ''}"

    @property
    def size(self) -> int:
        """The number of cases."""
        return self.cases

    @cached_property
    def fingerprint(self) -> str:
        """A fingerprint, 32 hex digits, over number, seed, knowledge and words."""
        digest = blake2b(f"{self.label}\0{fingerprint()}\0".encode(), digest_size=16)
        digest.update(FILE.read_bytes())
        return digest.hexdigest()

    def __iter__(self) -> Iterator[Case]:
        """Every case, from the first."""
        for index in range(self.cases):
            yield self.get(index)
        self.report = ImportReport(read=self.cases, imported=self.cases, flagged=0, rejected=0)

    def get(self, index: int) -> Case:
        """The case at `index`, from 0. Raises BadInput where the source has no such case."""
        if not 0 <= index < self.cases:
            raise BadInput(f"there is no case {index + 1}", where=self.label)
        return made(_known(self.wrong), self.seed, index, self.label)


@lru_cache(maxsize=2)
def _known(wrong: bool) -> Knowledge:
    return misspecified(knowledge()) if wrong else knowledge()


def generated(spec: str) -> GeneratedSource:
    """Open the source that `generated:N:SEED` names. Raises BadInput for any other spelling."""
    match = _SPEC.fullmatch(spec)
    if not match or not 1 <= int(match[1]) <= MOST:
        raise BadInput("made-up cases are not named like this", where=spec, hint=_HINT)
    return GeneratedSource(int(match[1]), int(match[2]), match[3] is not None)
