"""The audit of a persona library: diversity, stereotypes, consistency, completeness and wording.

Every figure comes with its n; below thirty personas, shares and associations are shown but not judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

import numpy as np

from osler.cases.personas import audit_texts as texts
from osler.cases.personas.audit_traits import (
    PATIENT_PAIRS,
    PATIENT_TRAITS,
    SHOWN_PAIRS,
    STUDENT_PAIRS,
    STUDENT_TRAITS,
    Counted,
)
from osler.cases.personas.files import Library
from osler.cases.personas.people import Persona
from osler.cases.personas.rules import Breach, breaches
from osler.stats.association import association
from osler.stats.intervals import wilson

P = TypeVar("P", bound=Persona)
FEWEST: Final = 30
LARGEST_V: Final = 0.1
FEWEST_IN_GROUP: Final = 10
_TOP_SHARE: Final = 0.5
_TOP_LIFT: Final = 1.5


class Share(NamedTuple):
    """The distribution of a trait: its most common label with its share and Wilson's 95 % interval, the
    number of labels and their effective number, and the limits. `holds` is `None` for too few personas."""

    trait: str
    n: int
    missing: int
    counts: dict[str, int]
    largest: str
    share: float | None
    low: float | None
    high: float | None
    labels: int
    effective: float | None
    largest_allowed: float
    effective_needed: float
    holds: bool | None


class Tie(NamedTuple):
    """The association of two traits. `judged` is false if they are logically related; `holds` is `None` if
    there are too few personas, a trait never varies, or chance alone would give as much."""

    first: str
    second: str
    n: int
    v: float | None
    raw: float | None
    by_chance: float | None
    judged: bool
    holds: bool | None


class AuditQuestion(NamedTuple):
    """One question of the audit. `holds` is `None` if undecided; `found` says what was found."""

    question: str
    holds: bool | None
    found: str
    threshold: str


class Audit(NamedTuple):
    """The audit of one kind of persona in a library."""

    kind: str
    n: int
    items: tuple[AuditQuestion, ...]
    shares: tuple[Share, ...]
    ties: tuple[Tie, ...]
    breaches: tuple[Breach, ...]
    missing: dict[str, int]
    repeated: tuple[tuple[str, ...], ...]
    alike: tuple[texts.Alike, ...]
    stereotypes: tuple[tuple[str, str], ...]
    wording: texts.Wording

    @property
    def holds(self) -> bool:
        """Whether the library passes: no item fails."""
        return all(item.holds is not False for item in self.items)


def audit(library: Library) -> tuple[Audit, ...]:
    """Audit the patients and the students of a library, each if there are any."""
    result = []
    if library.patients:
        result.append(_audit("patients", library.patients, PATIENT_TRAITS, PATIENT_PAIRS))
    if library.students:
        result.append(_audit("students", library.students, STUDENT_TRAITS, STUDENT_PAIRS))
    return tuple(result)


def _audit(
    kind: str,
    personas: Sequence[P],
    traits: Mapping[str, Counted[P]],
    pairs: Sequence[tuple[str, str]],
) -> Audit:
    labels = {name: [tuple(trait.labels(each)) for each in personas] for name, trait in traits.items()}
    shares = tuple(_share(name, labels[name], trait) for name, trait in traits.items())
    logical = [pair for pair in SHOWN_PAIRS if pair[0] in traits and pair[1] in traits]
    ties = (
        *(_tie(pair, labels, judged=True) for pair in pairs),
        *(_tie(pair, labels, judged=False) for pair in logical),
    )
    broken = tuple(breach for each in personas for breach in breaches(each))
    missing = texts.missing_fields(personas)
    repeated, alike = texts.repeated(personas), texts.nearly_alike(personas)
    phrases, wording = texts.stereotypes(personas), texts.wording(personas)
    items = (
        *_spread_items(shares),
        _tie_item(ties),
        _group_item(labels, pairs),
        _none("no phrase ties a trait to a group", [f"{who}: {what!r}" for who, what in phrases]),
        _none(
            "no persona contradicts a rule", [f"{each.persona}: {each.rule}, {each.what}" for each in broken]
        ),
        _none("no field is empty", [f"{name} ({times} times)" for name, times in missing.items()]),
        _none("no persona is duplicated", [" = ".join(each) for each in repeated]),
        _none(
            "no two instructions are near-duplicates",
            [f"{a.first} ~ {a.second}, {a.alike:.0%}" for a in alike],
            f"less than {texts.ALIKE:.0%} alike",
        ),
        _wording_item(wording),
    )
    return Audit(kind, len(personas), items, shares, ties, broken, missing, repeated, alike, phrases, wording)


def _share(name: str, labels: Sequence[tuple[str, ...]], trait: Counted[P]) -> Share:
    counts = Counter(one for some in labels for one in some)
    n, missing = len(labels), sum(not some for some in labels)
    total = counts.total()
    if not total:
        return Share(
            name, n, missing, {}, "", None, None, None, 0, None, trait.largest, trait.effective, None
        )
    top, times = counts.most_common(1)[0]
    result = wilson(times, total)
    shares = np.array(list(counts.values())) / total
    effective = float(np.exp(-(shares * np.log(shares)).sum()))
    holds = None
    if n - missing >= FEWEST:
        holds = times / total <= trait.largest and effective >= trait.effective
    return Share(
        name, n, missing, dict(counts.most_common()), top, result.value, result.low, result.high, len(counts),
        round(effective, 2), trait.largest, trait.effective, holds,
    )  # fmt: skip


def _tie(pair: tuple[str, str], labels: Mapping[str, Sequence[tuple[str, ...]]], *, judged: bool) -> Tie:
    both = [
        (one, other)
        for some, others in zip(labels[pair[0]], labels[pair[1]], strict=True)
        for one in some
        for other in others
    ]
    result = association([one for one, _ in both], [other for _, other in both])
    holds: bool | None = None
    if judged and result.v is not None and result.by_chance is not None and result.n >= FEWEST:
        # Above the limit, but no more than shuffling gives: too few personas to tell.
        holds = True if result.v <= LARGEST_V else False if result.v > result.by_chance else None
    return Tie(*pair, result.n, result.v, result.raw, result.by_chance, judged, holds)


def _spread_items(shares: Iterable[Share]) -> Iterable[AuditQuestion]:
    for each in shares:
        threshold = (
            f"largest at most {each.largest_allowed:.0%}, at least {each.effective_needed:g} effective labels"
        )
        if each.share is None:
            # The published format has no such field, or the file leaves it out everywhere.
            yield AuditQuestion(f"{each.trait} is spread", None, "nowhere stated", threshold)
            continue
        n = each.n - each.missing
        text = f"{each.largest!r} {each.share:.1%} [{each.low:.1%}, {each.high:.1%}] of n = {n}"
        few = "" if n >= FEWEST else f"; fewer than {FEWEST}: not judged"
        yield AuditQuestion(
            f"{each.trait} is spread", each.holds, f"{text}; {each.effective:g} effective{few}", threshold
        )


def _tie_item(ties: Sequence[Tie]) -> AuditQuestion:
    question, threshold = (
        "no trait is associated with a demographic one",
        f"corrected Cramér's V at most {LARGEST_V}",
    )
    judged = [tie for tie in ties if tie.judged and tie.v is not None]
    if not judged:
        return AuditQuestion(question, None, "no pair varies", threshold)
    worst = max(judged, key=lambda tie: tie.v or 0)
    bad = [tie for tie in judged if tie.holds is False]
    holds = False if bad else True if all(tie.holds for tie in judged) else None
    named = bad or [worst]
    text = "; ".join(
        f"{tie.first} and {tie.second} V = {tie.v:.2f} (chance {tie.by_chance:.2f}, n = {tie.n})"
        for tie in named
    )
    return AuditQuestion(question, holds, f"{len(bad)} of {len(judged)} pairs above; {text}", threshold)


def _group_item(
    labels: Mapping[str, Sequence[tuple[str, ...]]], pairs: Sequence[tuple[str, str]]
) -> AuditQuestion:
    """Check that no group has a majority label that is over-represented in it."""
    worst, said, judged = 0.0, "", 0
    for group, trait in pairs:
        both = [
            (one, other)
            for some, others in zip(labels[group], labels[trait], strict=True)
            for one in some
            for other in others
        ]
        overall, sizes = Counter(other for _, other in both), Counter(one for one, _ in both)
        for (one, other), times in Counter(both).items():
            if sizes[one] < FEWEST_IN_GROUP:
                continue
            judged += 1
            share, lift = times / sizes[one], times / sizes[one] / (overall[other] / len(both))
            if lift >= _TOP_LIFT and share > worst:
                worst, said = (
                    share,
                    f"{one}: {share:.0%} of {sizes[one]} are {other!r}, {lift:.1f} times the overall share",
                )
    holds = None if not judged else worst <= _TOP_SHARE
    threshold = (
        f"at most {_TOP_SHARE:.0%} if {_TOP_LIFT} times the overall share; groups of {FEWEST_IN_GROUP}"
    )
    return AuditQuestion("no group is mostly of one kind", holds, said or "none", threshold)


def _none(question: str, bad: Sequence[str], threshold: str = "none") -> AuditQuestion:
    said = "; ".join(bad[:3]) + (f"; and {len(bad) - 3} more" if len(bad) > 3 else "")
    return AuditQuestion(question, not bad, f"{len(bad)}: {said}" if bad else "none", threshold)


def _wording_item(wording: texts.Wording) -> AuditQuestion:
    threshold = f"{texts.DIFFERENT:.0%} of sentences are different"
    share = f"{wording.different} of {wording.sentences} ({wording.share or 0:.1%})"
    holds = None if wording.share is None else wording.share >= texts.DIFFERENT
    return AuditQuestion(
        "instructions do not repeat each other",
        holds,
        f"{share}; {wording.most} times: {wording.example!r}",
        threshold,
    )
