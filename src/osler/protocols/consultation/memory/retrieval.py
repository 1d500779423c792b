"""Retrieval from a run's memory for its doctor: the best cards for a case, excluding any that would leak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, cast

from osler.cases.model import Case
from osler.cases.sources import CaseSource
from osler.core.composite import AnyPlayer
from osler.core.episode import digest
from osler.core.factory import Factory, PlayerRequest
from osler.core.role import MEMORY
from osler.core.wrapper_events import Hint
from osler.errors import BadInput, InfrastructureFault
from osler.memory.card import Card, Source
from osler.memory.collection import Memory
from osler.memory.descriptors import of_picture
from osler.memory.exclusion import Excluded
from osler.memory.filters import Filter
from osler.memory.index import Index, Query, index_of
from osler.memory.near_duplicates import source_of
from osler.memory.sql_memory import SqlAnswers, SqlKeeper
from osler.memory.summary import TELLING, TOLD
from osler.memory.vectors import Endpoint, EndpointVectors
from osler.players.seating import EMBEDDER, EmbedderSeat
from osler.protocols.consultation.memory.episodes_to_lessons import lived
from osler.protocols.consultation.memory.memory_config import Again, MemoryUse
from osler.protocols.consultation.wrappers.interventions import Lesson, SecondAttempt
from osler.protocols.consultation.wrappers.memory import Remembering, RetrievalQuery, RetrievedCard
from osler.store.store import Store

_KEPT: Final = 20_000


def with_experience(
    use: MemoryUse | None,
    again: Again | None,
    more: Mapping[str, Factory] | None,
    store: Store,
    source: CaseSource,
) -> Mapping[str, Factory]:
    """Return the players that a run may name, with `+memory` if its configuration names a memory.

    Raises BadInput if there is no such memory, or no such run of first attempts.
    """
    factories = dict(more or {})
    if use is not None:
        shelf = shelf_of(use, store, source)
        lessons = lessons_of(again, store) if again is not None else {}

        vectors = vectors_of(use, factories, store)

        def remembering(request: PlayerRequest) -> AnyPlayer:
            if request.inside is None:
                raise BadInput("there is no player to give a memory to", where=MEMORY)
            doctor = Remembering(request.inside, shelf.recall(request.case, vectors), use.looks)
            lesson = lessons.get(request.case.content_hash)
            return SecondAttempt(doctor, lesson) if lesson else doctor

        factories[MEMORY] = remembering
    return factories


def vectors_of(use: MemoryUse, more: Mapping[str, Factory], store: Store) -> EndpointVectors | None:
    """Return the embedder of a memory that names one; `None` also where models have not been opened, since
    nothing is asked there."""
    if not use.embedder or "model" not in more:
        return None
    # Opened like a player, so that a run needs no second way to its models.
    request = PlayerRequest(EMBEDDER, None, use.embedder.removeprefix("model:"))
    seat = cast(EmbedderSeat, more["model"](request))
    return EndpointVectors(seat.client, Endpoint(seat.name, seat.serving), SqlAnswers(store.engine))


def shelf_of(use: MemoryUse, store: Store, source: CaseSource) -> Shelf:
    """Return a stored memory, ready to be searched as `use` says. The last one is cached, as a run is first
    checked and then played."""
    key = (store.label, source.fingerprint, use)
    if key not in _last:
        _last.clear()
        _last[key] = _shelf(use, store, source)
    return _last[key]


def _shelf(use: MemoryUse, store: Store, source: CaseSource) -> Shelf:
    memory = SqlKeeper(store.engine).load(use.snapshot) if use.snapshot else Memory()
    held_out = tuple(source_for(source.get(place)) for place in use.held_out)
    return Shelf(memory, use, held_out, Stream(source) if use.progress else None)


class Stream:
    """The positions of a source's cases in the stream that it is, by content hash; read as far as needed."""

    def __init__(self, source: CaseSource) -> None:
        self._left = enumerate(source)
        self._found: dict[str, int] = {}

    def position(self, case: Case) -> int:
        """Return the position of a case, from 0; of one that comes again, the first; 0 for one that is not
        there, which is given nothing."""
        while case.content_hash not in self._found:
            at, other = next(self._left, (0, case))
            self._found.setdefault(other.content_hash, at)
        return self._found[case.content_hash]


class Shelf:
    """A frozen memory, searchable for one case after another; with a `stream`, only for what was learnt on
    earlier cases of it."""

    def __init__(
        self,
        memory: Memory,
        use: MemoryUse,
        held_out: Sequence[Source] = (),
        stream: Stream | None = None,
    ) -> None:
        self.use = use
        kept_out = digest(*(source.case for source in held_out))
        self.name = f"{memory.snapshot} {use.searched} {kept_out}"
        self._cards = tuple(memory.cards.values())
        self._index: Index | None = None if use.embedder else index_of(self._cards)
        self._held_out, self._stream = tuple(held_out), stream
        self._found: dict[tuple[str, ...], tuple[RetrievedCard, ...]] = {}

    def recall(self, case: Case, vectors: EndpointVectors | None = None) -> _Recall:
        """Return the retriever of cards while this case is played."""
        return _Recall(self, case, vectors)

    async def find(
        self, case: Case, seen: RetrievalQuery, vectors: EndpointVectors | None = None
    ) -> tuple[RetrievedCard, ...]:
        """Return the best cards for what was seen of this case; results are cached. Raises
        InfrastructureFault if they cannot be searched for."""
        # `seen` may contain a picture, which is not hashable.
        pictures = (each.model_dump_json() for each in seen.pictures)
        key = (case.content_hash, seen.told, seen.found, seen.thought, *pictures)
        if (result := self._found.get(key)) is None:
            if len(self._found) >= _KEPT:
                self._found.clear()
            images = tuple(map(of_picture, seen.pictures))
            query = Query(seen.told, seen.found, images, diagnosis=seen.thought)
            result = self._found[key] = self._search(case, await self._embedded(query, vectors))
        return result

    async def _embedded(self, query: Query, vectors: EndpointVectors | None) -> Query:
        """Return a query with its vectors, once the cards have theirs."""
        if not self.use.embedder:
            return query
        if vectors is None:
            what = f"its vectors are by {self.use.embedder}, and no models are open here"
            raise InfrastructureFault(what, where="memory")
        self._index = self._index or await vectors.index(self._cards)
        result = await vectors.embed(list(query.texts.values()))
        return query._replace(vectors=dict(zip(query.texts, result, strict=True)))

    def _search(self, case: Case, query: Query) -> tuple[RetrievedCard, ...]:
        assert self._index is not None
        excluded = excluded_for(case, self._held_out, self.use.threshold)
        wanted = Filter(before=self._stream.position(case) if self._stream else self.use.position)
        hits = self._index.search(query, self.use.k, excluded=excluded, wanted=wanted, by=self.use.by)
        return tuple(RetrievedCard(hit.card.id, hint_of(hit.card)) for hit in hits)


class _Recall:
    """See `osler.protocols.consultation.wrappers.memory.Recall`."""

    def __init__(self, shelf: Shelf, case: Case, vectors: EndpointVectors | None) -> None:
        self.name, self._shelf, self._case, self._vectors = shelf.name, shelf, case, vectors

    async def __call__(self, seen: RetrievalQuery, /) -> Sequence[RetrievedCard]:
        return await self._shelf.find(self._case, seen, self._vectors)


def excluded_for(case: Case, held_out: tuple[Source, ...], threshold: float) -> Excluded:
    """Return the exclusions: what must not be retrieved while a case is played."""
    # Not validated again: the held-out set is the same long tuple for every case.
    return Excluded.model_construct(playing=source_for(case), held_out=held_out, threshold=threshold)


_last: dict[tuple[str, str, MemoryUse], Shelf] = {}
_sources: dict[str, Source] = {}


def source_for(case: Case) -> Source:
    """Return a case as a source of cards; cached."""
    if (source := _sources.get(case.content_hash)) is None:
        if len(_sources) >= _KEPT:
            _sources.clear()
        source = _sources[case.content_hash] = source_of(case)
    return source


@lru_cache(maxsize=_KEPT)
def _hint(content: str, diagnosis: str, told: str, found: str) -> Hint:
    return Hint(text=content, diagnosis=diagnosis, told=told, found=found)


def hint_of(card: Card) -> Hint:
    """Convert a card to the hint that a doctor is shown."""
    text, result = card.components.dialogue, card.components.results
    if card.kind == "insight":
        before, _, result = text.partition(f"{TELLING}\n")
        lines = before.split("\n")
        text = " ".join(line.removeprefix(TOLD) for line in lines if not line.startswith("Thought of first"))
    return _hint(card.content, card.diagnosis, text, result)


def lessons_of(again: Again, store: Store) -> dict[str, Lesson]:
    """Return what the doctor is told about each mistake of a run, by the case's content hash."""
    lessons = {}
    for one in lived(store.run(again.run), store, again.feedback):
        if one.told.correct is False:
            record = None if again.anew else one.feed()
            wrong, right = one.record.diagnosis or "", one.told.answer or ""
            lessons[one.case.content_hash] = Lesson(one.episode.key, wrong, right, record)
    return lessons
