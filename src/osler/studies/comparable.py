"""Comparability checks of two runs: every obstacle to a fair comparison, each with a way to fix it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from osler.core.config import Config
from osler.core.names import player_name
from osler.core.protocol import Protocol
from osler.errors import BadInput
from osler.runs.run import protocol_of
from osler.store.records import RunInfo

_SAME: Final = ("protocol", "knowledge")
_NAMED: Final = 5
_MOST_VERSIONS: Final = 3
_OF_THE_RUN: Final = frozenset({"settings", *Config.model_fields}) - {"models"}
"""Fields of every configuration that determine its worlds, or are compared separately."""


def check_one_protocol(*runs: RunInfo) -> Protocol:
    """Return the protocol that all these runs share. Raises BadInput if they are of several protocols."""
    first, *others = runs
    protocol = protocol_of(first)
    for other in others:
        theirs = protocol_of(other)
        if theirs is not protocol:
            raise BadInput(
                f"{first.name} is a run of {protocol.many} and {other.name} one of {theirs.many}",
                where="RUN",
                hint="name runs of one protocol",
            )
    return protocol


def setting(run: RunInfo, dotted: str) -> Any:
    """Look up a dotted name in a run's configuration; `None` if it is not there."""
    result: Any = run.manifest["configuration"]
    for name in dotted.split("."):
        result = result.get(name) if isinstance(result, Mapping) else None
    return result


def differing(first: RunInfo, second: RunInfo) -> dict[str, tuple[Any, Any]]:
    """Return the differences in players, models, and other choices that do not affect the worlds, by name,
    each with both values."""
    protocol = protocol_of(first)
    world = {name.partition(".")[0] for name in protocol.config.world}
    own = [name for name in protocol.config.model_fields if name not in world | _OF_THE_RUN]
    seats = [role.name for role in protocol.roles if role.name in own]
    return _unequal(first, second, dict.fromkeys([*seats, "models", *own, "osler"]))


def reasons(first: RunInfo, second: RunInfo) -> Iterator[str]:
    """Yield the reasons in their configurations why two runs of one protocol cannot be compared fairly."""
    yield from reasons_of_pair(first, second)
    yield from _other_branch(first, second)


def reasons_of_pair(first: RunInfo, second: RunInfo) -> Iterator[str]:
    """The same for a single episode of each, of which one may be a branch of the other."""
    yield from _unlike(first, second)
    yield from _privileged(first, second)


def other_cases(one: Mapping[str, str], other: Mapping[str, str]) -> Iterator[str]:
    """Yield a reason if cases changed between two runs; each run is given as content hashes by case id."""
    changed = sorted(i for i in one.keys() & other.keys() if one[i] != other[i])
    if changed:
        more = f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
        yield (
            f"case {', '.join(changed[:_NAMED])}{more} is not the same case in both: other content hashes"
            " (play the older run again on the cases as they are now)"
        )


Versions = Mapping[str, set[str]]
"""The versions of a grader that judged a run's episodes, by their cases' content hashes."""


def other_judges(
    first: RunInfo, second: RunInfo, one: Versions, other: Versions, judge: str
) -> Iterator[str]:
    """Yield a reason if a run has not been judged, or if a case was judged by different versions of the judge
    in the two runs. A version may differ between cases, because some judges' versions include the rubric."""
    own = judge in protocol_of(first).graders
    option = "" if own else f" --judge {judge}"
    both = ((first, one), (second, other))
    missing = [run.name for run, versions in both if versions and not any(versions.values())]
    for name in missing:
        hint = f"osler judge run {name}{option}"
        if judge.startswith("person:"):
            hint = "people's ratings come with osler rate import"
        yield f"{name} has not been judged by {judge} ({hint})"
    if missing:
        return
    wrong = [case for case in one.keys() & other.keys() if len(one[case] | other[case]) > 1]
    if wrong:
        text = ", ".join(
            f"{run.name} by {_listed(set().union(*(versions[case] for case in wrong)))}"
            for run, versions in both
        )
        hint = "; ".join(f"osler judge run {run.name}{option}" for run, _ in both)
        yield f"{judge} judged {text}: versions differ ({hint})"


def never_met(first: RunInfo, second: RunInfo) -> str:
    """Return the reason why two runs have no world in common."""
    names = ("cases", *protocol_of(first).config.world, "seed", "repeats")
    lines = [
        f"{name} {mine} and {theirs}"
        for name, (mine, theirs) in _unequal(first, second, dict.fromkeys(names)).items()
    ]
    why = f": {'; '.join(lines)}" if lines else ""
    return (
        f"{first.name} and {second.name} have played no world in common{why}"
        " (play both on the same cases with the same persona and seed)"
    )


def _unequal(first: RunInfo, second: RunInfo, names: Mapping[str, None]) -> dict[str, tuple[Any, Any]]:
    pairs = {name: (setting(first, name), setting(second, name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _unlike(first: RunInfo, second: RunInfo) -> Iterator[str]:
    one, other = (
        _flat(run.manifest["configuration"].get("settings", {}), "settings") for run in (first, second)
    )
    for name in sorted(one.keys() | other.keys()):
        if one.get(name) != other.get(name):
            yield (
                f"{name} is {one.get(name)} in {first.name} and {other.get(name)} in {second.name}"
                " (play one again with the other's)"
            )
    for name, (mine, theirs) in _unequal(first, second, dict.fromkeys(_SAME)).items():
        yield (
            f"{name} is {mine} in {first.name} and {theirs} in {second.name}"
            " (play the older one again with this Osler)"
        )


def _flat(settings: Mapping[str, Any], before: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in settings.items():
        dotted = f"{before}.{name}"
        result |= _flat(value, dotted) if isinstance(value, Mapping) else {dotted: value}
    return result


def _privileged(*runs: RunInfo) -> Iterator[str]:
    for run in runs:
        for seat, name in privileged(run).items():
            yield (
                f"the {seat} of {run.name} is privileged: {name} is given the answer"
                " (compare with a player that is not)"
            )


def privileged(run: RunInfo) -> dict[str, str]:
    """Return the privileged players of a run by seat, including those who played the part a branch kept."""
    how, protocol = run.manifest["configuration"], protocol_of(run)
    sat = [name for names in protocol.names(how).values() for name in names]
    for kept in (how.get("branch") or {}).get("kept_by", ()):
        seat, _, name = kept.partition("=")
        sat.append(player_name(protocol.role(seat), name))
    result: dict[str, str] = {}
    for one in sat:
        for name in one.privileged:
            result.setdefault(one.role.name, name)
    return result


def _other_branch(first: RunInfo, second: RunInfo) -> Iterator[str]:
    if setting(first, "branch") == setting(second, "branch"):
        return
    text = " and ".join(f"{run.name} is {_branch_of(run)}" for run in (first, second))
    yield f"{text} (branches are compared only where they left the same episode at the same exchange)"


def _branch_of(run: RunInfo) -> str:
    parent = run.manifest.get("branch_of")
    return f"a branch of {parent['run']}:{parent['ordinal']} at {parent['at']}" if parent else "no branch"


def _listed(versions: set[str]) -> str:
    held = sorted(versions)
    more = f" and {len(held) - _MOST_VERSIONS} more" if len(held) > _MOST_VERSIONS else ""
    return " and ".join(islice(held, _MOST_VERSIONS)) + more
