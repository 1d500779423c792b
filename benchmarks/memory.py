"""How fast is exact retrieval, and is it exact? Against a plain NumPy scan of the same cards in the same run.

`python benchmarks/memory.py [--json] [--sizes 1000 10000 100000] [--queries 200]` plays each size in a
process of its own, on one thread. Cards are made up: patients of 60 conditions, each with findings of its
own and of others, in 12 specialties. Every search has filters (specialty, kind, written before) and
exclusions (the case itself, its twins, near-duplicates). Times are wall times of one search; what the index
keeps of a case once it has been searched for is not in them, except in `first_ms`.

    p50_ms, p99_ms      nearest cards by dialogue: filters, exclusions, exact cosines, the best k
    over_numpy_scan     p50 over that of the plain scan: same mask, one product of all vectors, argpartition
    recall_at_k         found, of the top k by brute force (float64, full sort, one card after the other)
    fused_p50_ms ...    four rankings fused: cosines and BM25 over dialogue and results
    first_ms            median of a case's first search, its near-duplicates not yet known
    rss_mb              peak memory, brute force apart; index_mb is what was added since the cards were there
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import numpy as np

from osler.memory.card import Card, Components, Float32, Origin, Scope
from osler.memory.exclusion import Excluded
from osler.memory.filters import Filter, passes
from osler.memory.index import Index, Query, hashed, index_of
from osler.memory.near_duplicates import sketch
from osler.memory.ranking import Mask
from osler.memory.term_counts import count

SIZES = (1_000, 10_000, 100_000)
K = 10
CONDITIONS, SPECIALTIES, FINDINGS, SKETCHES = 60, 12, 400, 2_000
# The plain scan's product alone would use threads, and on a busy machine wait for them.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
Json = dict[str, Any]  # the numbers of a size


class Asked(NamedTuple):
    """One search: the query, its vector, what is wanted and what must not be seen."""

    query: Query
    vector: Float32
    wanted: Filter
    excluded: Excluded


def cards(size: int, seed: int = 8) -> Iterator[Card]:
    """Made-up cards. Every tenth shares a cluster with the card before it."""
    random = Random(seed)
    words = [
        f"{a}{b}{c}" for a in "bdfgklmnprst" for b in ("ar", "el", "in", "os", "um", "yn") for c in "aeioux"
    ]
    sketches = [sketch(" ".join(random.choices(words, k=40))) for _ in range(SKETCHES)]
    own = [random.sample(range(FINDINGS), 12) for _ in range(CONDITIONS)]
    for number in range(size):
        condition = number % CONDITIONS
        said = random.sample(own[condition], 6) + random.choices(range(FINDINGS), k=3)
        found = random.sample(own[condition], 4) + random.choices(range(FINDINGS), k=2)
        dialogue = ". ".join(
            f"I have {words[at]} with {random.choice(words)} since {random.choice(words)}" for at in said
        )
        results = "; ".join(
            f"{words[at]} test {random.randint(1, 90)} {random.choice(words)}" for at in found
        )
        cluster = number - 1 if number % 10 == 9 else number
        yield Card(
            kind="insight" if number % 5 == 0 else "case",
            content=f"{dialogue}\n{results}",
            diagnosis=f"condition {condition}",
            outcome="right",
            feedback="judge",
            origin=Origin(
                case=f"case-{number}",
                cluster=f"cluster-{cluster}",
                sketch=sketches[random.randrange(SKETCHES)],
                episode=f"episode-{number}",
                run="made up",
                position=number,
            ),
            scope=Scope(
                specialty=f"specialty {condition % SPECIALTIES}", sex=random.choice(("female", "male"))
            ),
            components=Components(dialogue=dialogue, results=results),
        )


def asked(held: list[Card], queries: int, seed: int = 9) -> list[Asked]:
    """Searches for patients like those of some cards, half of what they said."""
    random = Random(seed)
    found = []
    for card in random.choices(held, k=queries):
        sentences = card.components.dialogue.split(". ")
        dialogue = ". ".join(random.sample(sentences, 5))
        wanted = Filter.like(
            Scope(specialty=card.scope.specialty), kinds=frozenset({"case"}), before=len(held) - 1
        )
        query = Query(dialogue, card.components.results)
        found.append(Asked(query, hashed(count([dialogue]))[0], wanted, Excluded(playing=card.origin)))
    return found


def brute_force(index: Index, ask: Asked, vectors: Float32) -> list[str]:
    """The top k by the rules, one card after the other in float64."""
    exact = (vectors.astype(np.float64) * ask.vector.astype(np.float64)).sum(axis=1)
    scored = [
        (-float(score), card.id)
        for score, card in zip(exact, index.cards, strict=True)
        if score > 1e-4 and passes(card, ask.wanted) and ask.excluded.why(card.origin) is None
    ]
    return [name for _, name in sorted(scored)[:K]]


def plain_scan(vectors: Float32, vector: Float32, mask: Mask) -> np.ndarray[Any, np.dtype[np.int64]]:
    """What one would write: all cosines, what is not allowed put last, the best k in order."""
    scores = vectors @ vector
    scores[~mask] = -np.inf
    top = np.argpartition(-scores, K - 1)[:K]
    found: np.ndarray[Any, np.dtype[np.int64]] = top[np.argsort(-scores[top], kind="stable")]
    return found


def measure(size: int, queries: int) -> Json:
    """Every figure of one size."""
    held = list(cards(size))
    before = _rss_mb()
    began = time.perf_counter()
    index = index_of(held)
    built = time.perf_counter() - began
    asks = asked(held, queries)
    vectors = index.vectors("dialogue")

    def near(ask: Asked) -> list[str]:
        query = Query(ask.query.dialogue, vectors={"dialogue": ask.vector})
        hits = index.search(query, K, excluded=ask.excluded, wanted=ask.wanted, by="nearest")
        return [hit.card.id for hit in hits]

    def all_four(ask: Asked) -> object:
        return index.search(ask.query, K, excluded=ask.excluded, wanted=ask.wanted)

    def plain(ask: Asked) -> object:
        return plain_scan(vectors, ask.vector, index.allowed(ask.wanted, ask.excluded))

    first, answers = _timed(near, asks)
    ours, scans = [], []
    for ask in asks:  # in turn, so that other work on the machine slows both alike
        ours.append(_timed(near, [ask])[0][0])
        scans.append(_timed(plain, [ask])[0][0])
    four, _ = _timed(all_four, asks)
    peak = _rss_mb()  # brute force, below, makes everything anew in float64
    checked = asks[: max(10, min(queries, 5_000_000 // size))]
    wanted = [brute_force(index, ask, vectors) for ask in checked]
    right = sum(len(set(want) & set(got)) for want, got in zip(wanted, answers, strict=False))
    p50 = float(np.median(ours))
    return {
        "p50_ms": round(p50, 3),
        "p99_ms": round(float(np.quantile(ours, 0.99)), 3),
        "rss_mb": round(peak),
        "over_numpy_scan": round(p50 / float(np.median(scans)), 3),
        "recall_at_k": right / sum(map(len, wanted)),
        "same_order": all(want == got for want, got in zip(wanted, answers, strict=False)),
        "checked": len(checked),
        "queries": queries,
        "k": K,
        "numpy_scan_p50_ms": round(float(np.median(scans)), 3),
        "fused_p50_ms": round(float(np.median(four)), 3),
        "fused_p99_ms": round(float(np.quantile(four, 0.99)), 3),
        "first_ms": round(float(np.median(first)), 3),
        "build_s": round(built, 2),
        "index_mb": round(peak - before),
    }


def _timed(search: Callable[[Asked], Any], asks: list[Asked]) -> tuple[list[float], list[Any]]:
    times, answers = [], []
    for ask in asks:
        began = time.perf_counter()
        answers.append(search(ask))
        times.append((time.perf_counter() - began) * 1000)
    return times, answers


def _rss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(given.one, given.queries)))
        return
    found = {}
    for size in given.sizes:
        command = [sys.executable, __file__, "--one", str(size), "--queries", str(given.queries)]
        played = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=ONE_THREAD | os.environ)
        found[str(size)] = json.loads(played.stdout)
    if given.json:
        print(json.dumps(found))
        return
    for name in next(iter(found.values())):
        print(f"{name:20}", *(f"{found[size][name]!s:>10}" for size in found))


if __name__ == "__main__":
    main()
