"""The split of cases into taught, probed and held out: a pure function of the cases' kinds and the design."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from random import Random
from typing import Final, NamedTuple

from osler.cases.model import Case
from osler.errors import BadInput
from osler.judging.diagnosis.judged import judged
from osler.knowledge.conditions import name_key
from osler.protocols.consultation.longitudinal.design import Design
from osler.protocols.consultation.memory.episodes_to_lessons import gold_of

_TRIES: Final = 50


class Kind(NamedTuple):
    """The attributes of a case that planning uses; `place` is its index in the source, `diagnosis` the right
    answer in words."""

    place: int
    case: str
    diagnosis: str
    specialty: str


class Block(NamedTuple):
    """A block: its number and name, and the places of the cases that may be taught and of its probes."""

    number: int
    name: str
    pool: tuple[int, ...]
    probes: tuple[int, ...]


class Stream(NamedTuple):
    """One training stream of the doctor: the order of blocks, and the cases it meets in each, in order."""

    order: int
    seed: int
    blocks: tuple[int, ...]
    taught: tuple[tuple[int, ...], ...]

    @property
    def name(self) -> str:
        """The name of the stream in its runs' names."""
        return f"o{self.order}s{self.seed}"

    def position(self, stage: int) -> int:
        """Return the number of cases it has met before a stage."""
        return sum(map(len, self.taught[:stage]))


class Plan(NamedTuple):
    """The plan of a study. `reserved` are places of cases whose diagnoses are taught nowhere."""

    kinds: tuple[Kind, ...]
    blocks: tuple[Block, ...]
    reserved: tuple[int, ...]
    streams: tuple[Stream, ...]

    @property
    def held_out(self) -> tuple[int, ...]:
        """The places of all cases that never enter a memory, ascending."""
        return tuple(sorted({*self.reserved, *(at for block in self.blocks for at in block.probes)}))

    def block_of(self, place: int) -> int | None:
        """Return the number of the block that a case is a probe of; `None` for a reserved case."""
        return next((block.number for block in self.blocks if place in block.probes), None)


def kind_of(place: int, case: Case) -> Kind:
    """Return the attributes of a case that planning uses."""
    return Kind(place, case.content_hash, gold_of(case), case.specialty or "")


@lru_cache(maxsize=200_000)
def same_diagnosis(one: str, other: str) -> bool:
    """Whether two names are the same diagnosis for the built-in judge, so that teaching one teaches both."""
    return name_key(one) == name_key(other) or judged(one, other).right or judged(other, one).right


def plan(kinds: Sequence[Kind], design: Design) -> Plan:
    """Plan a study. Raises BadInput if there are too few cases for it.

    Duplicate cases (by content) are used once. Difficulty is rarity: the fewer cases a diagnosis has, the
    less there is to learn it from; the first block holds the most common ones.
    """
    kinds = tuple({kind.case: kind for kind in reversed(kinds)}.values())[::-1]
    reserved = _reserved(kinds, design)
    open_ = [kind for kind in kinds if kind.place not in set(reserved)]
    blocks = tuple(
        _block(number, name, held, design) for number, (name, held) in enumerate(_cut(open_, design))
    )
    return Plan(kinds, blocks, reserved, tuple(_streams(blocks, design)))


def _reserved(kinds: Sequence[Kind], design: Design) -> tuple[int, ...]:
    """Return the reserved cases: whole diagnoses with all their equivalents, in an order drawn by the seed,
    until their cases reach the share wanted."""
    wanted, result = round(design.reserved * len(kinds)), set[int]()
    by_diagnosis = defaultdict[str, list[int]](list)
    for kind in kinds:
        by_diagnosis[kind.diagnosis].append(kind.place)
    for name in _rng(design, "reserved").sample(sorted(by_diagnosis), len(by_diagnosis)):
        if len(result | set(by_diagnosis[name])) > wanted or result.issuperset(by_diagnosis[name]):
            continue
        alike = _alike(name, by_diagnosis)
        places = {place for each in alike for place in by_diagnosis[each]}
        if len(result | places) <= wanted:
            result |= places
        if len(result) == wanted:
            break
    return tuple(sorted(result))


def _alike(name: str, others: Iterable[str]) -> set[str]:
    """Return the transitive closure of the names equivalent to `name`."""
    result, left, new = set[str](), set(others), {name}
    while new:
        result |= new
        left -= new
        new = {other for other in left if any(same_diagnosis(other, each) for each in new)}
    return result


def _cut(kinds: Sequence[Kind], design: Design) -> Iterable[tuple[str, list[Kind]]]:
    """Yield the blocks by name, each with its cases."""
    many = design.blocks
    if design.by == "specialty":
        groups = Counter(kind.specialty or "none given" for kind in kinds)
        if len(groups) < many:
            raise BadInput(
                f"the cases are of {len(groups)} specialties, too few for {many} blocks",
                where="--by specialty",
                hint="take fewer --blocks, or --by random or difficulty",
            )
        ranges: list[list[str]] = [[] for _ in range(many)]
        sizes = [0] * many
        for name, size in sorted(groups.items(), key=lambda item: (-item[1], item[0])):
            least = sizes.index(min(sizes))
            ranges[least].append(name)
            sizes[least] += size
        for names in ranges:
            yield ", ".join(names), [kind for kind in kinds if (kind.specialty or "none given") in names]
        return
    ordered = list(kinds)
    if design.by == "difficulty":
        keys = {kind.place: name_key(kind.diagnosis) for kind in kinds}
        common = Counter(keys.values())
        ordered.sort(key=lambda kind: (-common[keys[kind.place]], keys[kind.place], kind.place))
    else:
        _rng(design, "blocks").shuffle(ordered)
    for number in range(many):
        first, last = (len(ordered) * at // many for at in (number, number + 1))
        yield f"{design.by} {number + 1}", ordered[first:last]


def _block(number: int, name: str, kinds: Sequence[Kind], design: Design) -> Block:
    # At least half of a block is there to be taught from.
    probes = min(design.probes, len(kinds) // 2)
    if not probes:
        raise BadInput(
            f"block {number + 1} ({name}) has {len(kinds)} cases, too few to be taught and probed",
            where=design.cases,
            hint="take fewer --blocks, or more cases",
        )
    chosen = set(_rng(design, f"probes {number}").sample([kind.place for kind in kinds], probes))
    pool = tuple(kind.place for kind in kinds if kind.place not in chosen)
    return Block(number, name, pool, tuple(sorted(chosen)))


def _streams(blocks: Sequence[Block], design: Design) -> Iterable[Stream]:
    for order, numbers in enumerate(_orders(len(blocks), design)):
        for seed in range(design.seeds):
            rng = _rng(design, f"stream {order} {seed}")
            taught = tuple(
                tuple(rng.sample(blocks[number].pool, min(design.taught, len(blocks[number].pool))))
                for number in numbers
            )
            yield Stream(order, seed, numbers, taught)


def _orders(blocks: int, design: Design) -> list[tuple[int, ...]]:
    """Return the wanted number of block orders, the natural one first, without repeats as far as possible."""
    pairs = [tuple(range(blocks))]
    rng = _rng(design, "orders")
    while len(pairs) < design.orders:
        drawn = pairs[0]
        for _ in range(_TRIES):
            drawn = tuple(rng.sample(range(blocks), blocks))
            if drawn not in pairs:
                break
        pairs.append(drawn)
    return pairs


def _rng(design: Design, purpose: str) -> Random:
    digest = blake2b(f"{design.seed}\x1flongitudinal\x1f{purpose}".encode(), digest_size=8).digest()
    return Random(digest)  # noqa: S311 - simulation, not secrecy
