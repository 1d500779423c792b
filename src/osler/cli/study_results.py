"""The sets of cases and the named judge of `osler study run`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from osler.cli.output import say
from osler.core.config import Config
from osler.core.measure import Measure
from osler.errors import BadInput, InfrastructureFault
from osler.runs.judged_episodes import Grader
from osler.runs.judging import JudgeOptions, check_judge, judge_by_name
from osler.runs.seating import ModelOptions
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.study.comparing import JudgeMarks
from osler.studies.study.design import Study

_NAMED: Final = re.compile(r"([\w .+-]{1,40})=(.+)", re.DOTALL)
_OWN: Final = re.compile(r"(.+),(format|images)=([^,]+)", re.DOTALL)


class SetOfCases(NamedTuple):
    """A set of cases of a study: the source, and its own `format` and `images` if it has any."""

    cases: str
    own: dict[str, str]


def sets_named(given: Sequence[str], study: Study) -> dict[str, SetOfCases]:
    """The sets of cases by name: those given as [NAME=]CASES[,format=FORMAT][,images=DIR], else the study's,
    else the library. Raises BadInput for two of one name."""
    if not given:
        return {name: _set_of(text) for name, text in (study.sets or {"library": "library"}).items()}
    result: dict[str, SetOfCases] = {}
    for text in given:
        match = None if Path(text).exists() else _NAMED.fullmatch(text)
        one = _set_of(match[2] if match else text)
        name = match[1].strip() if match else Path(one.cases).stem or one.cases
        if name in result:
            hint = "give each its name: --cases NAME=CASES"
            raise BadInput(f"two sets of cases are called {name!r}", where="--cases", hint=hint)
        result[name] = one
    return result


def _set_of(text: str) -> SetOfCases:
    """A set from its text; what stands after the source are its own options."""
    own: dict[str, str] = {}
    while not Path(text).exists() and (match := _OWN.fullmatch(text)):
        text, own = match[1], {match[2]: match[3].strip(), **own}
    return SetOfCases(text, own)


class StudyJudge:
    """The named judge of a study: it judges each run as it is done, and remembers what scores it gives."""

    def __init__(self, options: JudgeOptions, models: ModelOptions, store: Store) -> None:
        self.scores: tuple[Measure, ...] = ()
        self.marked: dict[str, JudgeMarks] = {}
        self._options, self._models, self._store = options, models, store

    def marks(self, wanted: Sequence[Config]) -> bool:
        """Whether the runs need judging after they are played. Raises BadInput as `check_judge` does."""
        self._options = self._options._replace(models=self._models, with_players=True)
        return check_judge(self._options, wanted)

    def mark(self, run: RunInfo) -> JudgeMarks:
        """Judge what is not judged yet of a run. Raises InfrastructureFault; judging can then be
        continued."""
        try:
            result = judge_by_name(run, self._store, self._options, say)
        except InfrastructureFault:
            say("Judgements so far are kept; run the same command again to continue.")
            raise
        self.scores = tuple(result.judge.scores)
        self.marked[run.name] = JudgeMarks(result.grader or Grader(self._options.name), self.scores)
        return self.marked[run.name]
