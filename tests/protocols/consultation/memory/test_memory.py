"""A doctor who remembers: what it is given, when, and that nothing it must not see ever reaches it."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.cli.main import app
from osler.core.contract import OwnReply, Request
from osler.core.events import Event, Said, TurnBegan
from osler.core.wrapper_events import Hint, Recalled
from osler.errors import BadInput
from osler.memory.buffers import Feedback, Past, medical_record
from osler.memory.card import Card, Origin, Scope
from osler.memory.collection import memory_of
from osler.memory.index import Query
from osler.memory.record import Record
from osler.memory.sql_memory import SqlKeeper
from osler.players.casting import casting_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.memory.episodes_to_lessons import Experience, given_in
from osler.protocols.consultation.memory.memory_config import MemoryUse
from osler.protocols.consultation.memory.retrieval import Shelf, source_for
from osler.protocols.consultation.memory.retrieval_log import audit_run, record_retrievals
from osler.protocols.consultation.memory.write_back import Attempted, write_back
from osler.protocols.consultation.seats import Ask, Finalize
from osler.protocols.consultation.wrappers.looks import is_time, looks
from osler.protocols.consultation.wrappers.memory import Remembering, RetrievalQuery, RetrievedCard
from osler.runs import run as runs
from osler.store.store import Store, open_store
from tests.prompts.seats import messages_of

SOURCE = "generated:6:2"
CASES: list[Case] = list(open_source(SOURCE))
CANARY = "zq-canary-qz"


class Counting:
    """Finds a new card at every search, and keeps what it was asked."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[RetrievalQuery] = []

    async def __call__(self, seen: RetrievalQuery, /) -> Sequence[RetrievedCard]:
        self.asked.append(seen)
        number = len(seen.told)
        return [RetrievedCard(f"{number:032d}", Hint(text=f"card {number}", diagnosis="Gout"))]


class Reader:
    """Keeps every request and asks on; concludes at the twelfth."""

    name, durable = "reader", False

    def __init__(self) -> None:
        self.requests: list[Request[Any]] = []

    async def reply(self, request: Request[Any]) -> Ask | Finalize:
        self.requests.append(request)
        own = sum(isinstance(item, OwnReply) for item in request.feed)
        return Finalize(diagnosis="Gout") if own == 11 else Ask(question=f"And what else? {own}")


def consulted(recall: Any) -> list[Request[Any]]:
    reader = Reader()
    config = RunConfig(cases=SOURCE)
    cast = {**casting_of(config).cast(CASES[0]), "doctor": Remembering(reader, recall)}
    asyncio.run(config.episode(0, CASES[0], open_source(SOURCE)).play(cast))
    return reader.requests


def test_cards_come_at_the_beginning_and_after_two_four_and_eight_moves() -> None:
    assert [moves for moves in range(40) if is_time(moves)] == [0, 2, 4, 8, 16, 32]
    counts = [sum(isinstance(item, Recalled) for item in r.feed) for r in consulted(Counting())]
    assert counts == [1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4]


def test_prompts_grow_only_at_their_end() -> None:
    requests = consulted(Counting())
    for before, after in itertools.pairwise(requests):
        assert after.feed[: len(before.feed)] == before.feed
        first, second = messages_of(before), messages_of(after)
        assert second[: len(first)] == first
    assert "card" in messages_of(requests[-1])[-1].text or any(
        "card" in m.text for m in messages_of(requests[-1])
    )


def test_the_search_is_by_what_the_doctor_has_seen_and_nothing_else() -> None:
    recall = Counting()
    requests = consulted(recall)
    said = {item.text for item in requests[-1].feed if isinstance(item, Said) and item.by == "patient"}
    longest = max(recall.asked, key=lambda seen: len(seen.told))
    assert recall.asked[0].told == CASES[0].opening.words
    assert all(text in " ".join(said) for text in longest.told.split(". ")[:1])
    assert CASES[0].task.answer not in longest.told


def test_a_card_that_was_given_is_not_given_again() -> None:
    class Same(Counting):
        async def __call__(self, seen: RetrievalQuery, /) -> Sequence[RetrievedCard]:
            return [RetrievedCard("0" * 32, Hint(text="the one card"))]

    last = consulted(Same())[-1]
    assert sum(isinstance(item, Recalled) for item in last.feed) == 1


@given(st.lists(st.sampled_from(["turn", "said", "own"]), max_size=30), st.integers(0, 30))
def test_a_look_keeps_its_place_whatever_comes_later(kinds: list[str], cut: int) -> None:
    feed = [_item(kind) for kind in kinds]
    before = [at for at, now in looks(feed[:cut]) if not now]
    after = [at for at, _ in looks(feed)]
    assert after[: len(before)] == before


def _item(kind: str) -> Event | OwnReply:
    if kind == "turn":
        return TurnBegan(minute=0, turn=1, turns_left=3)
    return OwnReply(Ask(question="?")) if kind == "own" else Said(minute=0, by="patient", text="Yes.")


# Leaks


def card_of(case: Case, position: int, mark: str = "") -> Card:
    record = Record(case.opening.words, (("patient", f"{case.opening.words} {mark}"),), (), (), None)
    origin = Origin(**source_for(case).model_dump(), episode=f"e{position}", run="r", position=position)
    return medical_record(Past(record, origin, Scope()), "gold", "right", case.task.answer)


def near_duplicate(case: Case) -> Case:
    """The same story under another id, with one word changed."""
    facts = (case.facts[0].model_copy(update={"text": f"{case.facts[0].text} Today."}), *case.facts[1:])
    return case.model_copy(update={"id": "made-twin", "facts": facts})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "m.db") as opened:
        yield opened


def test_no_card_of_the_case_its_near_duplicates_or_the_held_out_is_ever_found() -> None:
    other = CASES[1]
    cards = [
        card_of(CASES[0], 0, CANARY),
        card_of(near_duplicate(CASES[0]), 1, CANARY),
        card_of(CASES[2], 2, CANARY),
        card_of(other, 3),
    ]
    use = MemoryUse(k=10, threshold=0.6, position=10)
    shelf = Shelf(memory_of(cards), use, (source_for(CASES[2]),))
    everything = RetrievalQuery(
        " ".join(case.opening.words for case in CASES), " ".join(c.content for c in cards)
    )
    found = asyncio.run(shelf.find(CASES[0], everything))
    assert [card.id for card in found] == [cards[3].id]
    assert not any(CANARY in card.hint.text for card in found)


def test_nothing_from_later_in_the_stream_is_found() -> None:
    shelf = Shelf(memory_of([card_of(CASES[1], 5), card_of(CASES[2], 4)]), MemoryUse(k=10, position=5))
    seen = RetrievalQuery(f"{CASES[1].opening.words} {CASES[2].opening.words}", "")
    found = asyncio.run(shelf.find(CASES[0], seen))
    assert [card.hint.diagnosis for card in found] == [CASES[2].task.answer]


def played(store: Store, use: MemoryUse, name: str) -> Any:
    config = RunConfig(cases=SOURCE, doctor="baseline-naive+memory", memory=use, places=(0, 3))
    source = runs.opened(config)
    run = runs.begin(config, store, source=source, name=name)
    assert runs.play(run, store, source=source).status == "done"
    return store.run(name)


def test_a_run_says_which_cards_it_was_given_and_the_audit_finds_them_clean(store: Store) -> None:
    cards = [card_of(case, at, CANARY if at == 0 else "") for at, case in enumerate(CASES)]
    snapshot = SqlKeeper(store.engine).save("m", memory_of(cards))
    run = played(store, MemoryUse(snapshot=snapshot, k=6, position=10, held_out=(5,)), "one")
    traces = {episode.ordinal: trace for episode, trace in store.traces(run.id)}
    assert all(given_in(trace) for trace in traces.values())
    assert cards[0].id not in given_in(traces[0])
    assert cards[0].id in given_in(traces[1])  # it is another case's own business
    assert not any(cards[5].id in given_in(trace) for trace in traces.values())
    record_retrievals(run, store)
    recorded = list(SqlKeeper(store.engine).retrieved("one"))
    assert [one.cards for one in recorded] == [
        given_in(traces[e.ordinal]) for e in sorted(store.episodes(run.id), key=lambda e: e.key)
    ]
    audited = audit_run(run, store)
    assert audited.clean
    assert audited.cards == sum(len(one.cards) for one in recorded)


def test_the_audit_sees_a_leak(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that forgets what is excluded is found out by the cards' own origins."""
    cards = [card_of(case, at) for at, case in enumerate(CASES)]
    snapshot = SqlKeeper(store.engine).save("m", memory_of(cards))
    search = Shelf._search

    def leaky(self: Shelf, case: Case, query: Query) -> Any:
        return search(self, CASES[1], query)

    monkeypatch.setattr(Shelf, "_search", leaky)
    run = played(store, MemoryUse(snapshot=snapshot, k=6, position=10), "leaky")
    audited = audit_run(run, store)
    assert not audited.clean
    assert {one.why for one in audited.violations} == {"it comes from the case being played"}


def test_the_snapshot_is_part_of_an_episodes_key(store: Store) -> None:
    keeper = SqlKeeper(store.engine)
    keys = set()
    for number in (1, 2):
        snapshot = keeper.save("m", memory_of([card_of(case, 0) for case in CASES[1 : 1 + number]]))
        run = played(store, MemoryUse(snapshot=snapshot), f"run{number}")
        keys |= {episode.key for episode in store.episodes(run.id)}
    assert len(keys) == 4


def test_what_is_held_out_is_part_of_an_episodes_key(store: Store) -> None:
    """It decides which cards are found."""
    snapshot = SqlKeeper(store.engine).save("m", memory_of([card_of(case, 0) for case in CASES[1:3]]))
    runs_ = [
        played(store, MemoryUse(snapshot=snapshot, held_out=held_out), f"run{number}")
        for number, held_out in enumerate([(), (1,)])
    ]
    assert len({episode.key for run in runs_ for episode in store.episodes(run.id)}) == 4


def test_what_every_mind_of_a_composite_doctor_was_given_is_written_down(store: Store) -> None:
    snapshot = SqlKeeper(store.engine).save("m", memory_of([card_of(case, 0) for case in CASES[1:3]]))
    config = RunConfig(
        cases=SOURCE,
        doctor="baseline-naive+memory+ensemble:2",
        memory=MemoryUse(snapshot=snapshot, position=1),
        places=(0,),
    )
    run = runs.begin(config, store, name="composite")
    runs.play(run, store)
    audited = audit_run(store.run("composite"), store)
    assert audited.clean
    assert audited.cards > 0


def test_a_run_is_written_back_once_and_another_remembers_it(tmp_path: Path) -> None:
    at = ["--store", str(tmp_path / "m.db"), "--json"]

    def osler(*words: str) -> Any:
        return CliRunner().invoke(app, [*words, *at])

    assert osler("consult", "generated:16:3", "--doctor", "oracle").exit_code == 0
    made = json.loads(osler("memory", "snapshot", "lived", "--from", "last").stdout)
    assert (made["cards"], len(made["steps"])) == (16, 1)
    again = osler("memory", "snapshot", "lived", "--from", "last")
    assert "has already learnt from this run" in " ".join(again.stderr.split())
    consult = ("consult", "generated:16:3", "--doctor", "baseline-naive+memory", "--memory")
    by_name = json.loads(osler(*consult, "lived").stdout)
    assert by_name["audit"]["clean"]
    assert by_name["audit"]["cards"] > 0
    assert 0 < by_name["measures"]["correct"]["value"] < 1  # its own cases it is never reminded of
    assert json.loads(osler("memory", "audit", "last").stdout)["cards"] == by_name["audit"]["cards"]
    by_hash = json.loads(osler(*consult, made["snapshot"][:10]).stdout)
    assert by_hash["measures"]["correct"] == by_name["measures"]["correct"]


@pytest.mark.parametrize(
    ("doctor", "memory", "wrong"),
    [
        ("baseline-naive", "m", "does not use a memory"),
        ("baseline-naive+memory", "nowhere", "there is no memory"),
        ("baseline-naive+memory", None, "add --memory NAME"),
    ],
)
def test_a_memory_that_cannot_be_is_said_in_words(
    doctor: str, memory: str | None, wrong: str, tmp_path: Path
) -> None:
    words = ["consult", SOURCE, "--doctor", doctor, "--store", str(tmp_path / "m.db")]
    found = CliRunner().invoke(app, [*words, *(["--memory", memory] if memory else [])])
    assert found.exit_code == 1
    assert wrong in " ".join(found.stderr.split())


def test_a_card_that_keeps_misleading_is_retired_at_write_back() -> None:
    bad = card_of(CASES[1], 0)
    memory = memory_of([bad])
    record = Record("It hurts.", (), (), (), bad.diagnosis)
    told = Feedback("gold", False, "Gout")
    one = Experience(None, CASES[0], record, told, (bad.id,), "")  # type: ignore[arg-type]
    for times in range(5):
        assert memory.cards[bad.id].state == "active", times
        memory = write_back(memory, [Attempted(one, None, "r", times + 1)], [])
    assert memory.cards[bad.id].state == "retired"


def test_a_doctor_with_memory_needs_one(store: Store) -> None:
    with pytest.raises(BadInput, match="no memory to look into"):
        runs.begin(RunConfig(cases=SOURCE, doctor="baseline-naive+memory"), store)
    with pytest.raises(BadInput, match="there is no snapshot"):
        played(store, MemoryUse(snapshot="0" * 32), "none")
