"""Vectors by an endpoint: exact search with them, nothing embedded twice, and faults said in words."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from osler.errors import BadInput, InfrastructureFault
from osler.memory.card import Card
from osler.memory.index import Index, Query, index_of
from osler.memory.sql_memory import SqlAnswers
from osler.memory.vectors import Endpoint, EndpointVectors
from osler.models.client import EndpointClient
from osler.models.config import Endpoint as Configured
from osler.store.store import Store
from osler.testing.endpoint import FakeEndpoint
from tests.memory.cards import card

TEXTS = ("fever and a cough", "a limp", "an itching rash")
SERVED = Endpoint("e", b"model")


def letters(text: str) -> list[float]:
    return [float(text.count(chr(97 + at))) for at in range(26)]


class Counting:
    """Embeds a text as counts of its letters, and keeps what it was sent."""

    def __init__(self, sizes: Sequence[int] = (26,)) -> None:
        self.sent: list[str] = []
        self._sizes = list(sizes)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        await asyncio.sleep(0)
        self.sent += texts
        size = self._sizes.pop(0) if len(self._sizes) > 1 else self._sizes[0]
        return [letters(text)[:size] for text in texts]


class Held:
    """What was asked before, in a dict."""

    def __init__(self) -> None:
        self.rows: dict[str, bytes] = {}

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    def put(self, rows: Iterable[tuple[str, bytes]]) -> None:
        for key, body in rows:
            self.rows.setdefault(key, body)


def cards() -> list[Card]:
    return [
        card(n, components={"dialogue": text}, diagnosis=name)
        for n, (text, name) in enumerate(zip(TEXTS, ("Pneumonia", "Gout", "Scabies"), strict=True))
    ]


def named(index: Index, query: Query, k: int = 1) -> list[str]:
    return [hit.card.diagnosis for hit in index.search(query, k, excluded=None, by="nearest")]


def test_an_endpoint_embeds_cards_and_queries(store: Store) -> None:
    async def searched() -> tuple[Index, Query]:
        async with FakeEndpoint() as endpoint:
            fake = Configured(name="fake", base_url=endpoint.base_url, model="fake")
            async with EndpointClient(fake) as client:
                vectors = EndpointVectors(client, Endpoint("fake", fake.serving), SqlAnswers(store.engine))
                index = await vectors.index(cards())
                (found,) = await vectors.embed([TEXTS[1]])
        return index, Query(TEXTS[1], vectors={"dialogue": found})

    index, query = asyncio.run(searched())
    assert named(index, query) == ["Gout"]
    assert index.embedder == "endpoint:fake"
    with pytest.raises(BadInput, match="needs a vector of endpoint:fake"):
        index.search(Query("a limp"), 1, excluded=None)


def test_search_is_exact_by_cosine() -> None:
    """The same order as a full scan in double precision."""
    model = Counting()
    vectors = EndpointVectors(model, SERVED, Held())
    many = [
        card(n, components={"dialogue": f"{'ab' * n} {'c' * (n % 7)} {'xyz' * (n % 5)}"}) for n in range(40)
    ]

    async def searched() -> tuple[Index, Query]:
        index = await vectors.index(many)
        (found,) = await vectors.embed(["abba xyz cc"])
        return index, Query("abba xyz cc", vectors={"dialogue": found})

    index, query = asyncio.run(searched())
    wanted = np.array(
        [[c.components.dialogue.count(chr(97 + at)) for at in range(26)] for c in index.cards], float
    )
    asked = np.array(["abba xyz cc".count(chr(97 + at)) for at in range(26)], float)
    lengths = np.linalg.norm(wanted, axis=1) * np.linalg.norm(asked)
    cosines = np.divide(wanted @ asked, lengths, out=np.zeros(len(wanted)), where=lengths > 0)
    best = np.sort(cosines)[::-1][:5]
    found = [hit.score for hit in index.search(query, 5, excluded=None, by="nearest")]
    assert found == pytest.approx(best.tolist(), abs=1e-6)


def test_nothing_is_embedded_twice_not_even_by_episodes_at_once_or_the_next_process(store: Store) -> None:
    first = Counting()

    async def both() -> None:
        vectors = EndpointVectors(first, SERVED, SqlAnswers(store.engine))
        await asyncio.gather(*(vectors.embed([text, "a limp", ""]) for text in TEXTS))
        await vectors.index(cards())

    asyncio.run(both())
    assert len(first.sent) == len(set(first.sent))
    again = Counting()
    vectors = EndpointVectors(again, SERVED, SqlAnswers(store.engine))
    kept = asyncio.run(vectors.embed(TEXTS))
    assert again.sent == []
    assert kept.tobytes() == asyncio.run(EndpointVectors(Counting(), SERVED, Held()).embed(TEXTS)).tobytes()
    other = Counting()
    asyncio.run(
        EndpointVectors(other, Endpoint("e", b"another model"), SqlAnswers(store.engine)).embed(TEXTS)
    )
    assert other.sent == [*TEXTS], "another model's vectors are its own"


def test_who_waited_for_one_that_failed_asks_for_itself() -> None:
    class Failing(Counting):
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            found = await super().embed(texts)
            if len(self.sent) == 1:
                raise InfrastructureFault("down")
            return found

    async def both() -> list[object]:
        vectors = EndpointVectors(Failing(), SERVED, Held())
        return await asyncio.gather(*(vectors.embed(["a limp"]) for _ in range(2)), return_exceptions=True)

    first, second = asyncio.run(both())
    assert isinstance(first, InfrastructureFault)
    assert isinstance(second, np.ndarray)


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ([[1.0, 0.0], [1.0]], "all of one length"),
        ([[1.0, 0.0]], "one for each text"),
        ([[], []], "all of one length"),
        ([[1.0, float("nan")], [1.0, 0.0]], "not finite"),
        ([[0.0, 0.0], [1.0, 0.0]], "all zero"),
    ],
)
def test_what_is_no_vector_pauses_in_words(answer: list[list[float]], wrong: str) -> None:
    class Wrong(Counting):
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return answer

    with pytest.raises(InfrastructureFault, match=wrong):
        asyncio.run(EndpointVectors(Wrong(), SERVED, Held()).embed(["one", "two"]))


def test_a_changed_dimension_pauses_in_words() -> None:
    vectors = EndpointVectors(Counting((26, 16)), SERVED, Held())

    async def two() -> None:
        await vectors.embed(["one"])
        await vectors.embed(["two abc"])

    with pytest.raises(InfrastructureFault, match="16 numbers now and had 26 before"):
        asyncio.run(two())


def test_a_working_diagnosis_finds_the_cases_that_had_it() -> None:
    index = index_of(cards())
    for by in ("lexical", "nearest", "fused"):
        found = index.search(Query(diagnosis="scabies"), 1, excluded=None, by=by)
        assert [hit.card.diagnosis for hit in found] == ["Scabies"]


def test_a_case_is_embedded_by_its_summary() -> None:
    model = Counting()
    one = card(1, components={"dialogue": "a long talk"}, summary="A short summary.", diagnosis="Gout")
    asyncio.run(EndpointVectors(model, SERVED, Held()).index([one]))
    assert sorted(model.sent) == ["A short summary.", "Gout"]
