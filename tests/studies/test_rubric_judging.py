"""A stored run judged by rubrics: which episodes, how far after a fault, and in which clusters."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cases.rubrics.inference import infer
from osler.cases.rubrics.model import Rubric
from osler.cases.rubrics.reading import parse
from osler.cli.main import app
from osler.errors import InfrastructureFault
from osler.judging.lines import JudgedLine
from osler.judging.rubric.figures import figures
from osler.judging.rubric.judgement import RubricJudgement
from osler.judging.rubric.lexical import LexicalJudge
from osler.store.store import Store, open_store
from osler.studies.rubric_judging import judge_by_rubric, judged_by_rubric, rubric_of_each
from tests.cases.rubrics.samples import published_of

CASES = ("cardiology-01", "cardiology-02", "cardiology-03")


def rubric(case_id: str, **items: list[str]) -> Rubric:
    """Our rubric, or these items, for a case."""
    return infer(parse(json.dumps(published_of(case_id, items=items or None)).encode()))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with one run: three cases, twice each."""
    url = str(tmp_path / "osler.db")
    words = ["consult", "library", "--limit", "3", "--repeats", "2", "--seed", "1", "--store", url, "--json"]
    assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    with open_store(url) as opened:
        yield opened


class Failing(LexicalJudge):
    """The built-in judge behind a network that breaks at the third question."""

    def __init__(self) -> None:
        self.asked = 0

    async def judge(
        self, rubric: Rubric, lines: Sequence[JudgedLine], unscored_because: str = ""
    ) -> RubricJudgement:
        self.asked += 1
        if self.asked == 3:
            raise InfrastructureFault("the network is down")
        return await super().judge(rubric, lines, unscored_because)


def test_after_a_fault_judging_goes_on_where_it_stopped_and_asks_nothing_twice(store: Store) -> None:
    rubrics = [rubric(case) for case in CASES]
    rubric_of = rubric_of_each(rubrics, any_case=False)
    run, judge = store.run("last"), Failing()
    with pytest.raises(InfrastructureFault):
        asyncio.run(judge_by_rubric(run, store, judge, rubric_of))
    kept, _ = judged_by_rubric(run, store, judge, rubrics, rubric_of, any_case=False)
    assert len(kept) == judge.asked - 1
    asyncio.run(judge_by_rubric(run, store, judge, rubric_of))
    assert judge.asked == 6 + 1
    kept, without = judged_by_rubric(run, store, judge, rubrics, rubric_of, any_case=False)
    assert [one.episode.ordinal for one in kept] == list(range(6))
    assert without == 0
    assert asyncio.run(judge_by_rubric(run, store, judge, rubric_of)) == 0


def test_rubrics_alike_are_one_cluster_and_cases_without_one_are_counted(store: Store) -> None:
    rubrics = [rubric(CASES[0]), rubric(CASES[1])]
    rubric_of, run, judge = rubric_of_each(rubrics, any_case=False), store.run("last"), LexicalJudge()
    assert asyncio.run(judge_by_rubric(run, store, judge, rubric_of)) == 4
    kept, without = judged_by_rubric(run, store, judge, rubrics, rubric_of, any_case=False)
    assert without == 2
    assert figures([one.judged for one in kept]).net.clusters == 1
    apart = [rubric(CASES[0], PC=["Asks about pain"]), rubric(CASES[1], PC=["Asks about fever"])]
    rubric_of = rubric_of_each(apart, any_case=False)
    asyncio.run(judge_by_rubric(run, store, judge, rubric_of))
    kept, _ = judged_by_rubric(run, store, judge, apart, rubric_of, any_case=False)
    assert figures([one.judged for one in kept]).net.clusters == 2


def test_judging_leaves_the_built_in_judges_word_alone(store: Store) -> None:
    run, judge = store.run("last"), LexicalJudge()
    before = [one for one in store.judgements(run.id) if one.grader == "baseline"]
    rubrics = [rubric(CASES[0])]
    asyncio.run(judge_by_rubric(run, store, judge, rubric_of_each(rubrics, any_case=True)))
    assert [one for one in store.judgements(run.id) if one.grader == "baseline"] == before
    assert store.graders(run.id)["rubric:lexical", judge.version(rubrics[0])] == 6
