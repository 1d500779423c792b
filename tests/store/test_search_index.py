"""Search over all runs, on both databases: what is found, what is not, and that no query breaks it."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.trace import ExchangeRow
from osler.runs.word_search import HitPage, index_episodes, search
from osler.store.archive import archive_run, restore_run
from osler.store.deletion import delete_words
from osler.store.records import RunInfo
from osler.store.schema import runs, search_lines
from osler.store.store import Store, open_store
from osler.text.search_words import passage, phrases_of
from tests.store import samples

PLAYED = {"configuration": {"protocol": "consultation/1", "doctor": "baseline"}}
CASE = blake2b(samples.BODY.encode(), digest_size=16).hexdigest()
PLANTED = "I saw a zebra finch on the night bus, doctor."


def play(store: Store, name: str | None, said: dict[tuple[int, int], str], count: int = 1) -> RunInfo:
    """A run of episodes in which the doctor says something in some exchanges: (ordinal, n)."""
    run = store.begin_run(name, PLAYED, count)
    with store.writer(run.id) as writer:
        writer.case(CASE, samples.BODY)
        for ordinal in range(count):
            for n, row in enumerate(samples.exchanges(ordinal), start=1):
                writer.exchange(ordinal, heard(n, said[ordinal, n]) if (ordinal, n) in said else row)
            writer.end(ordinal, samples.key(ordinal), CASE, "case-1", samples.outcome())
    with store.writing() as connection:
        connection.execute(sa.update(runs).where(runs.c.id == run.id).values(status="done"))
    return store.info(run.id)


def heard(n: int, text: str, by: str = "patient") -> ExchangeRow:
    event = {"kind": "said", "minute": n, "to": [], "by": by, "text": text}
    return samples.exchange(n)._replace(events=json.dumps([event]))


def find(store: Store, query: str, **given: object) -> HitPage:
    assert index_episodes(store)
    return search(store, phrases_of(query), lambda at: True, 100, **given)  # type: ignore[arg-type]


def places(found: HitPage) -> list[tuple[int, int]]:
    return [(hit.at.ordinal, hit.at.n) for hit in found.hits]


@pytest.mark.parametrize("many", [250, pytest.param(2_500, marks=pytest.mark.slow)])
def test_a_planted_phrase_is_found_among_thousands_of_exchanges(store: Store, many: int) -> None:
    run = play(
        store, "many", {(many // 2, 3): PLANTED, (77, 1): "A finch, no zebra. Night after night."}, many
    )
    found = find(store, '"zebra finch" NIGHT')
    (hit,) = found.hits
    assert (hit.at.run, hit.at.ordinal, hit.line.seat, found.after) == (run.id, many // 2, "patient", None)
    assert "".join(piece.text for piece in hit.passage) == PLANTED
    assert [piece.text for piece in hit.passage if piece.marked] == ["zebra finch", "night"]
    assert places(find(store, "zebra finch")) == [(77, 0), (many // 2, 2)]
    assert places(find(store, "zebra finches")) == []
    every = search(store, phrases_of("episode exchange"), lambda at: True, 3)
    assert len(every.hits) == 3
    following = search(store, phrases_of("episode"), lambda at: True, 2, after=every.hits[0].at)
    assert [hit.at for hit in following.hits] == [hit.at for hit in every.hits[1:]]


def test_by_run_and_by_seat(store: Store) -> None:
    first = play(store, "first", {(0, 2): PLANTED})
    second = play(store, "second", {(0, 2): PLANTED, (0, 4): "A zebra?"})
    assert [hit.at.run for hit in find(store, "zebra").hits] == [second.id, second.id, first.id]
    assert [hit.at.run for hit in find(store, "zebra", runs=[first.id]).hits] == [first.id]
    assert find(store, "zebra", seat="doctor").hits == []
    assert len(find(store, "zebra", seat="patient").hits) == 3


def test_what_is_hidden_from_who_asks_is_not_shown(store: Store) -> None:
    play(store, "run", {(at, 2): PLANTED for at in range(4)}, 4)
    index_episodes(store)
    found = search(store, phrases_of("zebra"), lambda at: at.ordinal == 2, 100)
    assert [hit.at.ordinal for hit in found.hits] == [2]


def test_an_episode_is_searched_once_it_has_ended(store: Store) -> None:
    run = store.begin_run("going", PLAYED, 1)
    with store.writer(run.id) as writer:
        writer.case(CASE, samples.BODY)
        writer.exchange(0, heard(1, PLANTED))
    assert find(store, "zebra").hits == []
    with store.writer(run.id) as writer:
        writer.end(0, samples.key(0), CASE, "case-1", samples.outcome())
    assert len(find(store, "zebra").hits) == 1


def test_deleted_words_are_not_found_and_not_in_the_index(store: Store) -> None:
    people = {**PLAYED, "people": ["patient"]}
    run = play(store, "talk", {(0, 2): PLANTED, (1, 2): PLANTED}, 2)
    store.note(run.id, people=people["people"])
    assert len(find(store, "zebra").hits) == 2
    delete_words(store, run.id, [0])
    assert [hit.at.ordinal for hit in find(store, "zebra").hits] == [1]
    delete_words(store, run.id, [1])
    assert find(store, "zebra").hits == []
    with store.connected() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(search_lines)) == 0


def test_nothing_of_deleted_words_is_left_in_the_file(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        run = play(store, "talk", {(0, 2): "the quetzalcoatlus flew"}, 2)
        store.note(run.id, people=["patient"])
        find(store, "flew")
        delete_words(store, run.id, [0])
    assert b"quetzalcoatlus" not in (tmp_path / "osler.db").read_bytes()


def test_a_run_takes_its_index_with_it_and_comes_back_from_an_archive(store: Store, tmp_path: Path) -> None:
    play(store, "kept", {(0, 2): PLANTED})
    assert len(find(store, "zebra").hits) == 1
    archive_run(store, "kept", tmp_path / "kept")
    assert find(store, "zebra").hits == []
    with store.connected() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(search_lines)) == 0
    restored = restore_run(store, tmp_path / "kept")
    assert [hit.at.run for hit in find(store, "zebra").hits] == [restored.id]


def test_an_episode_played_anew_is_indexed_anew(store: Store) -> None:
    run = play(store, "again", {(0, 2): PLANTED})
    assert len(find(store, "zebra").hits) == 1
    store.forget(run.id, 0)
    assert find(store, "zebra").hits == []
    with store.writer(run.id) as writer:
        writer.exchange(0, heard(1, "A quagga."))
        writer.end(0, samples.key(0), CASE, "case-1", samples.outcome())
    assert (places(find(store, "zebra")), len(find(store, "quagga").hits)) == ([], 1)


HOSTILE = ("%_*'\"\\:()^-+<>|&!~{}[]; AND OR NOT NEAR near(a b) words: 'a'::tsquery -- \0 \ud800 é ﬁ ½ 头痛",)


@pytest.mark.parametrize("query", [*HOSTILE, '"', '""', "*", "a" * 100_000, "zebra " * 50_000, '"NEAR', "\0"])
def test_no_query_breaks_it(store: Store, query: str) -> None:
    play(store, "run", {(0, 2): PLANTED})
    found = find(store, query)
    assert len(found.hits) == (1 if query.startswith("zebra") else 0)


@given(query=st.text(max_size=80), text=st.text(max_size=200))
def test_a_passage_holds_the_text_and_every_phrase(query: str, text: str) -> None:
    phrases = phrases_of(query)
    whole = f"{text} {' '.join(' '.join(phrase) for phrase in phrases)}"
    pieces = passage(whole, phrases)
    assert bool(pieces) == bool(phrases)
    shown = "".join(piece.text for piece in pieces).removeprefix("... ").removesuffix(" ...")
    assert shown in whole


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(query=st.text(max_size=40) | st.text("zebrfinch\"'*%_ &|!:()-", max_size=40))
def test_any_query_finds_what_the_text_holds(indexed: Store, query: str) -> None:
    """The databases and the reader of passages agree on what holds a query."""
    found = search(indexed, phrases_of(query), lambda at: True, 100)
    holds = bool(passage(PLANTED, phrases_of(query)))
    assert any("zebra" in "".join(p.text for p in hit.passage) for hit in found.hits) == holds


@pytest.fixture
def indexed(store: Store) -> Store:
    play(store, "run", {(0, 2): PLANTED})
    assert index_episodes(store)
    return store


@given(text=st.text(max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
def test_any_text_is_found_by_its_own_words(store: Store, text: str) -> None:
    run = play(store, None, {(0, 2): text})
    found = find(store, f'"{text}"', runs=[run.id])
    assert bool(found.hits) == bool(phrases_of(f'"{text}"'))


def test_a_protocol_that_is_none_is_refused(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db"):
        pass
    words = ["search", "the", "--protocol", "consultations", "--store", str(tmp_path / "osler.db")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert "consultations" in done.output
