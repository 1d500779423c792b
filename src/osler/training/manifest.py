"""The manifest of a data set: what is in it, what was refused, and where it comes from, without any time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log2
from typing import Any, Final

from osler.training.filters import Rejected
from osler.training.samples import USUAL, Kind, Sample
from osler.training.splits import SPLITS

_QUANTILES: Final = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)
_DESCRIBED: Final = ("specialty", "body_system", "task", "question_type")
RL_PROMPT, RL_ANSWER = 4_096, 2_048
"""The published lengths of a prompt and an answer in reinforcement."""


def _counter() -> Counter[Any]:
    return Counter()


@dataclass
class Figures:
    """Counts kept while a data set is built; `kinds` are the kinds of row that are counted."""

    kinds: tuple[Kind, ...] = USUAL
    episodes: int = 0
    sessions: int = 0
    turns: int = 0
    revised: int = 0
    rejected: Counter[str] = field(default_factory=_counter)
    rows: Counter[tuple[str, str]] = field(default_factory=_counter)
    rounds: Counter[int] = field(default_factory=_counter)
    dropped: Counter[str] = field(default_factory=_counter)
    named: dict[str, Counter[str]] = field(default_factory=dict)
    refused_by: dict[str, Counter[str]] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=_counter)
    """The refusals that revisions answer, by "reviewer: kind of fault"."""
    lengths: dict[str, list[int]] = field(default_factory=dict)
    cases: dict[str, str] = field(default_factory=dict)
    clusters: dict[str, str] = field(default_factory=dict)
    split_of: dict[str, str] = field(default_factory=dict)
    fits_rl: int = 0
    too_long: int = 0
    """Conversations of which not even the last round is short enough."""

    def session(self, turns: Sequence[Sample]) -> None:
        """Count the kept turns of a session."""
        self.sessions += 1
        self.turns += len(turns)
        self.revised += sum(turn.revised for turn in turns)
        self.rounds[len(turns)] += 1
        first = turns[0]
        self.cases[first.case_hash] = first.case_id
        self.clusters[first.case_hash] = first.cluster
        self.split_of[first.case_hash] = first.split
        for name, value in _said_of(first):
            self.named.setdefault(name, _counter())[value] += 1
        students = first.about.get("students")
        for student in students if isinstance(students, list) else ():
            self.named.setdefault("student", _counter())[str(student)] += 1
        for turn in turns:
            for name in _DESCRIBED:
                self.named.setdefault(f"turns by {name}", _counter())[str(turn.about.get(name) or "")] += 1

    def refused(self, sample: Sample, found: Rejected) -> None:
        """Count a rejected turn."""
        self.rejected[found.filter] += 1
        for name in _DESCRIBED:
            where = self.refused_by.setdefault(name, _counter())
            where[str(sample.about.get(name) or "")] += 1

    def row(self, sample: Sample) -> None:
        """Count a row as it is written."""
        self.rows[sample.kind, sample.split] += 1
        self.dropped[sample.kind] += sample.dropped > 0
        for part, count in sample.tokens.items():
            self.lengths.setdefault(f"{sample.kind} {part}", []).append(count)
        for draft in sample.refused_drafts:
            self.refusals.update(f"{one.by}: {one.issue}" for one in draft.refusals)
        if sample.kind == "single":
            tokens = sample.tokens
            self.fits_rl += tokens["prompt"] <= RL_PROMPT and tokens["target"] <= RL_ANSWER

    def samples(self) -> dict[str, int]:
        """The number of rows by kind."""
        return {kind: sum(self.rows[kind, split] for split in SPLITS) for kind in self.kinds}

    def splits(self) -> dict[str, dict[str, int]]:
        """The rows of each split by kind."""
        return {split: {kind: self.rows[kind, split] for kind in self.kinds} for split in SPLITS}

    def kept_by(self) -> dict[str, dict[str, float]]:
        """The share of turns that were kept, by what they are about: selection that nobody meant."""
        result = dict[str, dict[str, float]]()
        for name in _DESCRIBED:
            kept = self.named.get(f"turns by {name}", _counter())
            lost = self.refused_by.get(name, _counter())
            values = sorted({*kept, *lost} - {""})
            shares = {v: round(kept.get(v, 0) / (kept.get(v, 0) + lost.get(v, 0)), 4) for v in values}
            if shares:
                result[name] = shares
        return result


def _said_of(sample: Sample) -> Iterable[tuple[str, str]]:
    origin = sample.provenance
    players = origin.get("players")
    yield "licence", str(origin.get("licence") or "not stated")
    yield "origin", str(origin.get("origin") or "not stated")
    yield "prompt", str(origin.get("prompt"))
    yield "persona", str(sample.about.get("persona") or "")
    yield "pictures", str(len(sample.images))
    for seat, player in sorted(players.items()) if isinstance(players, dict) else ():
        yield "player", f"{seat}={player}"
    students = sample.about.get("students")
    if isinstance(students, list):
        yield "students", str(len(students))
    for name in ("order", "expert_heard_by"):
        if value := sample.about.get(name):
            yield name, str(value)
    for name in _DESCRIBED:
        yield name, str(sample.about.get(name) or "")


def quantiles(counts: Sequence[int]) -> dict[str, int]:
    """The quantiles of lengths, by their share."""
    ordered = sorted(counts)
    return (
        {f"{share:g}": ordered[round(share * (len(ordered) - 1))] for share in _QUANTILES} if ordered else {}
    )


def entropy(counts: Mapping[str, int]) -> float:
    """The entropy of counts in bits."""
    total = sum(counts.values())
    result = -sum(n / total * log2(n / total) for n in counts.values() if n)
    return round(result + 0.0, 4)


def described(figures: Figures) -> dict[str, Any]:
    """The figures as plain JSON, in a fixed order."""
    named = {
        name: {value: n for value, n in sorted(counts.items()) if value}
        for name, counts in sorted(figures.named.items())
    }
    people = {name: entropy(named[name]) for name in ("persona", "student") if named.get(name)}
    return {
        "episodes": figures.episodes,
        "sessions": figures.sessions,
        "turns": figures.turns,
        "samples": figures.samples(),
        "splits": figures.splits(),
        "rejected": dict(sorted(figures.rejected.items())),
        "cases": len(figures.cases),
        "clusters": len(set(figures.clusters.values())),
        "turns_a_session": {str(n): count for n, count in sorted(figures.rounds.items())},
        "revised": round(figures.revised / figures.turns, 4) if figures.turns else 0.0,
        **({"refusals": dict(sorted(figures.refusals.items()))} if "revision" in figures.kinds else {}),
        "shortened": {kind: figures.dropped[kind] for kind in figures.kinds},
        "too_long": {"multi": figures.too_long},
        "tokens": {part: quantiles(counts) for part, counts in sorted(figures.lengths.items())},
        "fit_for_rl": figures.fits_rl,
        "entropy_bits": people,
        "kept_share": figures.kept_by(),
        "sessions_by": {name: counts for name, counts in named.items() if not name.startswith("turns by ")},
    }


def beside(figures: Figures, published: Mapping[str, int]) -> dict[str, Any]:
    """Our sizes beside published ones: rows by kind, and how many single rows there are to a multi row."""
    ours = figures.samples()
    return {
        "rows": {kind: {"ours": ours[kind], "published": published.get(kind)} for kind in figures.kinds},
        "single_to_multi": {"ours": _ratio(ours), "published": _ratio(published)},
        "turns_a_session": {
            "ours": round(figures.turns / figures.sessions, 2) if figures.sessions else None,
        },
    }


def _ratio(sizes: Mapping[str, int]) -> float | None:
    single, multi = sizes.get("single", 0), sizes.get("multi", 0)
    return round(single / multi, 2) if multi else None
