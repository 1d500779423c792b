"""Retrieval: filters and exclusions first, then exact ranking over each component, then rank fusion.

Components are what the patient told, the results, the diagnosis and the images. Texts are embedded as unit
vectors, by an endpoint (`osler.memory.vectors`) or by the built-in `hashed-lexical`, which knows no meaning:
it is feature hashing (Weinberger et al. 2009): a word's hash gives one of 256 dimensions and a sign, and the
word counts 1 + ln(times). Texts that share words are near; synonyms are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np

from osler.errors import BadInput
from osler.memory.card import DIMENSIONS, Card, Component, Descriptor, Float32, hashed_place, unit
from osler.memory.exclusion import Excluded
from osler.memory.filters import Columns, Filter
from osler.memory.ranking import Bm25, Mask, best, fused, nearest
from osler.memory.settings import Ranking
from osler.memory.term_counts import Counted, count

TEXTS: Final[tuple[Component, ...]] = ("dialogue", "results", "diagnosis")
_DEPTH: Final = 50
HASHED_LEXICAL: Final = "hashed-lexical"


class Query(NamedTuple):
    """A query: what is known of the patient so far, and the `diagnosis` that is thought of; empty fields are
    not searched by. `vectors` are unit vectors of the texts by the index's embedder, optional if that is
    hashed-lexical."""

    dialogue: str = ""
    results: str = ""
    images: tuple[Descriptor, ...] = ()
    vectors: Mapping[Component, Float32] = {}  # never changed
    diagnosis: str = ""

    @property
    def texts(self) -> dict[Component, str]:
        """The texts by component."""
        return {"dialogue": self.dialogue, "results": self.results, "diagnosis": self.diagnosis}


class Embedder(Protocol):
    """An embedding of texts as (n, dimensions) unit vectors, each text independently. Only vectors of the
    same `name` are comparable."""

    @property
    def name(self) -> str: ...

    async def embed(self, texts: Sequence[str]) -> Float32: ...


class Hit(NamedTuple):
    """A retrieved card. `score` is in the unit of the ranking requested: cosine, BM25 or fused ranks."""

    card: Card
    score: float


class Index:
    """A search index over active cards. Build it with `index_of` or `index_by`, once per snapshot."""

    def __init__(
        self,
        cards: Sequence[Card],
        counted: Mapping[Component, Counted],
        vectors: Mapping[Component, Float32],
        embedder: str,
    ) -> None:
        self.cards = tuple(cards)
        self.embedder = embedder
        self._columns = Columns(cards)
        self._lexical = {name: Bm25(counted[name]) for name in TEXTS}
        self._vectors = dict(vectors)
        self._held = {name for name in TEXTS if vectors[name].any()}
        self._images = _Images(cards)

    def allowed(self, wanted: Filter, excluded: Excluded | None) -> Mask:
        """The mask, in card order, of those that may be returned."""
        return self._columns.mask(wanted, excluded)

    def vectors(self, name: Component) -> Float32:
        """The vectors of a text component, shape (cards, dimensions)."""
        return self._vectors[name]

    def search(
        self,
        query: Query,
        k: int,
        *,
        excluded: Excluded | None,
        wanted: Filter = Filter(),  # noqa: B008 - frozen
        by: Ranking = "fused",
        weights: Mapping[Component, float] | None = None,
    ) -> list[Hit]:
        """The k best cards, best first; fewer if fewer have anything in common with the query.

        `excluded` has no default, so that it cannot be forgotten; pass `None` if no case is being played.

        `weights` of components default to 1; 0 leaves one out. With more than one component, or `fused`,
        ranks are fused. Raises BadInput for k below 1, and if vectors of this index's embedder are needed but
        missing.
        """
        if k < 1:
            raise BadInput("at least one card must be asked for", where="k")
        allowed = self.allowed(wanted, excluded)
        rankings = list(self._rankings(query, allowed, max(_DEPTH, 4 * k), by, weights or {}))
        if by != "fused" and len(rankings) == 1:
            (rows, scores, _) = rankings[0]
            return [Hit(self.cards[row], score) for row, score in zip(rows[:k], scores[:k], strict=True)]
        return [Hit(self.cards[row], score) for row, score in fused(((r, w) for r, _, w in rankings), k)]

    def _rankings(
        self, query: Query, allowed: Mask, depth: int, by: Ranking, weights: Mapping[Component, float]
    ) -> Iterable[tuple[list[int], list[float], float]]:
        for name, text in query.texts.items():
            weight = weights.get(name, 1.0)
            if not text.strip() or not weight:
                continue
            if by != "lexical" and name in self._held:
                rows, scores = nearest(self._vectors[name], self._vector(query, name, text), allowed, depth)
                yield rows.tolist(), scores.tolist(), weight
            if by != "nearest":
                rows, scores = self._lexical[name].search(text, allowed, depth)
                yield rows.tolist(), scores.tolist(), weight
        weight = weights.get("images", 1.0)
        if query.images and weight and by != "lexical":
            scores = self._images.scores(query.images)
            rows = np.flatnonzero(allowed & (scores > 0))
            rows, scores = best(rows, scores[rows], depth)
            yield rows.tolist(), scores.tolist(), weight

    def _vector(self, query: Query, name: Component, text: str) -> Float32:
        vector = query.vectors.get(name)
        if vector is None and self.embedder == HASHED_LEXICAL:
            vector = hashed(count([text]))[0]
        if vector is None or vector.shape != self._vectors[name].shape[1:]:
            raise BadInput(f"the {name} needs a vector of {self.embedder}", where="query")
        return vector


class _Images:
    """The image descriptors of all cards by space, each with the row of its card."""

    def __init__(self, cards: Sequence[Card]) -> None:
        held: dict[tuple[str, int], list[tuple[int, Float32]]] = {}
        for row, card in enumerate(cards):
            for image in card.components.images:
                vector = image.vector
                held.setdefault((image.space, len(vector)), []).append((row, vector))
        self._size = len(cards)
        self._held = {
            key: (np.array([row for row, _ in pairs], np.int64), np.stack([vector for _, vector in pairs]))
            for key, pairs in held.items()
        }

    def scores(self, images: Iterable[Descriptor]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """For each card, the highest cosine of any of its images to any of these; 0 if none is comparable."""
        result = np.zeros(self._size)
        for image in images:
            vector = image.vector
            if (key := (image.space, len(vector))) in self._held:
                rows, vectors = self._held[key]
                cosines = (vectors.astype(np.float64) * vector.astype(np.float64)).sum(axis=1)
                np.maximum.at(result, rows, cosines)
        return result


def index_of(cards: Iterable[Card]) -> Index:
    """Build an index with the built-in vectors (`hashed-lexical`). Retired cards are left out."""
    index = _ordered(cards)
    counted = _counted(index)
    return Index(index, counted, {name: hashed(counted[name]) for name in TEXTS}, HASHED_LEXICAL)


async def index_by(cards: Iterable[Card], embedder: Embedder) -> Index:
    """Build an index with an embedder's vectors: of a case's summary, where it has one, in place of the
    dialogue. Raises what the embedder raises."""
    index = _ordered(cards)
    texts = [text for name in TEXTS for text in (_embedded(card, name) for card in index)]
    result = await embedder.embed(texts)
    size = len(index)
    vectors = {name: result[at * size : (at + 1) * size] for at, name in enumerate(TEXTS)}
    return Index(index, _counted(index), vectors, embedder.name)


def _ordered(cards: Iterable[Card]) -> list[Card]:
    return sorted((card for card in cards if card.state == "active"), key=lambda card: card.id)


def _counted(cards: Sequence[Card]) -> dict[Component, Counted]:
    return {name: count(_text(card, name) for card in cards) for name in TEXTS}


def _text(card: Card, name: Component) -> str:
    if name == "diagnosis":
        return card.diagnosis
    return card.components.dialogue if name == "dialogue" else card.components.results


def _embedded(card: Card, name: Component) -> str:
    return card.summary if name == "dialogue" and card.summary else _text(card, name)


def hashed(counted: Counted) -> Float32:
    """The hashed-lexical vectors of counted texts, shape (texts, 256)."""
    result = np.zeros((len(counted.lengths), DIMENSIONS), np.float32)
    if counted.words:
        places, signs = (
            np.array(each, np.int32) for each in zip(*map(hashed_place, counted.words), strict=True)
        )
        weights = signs[counted.columns] * (1 + np.log(counted.times))
        np.add.at(result, (counted.rows, places[counted.columns]), weights.astype(np.float32))
    return unit(result)
