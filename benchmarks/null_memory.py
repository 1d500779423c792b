"""Does a null come out null? Small simulated longitudinal studies in which memory can teach nothing.

    python benchmarks/null_memory.py --json

Consultations of six made-up diseases are played once by the doctor without knowledge. Each simulated study
then draws what its nine streams (3 orders x 3 seeds) are taught, the same number of every disease, and what
is held out; shuffles the labels of each stream's cards; lets the same doctor conclude from the cards it
finds; and compares it with one who has no memory and guesses among the taught diseases. Both are right once
in six times on average whatever the vote does, because shuffled labels are exchangeable, so transfer is 0.
Of the 95 % intervals of transfer (`osler.stats.two_way_clustering`) 91 to 98 of a hundred should cover 0.
Against a doctor who says "unknown", as `baseline-naive` does without cards, any guess would gain by chance.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.knowledge.conditions import name_key
from osler.memory.buffers import Past, medical_record
from osler.memory.card import Card, Origin, Scope
from osler.memory.index import Index, Query, index_of
from osler.memory.record import Record
from osler.players.casting import casting_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.memory.episodes_to_lessons import record_of
from osler.protocols.consultation.memory.retrieval import excluded_for, hint_of, source_for
from osler.protocols.consultation.players.naive_cards import Experience, story_of
from osler.stats.two_way_clustering import crossed, figure

CASES = "generated:1200:8"
DISEASES, STREAMS, TAUGHT, HELD_OUT, CARDS = 6, 9, 5, 30, 4


class Played(NamedTuple):
    """One consultation: the case, what its doctor lived through, and its place."""

    case: Case
    record: Record
    disease: str


def played(cases: str = CASES, diseases: int = DISEASES) -> list[Played]:
    """Every case of the commonest diseases, consulted once without a memory."""
    source = open_source(cases)
    found = list(source)
    common = {name for name, _ in Counter(case.task.answer for case in found).most_common(diseases)}
    config = RunConfig(cases=cases, doctor="baseline-naive")
    casting = casting_of(config)

    async def play() -> list[Played]:
        consulted = []
        for place, case in enumerate(found):
            if case.task.answer in common:
                trace = await config.episode(place, case, source).play(casting.cast(case))
                consulted.append(Played(case, record_of(trace), case.task.answer))
        return consulted

    return asyncio.run(play())


def simulated(consulted: Sequence[Played], seed: int) -> tuple[float, float, float]:
    """Transfer of one study with its interval: (value, low, high)."""
    rng = Random(seed)
    by_disease: dict[str, list[Played]] = {}
    for one in consulted:
        by_disease.setdefault(one.disease, []).append(one)
    held_out: list[Played] = []
    pools: dict[str, list[Played]] = {}
    for name, many in sorted(by_disease.items()):
        drawn = rng.sample(many, len(many))
        cut = HELD_OUT // len(by_disease)
        held_out, pools[name] = [*held_out, *drawn[:cut]], drawn[cut:]
    gaps = np.array([_stream(pools, held_out, rng) for _ in range(STREAMS)])
    found = figure(gaps.reshape(-1, 1), lambda row: float(row[0]), crossed(STREAMS, [0] * len(held_out)))
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    return found.value, found.low, found.high


def _stream(pools: Mapping[str, Sequence[Played]], held_out: Sequence[Played], rng: Random) -> list[float]:
    """Memory minus guessing, on every held-out case, in one stream."""
    taught = [one for pool in pools.values() for one in rng.sample(list(pool), TAUGHT)]
    labels = [one.disease for one in taught]
    rng.shuffle(labels)
    index = index_of(_card(one, label) for one, label in zip(taught, labels, strict=True))
    names = sorted(pools)
    return [
        float(_concluded(index, one) == name_key(one.disease)) - float(rng.choice(names) == one.disease)
        for one in held_out
    ]


def _concluded(index: Index, one: Played) -> str:
    query = Query(one.record.told, one.record.obtained)
    excluded = excluded_for(one.case, (), 1.0)
    hits = index.search(query, CARDS, excluded=excluded, by="lexical")
    story = story_of([one.record.told], dict(one.record.results))
    ranked = Experience(story, [hint_of(hit.card) for hit in hits]).ranked()
    # One who finds nothing alike takes the nearest card's word.
    return name_key(ranked[0][0] if ranked else hits[0].card.diagnosis)


def _card(one: Played, label: str) -> Card:
    source = source_for(one.case)
    origin = Origin(**source.model_dump(), episode=one.case.id, run="null", position=0)
    return medical_record(Past(one.record, origin, Scope()), "gold", "right", label)


def measure(studies: int) -> dict[str, object]:
    """Coverage over so many studies."""
    consulted = played()
    found = [simulated(consulted, seed) for seed in range(studies)]
    covering = sum(low <= 0 <= high for _, low, high in found)
    return {
        "studies": studies,
        "covering_0": covering,
        "coverage": round(covering / studies, 4),
        "mean_transfer": round(float(np.mean([value for value, _, _ in found])), 5),
        "mean_half_width": round(float(np.mean([(high - low) / 2 for _, low, high in found])), 4),
        "spread_of_transfer": round(float(np.std([value for value, _, _ in found])), 4),
        "consultations": len(consulted),
        "streams": STREAMS,
        "held_out": HELD_OUT,
        "taught": TAUGHT * DISEASES,
    }


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    found = measure(given.studies)
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
