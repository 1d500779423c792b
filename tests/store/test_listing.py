"""Pages of a run's episodes, sorted and filtered by the database, and the narrow table of their scores."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from osler.errors import Status
from osler.store.listing import (
    Cursor,
    EpisodeQuery,
    ListedEpisode,
    Order,
    ScoreName,
    bands,
    count_of_episodes,
    counts,
    ended_among,
    neighbours,
    page_of_episodes,
    scores_of,
)
from osler.store.scores import names
from osler.store.statistics import renew_statistics
from osler.store.store import Store, open_store
from tests.store.samples import exchange, key, outcome

CORRECT = ScoreName("baseline", "correct")
EPISODES = 23


def judged(**scores: float | None) -> str:
    return json.dumps({"scores": {name: {"value": value, "reason": None} for name, value in scores.items()}})


@pytest.fixture
def run(store: Store) -> int:
    """A run of 23 episodes: three cases in turn, every fifth at fault and unscored, scores 0, 0.5 and 1."""
    run_id = store.begin_run("r", {}, EPISODES).id
    with store.writer(run_id) as writer:
        writer.case("c" * 32, "{}")
        for at in range(EPISODES):
            writer.exchange(at, exchange(1))
            fault = at % 5 == 4
            ended = outcome(Status.SIMULATOR_FAULT if fault else Status.COMPLETED)._replace(minutes=at % 7)
            body = judged(correct=None if fault else (at % 3) / 2)
            writer.end(at, key(at), "c" * 32, f"case-{at % 3}", ended, [("baseline", "1", body)])
    return run_id


def every_page(
    store: Store, run_id: int, wanted: EpisodeQuery, order: Order, count: int = 4
) -> Iterator[ListedEpisode]:
    after: Cursor | None = None
    with store.connected() as connection:
        while page := page_of_episodes(connection, run_id, wanted, order, count, after):
            yield from page
            after = page[-1].cursor


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("by", ["ordinal", "case", "status", "minutes", "exchanges"])
def test_pages_hold_every_episode_once_in_order_whatever_they_are_sorted_by(
    store: Store, run: int, by: str, descending: bool
) -> None:
    found = list(every_page(store, run, EpisodeQuery(), Order(by, descending)))
    assert sorted(one.ordinal for one in found) == list(range(EPISODES))
    assert found == sorted(found, key=lambda one: (one.value, one.ordinal), reverse=descending)


@pytest.mark.parametrize("descending", [False, True])
def test_sorted_by_a_score_the_unscored_come_last(store: Store, run: int, descending: bool) -> None:
    found = list(every_page(store, run, EpisodeQuery(score=CORRECT), Order("score", descending)))
    assert sorted(one.ordinal for one in found) == list(range(EPISODES))
    scored = [(one.value, one.ordinal) for one in found if one.value is not None]
    assert scored == sorted(scored, reverse=descending)
    assert [one.value for one in found[len(scored) :]] == [None] * len(
        [a for a in range(EPISODES) if a % 5 == 4]
    )


def test_filters_join_and_the_count_agrees(store: Store, run: int) -> None:
    for wanted, expected in (
        (EpisodeQuery(status="simulator_fault"), [4, 9, 14, 19]),
        (EpisodeQuery(case="case-1", status="simulator_fault"), [4, 19]),
        (EpisodeQuery(text="CASE-2"), [at for at in range(EPISODES) if at % 3 == 2]),
        (EpisodeQuery(text=key(7)[:12].upper()), [7]),
        (EpisodeQuery(text="%"), []),
        (EpisodeQuery(score=CORRECT, above=1), [at for at in range(EPISODES) if at % 3 == 2 and at % 5 != 4]),
        (EpisodeQuery(case="case-0", score=CORRECT, below=0.2), [0, 3, 6, 12, 15, 18, 21]),
    ):
        with store.connected() as connection:
            assert count_of_episodes(connection, run, wanted) == len(expected), wanted
        for order in (Order(), Order("score"), Order("minutes")):
            assert sorted(one.ordinal for one in every_page(store, run, wanted, order)) == expected, wanted


def test_what_there_is_to_filter_by_is_counted(store: Store, run: int) -> None:
    with store.connected() as connection:
        assert counts(connection, run, "status") == {"completed": 19, "simulator_fault": 4}
        assert counts(connection, run, "case") == {"case-0": 8, "case-1": 8, "case-2": 7}
        found = bands(connection, run, CORRECT)
        assert [(round(one.low, 1), one.episodes) for one in found] == [
            (0, 7),
            (0.2, 0),
            (0.4, 6),
            (0.6, 0),
            (0.8, 6),
        ]
        assert bands(connection, run, ScoreName("nobody", "correct")) == []
        assert neighbours(connection, run, 0) == (None, 1)
        assert neighbours(connection, run, EPISODES - 1) == (EPISODES - 2, None)


def test_what_is_shown_of_some_episodes_is_of_these_alone(store: Store, run: int) -> None:
    some = frozenset({1, 4, 7, 22, 5000})
    for order in (Order(), Order("score", True), Order("case"), Order("minutes", True)):
        for score in (None, CORRECT):
            wanted = EpisodeQuery(score=score, among=some)
            assert sorted(one.ordinal for one in every_page(store, run, wanted, order, 2)) == [1, 4, 7, 22]
    many = frozenset(range(100_000))
    with store.connected() as connection:
        assert count_of_episodes(connection, run, EpisodeQuery(among=some)) == 4
        assert count_of_episodes(connection, run, EpisodeQuery(score=CORRECT, above=0.5, among=some)) == 3
        assert count_of_episodes(connection, run, EpisodeQuery(among=frozenset())) == 0
        assert counts(connection, run, "status", some) == {"completed": 3, "simulator_fault": 1}
        assert [(one.low, one.episodes) for one in bands(connection, run, CORRECT, some)] == [(0.5, 3)]
        assert bands(connection, run, CORRECT, frozenset({4})) == []
        assert neighbours(connection, run, 4, some) == (1, 7)
        assert [ended_among(connection, run, one) for one in (some, many)] == [4, EPISODES]


def test_judging_again_replaces_the_scores_of_that_grader_only(store: Store, run: int) -> None:
    other = ScoreName("model", "correct")
    store.put_judgements(run, [(0, "model", "1", judged(correct=0.25, tone=3, grade=None))])
    store.put_judgements(run, [(0, "baseline", "2", judged(correct=0.75))])
    store.put_judgements(run, [(0, "model", "2", judged(correct=0.5))])
    with store.connected() as connection:
        assert scores_of(connection, run, CORRECT, [0, 1]) == {0: 0.75, 1: 0.5}
        assert scores_of(connection, run, other, [0, 1]) == {0: 0.5}
        assert names(connection, run) == [CORRECT, other], "what the newer judgement lacks is gone"
    store.forget(run, 0)
    with store.connected() as connection:
        assert scores_of(connection, run, CORRECT, [0, 1]) == {1: 0.5}
        assert names(connection, run) == [CORRECT]
    store.delete_run("r")
    with store.connected() as connection:
        assert names(connection, run) == []


def test_a_database_that_plans_by_statistics_gets_them_after_many_changes(url: str) -> None:
    with open_store(url) as store:
        run_id, on_sqlite = store.begin_run("r", {}, 60).id, store.label.startswith("sqlite")
        with store.writer(run_id) as writer:
            writer.case("c" * 32, "{}")
            for at in range(60):
                twenty = judged(**{f"score_{n}": 1 for n in range(20)})
                writer.exchange(at, exchange(1))
                writer.end(
                    at, key(at), "c" * 32, "case", outcome(Status.COMPLETED), [("baseline", "1", twenty)]
                )
    with open_store(url) as store:
        assert renew_statistics(store) == ([] if on_sqlite else ["scores"]), "1,200 new rows"
    with open_store(url) as store:
        assert renew_statistics(store) == []
