"""One driver asks every judge with a model: each verdict kept, none asked for twice, faults resumable."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from osler.core.judge import Verdict
from osler.core.lazy import load
from osler.core.measure import share_of
from osler.core.registry import protocol_named
from osler.core.trace import ExchangeRow, Trace
from osler.errors import BadInput, InfrastructureFault, Status
from osler.judging.opening import JudgeModel
from osler.runs import run as runs
from osler.runs.rejudging import judge_again, judge_run, spoken
from osler.runs.stored_case import stored
from osler.store.store import Store, open_store
from tests.judging.model.judges import ENDPOINT, Scripted, careful
from tests.protocols.scenario.playing import SMALL

PLAYED: Final = {
    "consultation": {"cases": "library", "limit": 3, "repeats": 2, "doctor": "always-conclude"},
    "ward_round": {"cases": "library", "limit": 2, "students": 1, "teach_by": "another"},
    "scenario": {"cases": str(SMALL), "repeats": 2, "examinee": "null"},
}
OPENED: Final = JudgeModel(Scripted(careful), ENDPOINT)


class Even:
    """Says whether an episode's number is even; its network breaks at the questions in `broken`."""

    grader = "model:even"
    scores = (share_of("even", "even", "share of episodes with an even number"),)

    def __init__(self, version: str = "1", broken: tuple[int, ...] = ()) -> None:
        self.version, self.broken, self.asked = version, broken, list[int]()

    def version_of(self, episode: Any) -> str:
        return self.version

    async def judge(self, episode: Any, trace: Trace) -> Verdict:
        self.asked.append(episode.ordinal)
        question = len(self.asked)
        await asyncio.sleep(0)
        if question in self.broken:
            raise InfrastructureFault("the network is down")
        even = {"value": 1 - episode.ordinal % 2, "reason": "", "evidence": []}
        body = {"grader": self.grader, "version": self.version, "scores": {"even": even}}
        return Verdict(self.grader, self.version, json.dumps(body))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with a run of each protocol, named by it."""
    with open_store(tmp_path_factory.mktemp("runs") / "osler.db") as opened:
        for name, fields in PLAYED.items():
            config = protocol_named(name).config.model_validate(fields)
            runs.play(runs.begin(config, opened, name=name), opened)
        yield opened


@pytest.mark.parametrize("name", PLAYED)
def test_a_fault_stops_judging_and_what_is_kept_is_not_asked_for_again(store: Store, name: str) -> None:
    run = store.run(name)
    judge = Even(f"faulty {name}", broken=(2,))
    with pytest.raises(InfrastructureFault):
        asyncio.run(judge_run(run, store, judge))
    kept = spoken(run, store, judge).scores["even"].n
    assert kept == len(judge.asked) - 1 < run.done
    assert asyncio.run(judge_run(run, store, judge)) == run.done - kept
    assert sorted(judge.asked) == sorted([*range(run.done), judge.asked[1]])
    assert asyncio.run(judge_run(run, store, judge)) == 0


def test_another_version_judges_anew_and_is_the_one_summed_up(store: Store) -> None:
    run = store.run("consultation")
    first, second = Even("first"), Even("second")
    assert asyncio.run(judge_run(run, store, first)) == 6
    before = spoken(run, store, second)
    assert (before.scores["even"].n, before.unscored_because) == (0, {"not_judged": 6})
    assert asyncio.run(judge_run(run, store, second, lambda row: row.ordinal < 3)) == 3
    after = spoken(run, store, second)
    assert (after.scores["even"].n, after.scores["even"].unscored) == (3, 3)
    assert after.versions == ("second",)
    assert spoken(run, store, first).scores["even"].value == 0.5


def test_nothing_is_judged_while_somebody_plays(store: Store) -> None:
    run = store.run("scenario")
    with store.claims(run.id), pytest.raises(BadInput, match="play"):
        asyncio.run(judge_run(run, store, Even("while played")))


@pytest.mark.parametrize("name", PLAYED)
def test_the_protocols_model_judge_scores_nothing_of_what_the_simulation_spoilt_or_cannot_be_read(
    store: Store, name: str
) -> None:
    run, protocol = store.run(name), protocol_named(name)
    assert protocol.model_judge is not None
    judge = load(protocol.model_judge.opens)(OPENED)
    row, trace = next(iter(store.traces(run.id)))
    config, case = runs.config_of(run), stored(store, protocol.config.model)(row.case_hash)
    episode = config.episode(row.ordinal, case, config.opened())
    spoilt = Trace(trace.rows, trace.outcome._replace(status=Status.SIMULATOR_FAULT), trace.inner)
    strange = ExchangeRow(1, trace.rows[0].seat, "", '[{"kind": "unheard of"}]', "{}", "[]")
    for unread, reason in ((spoilt, "simulator_fault"), (Trace((strange,), trace.outcome), "judge_failed")):
        grader, version, body = asyncio.run(judge.judge(episode, unread))
        assert (grader, version) == (judge.grader, judge.version_of(episode))
        scores = json.loads(body)["scores"].values()
        assert {score["value"] for score in scores} == {None}
        assert any(score["reason"].startswith(reason) for score in scores)


@pytest.mark.parametrize("name", PLAYED)
def test_every_judge_without_a_model_judges_by_its_name_and_leaves_other_judgements_alone(
    store: Store, name: str
) -> None:
    run = store.run(name)
    before = {(one.ordinal, one.grader, one.version): one.body for one in store.judgements(run.id)}
    for judge in protocol_named(name).judges:
        assert judge_again(run, store, judge) == run.done
        assert set(spoken(run, store, judge).graders) <= set(judge.graders)
    after = {(one.ordinal, one.grader, one.version): one.body for one in store.judgements(run.id)}
    assert before.items() <= after.items()
