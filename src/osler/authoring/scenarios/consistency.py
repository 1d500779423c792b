"""Contradictions between roles, people whom no role plays, and figures that are not in the source. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from osler.authoring.scenarios.audit_finding import Finding, Kind, Severity, finding
from osler.authoring.scenarios.consistency_facts import (
    Said,
    ages,
    numbers,
    people,
    sexes,
    vital_signs,
)
from osler.authoring.scenarios.markdown import plain_text
from osler.authoring.scenarios.roles import PLAYED, ROLES, Material, Role

_ALIKE: Final = "make the roles tell the same, as the source has it"
# The controller's word on the patient takes precedence, then what the patient's player is told.
_FIRST: Final[tuple[Role, ...]] = ("environment_controller", "sp_actor", "examinee", "evaluator")


def contradictions(material: Material) -> Iterator[Finding]:
    """Ages, sexes and vital signs that differ between roles; and roles without material."""
    for role in ROLES:
        if not any(text.strip() for text in material[role].values()):
            yield _empty(role)
    yield from _first_told(material, "age", "serious", ages)
    yield from _first_told(material, "sex", "serious", sexes)
    yield from _vital_signs(material)


def _empty(role: Role) -> Finding:
    what = "the role has no material"
    if role == "evaluator":
        what = "the source holds no assessment, so there is no rubric"
    mend = f"put a Markdown file into {role}/ with what the role must know"
    return finding("empty_role", "serious", role, "", "", what, mend)


def no_items(material: Material, items: Sequence[str]) -> Iterator[Finding]:
    """An assessment from which no item could be extracted."""
    if not items and any(text.strip() for text in material["evaluator"].values()):
        what = "no item could be taken from the evaluator's material"
        mend = "make a list of them under a heading such as Checklist, or name a model that finds them"
        yield finding("no_items", "serious", "evaluator", "", "", what, mend)


def _first_told(
    material: Material, kind: Kind, severity: Severity, read: Callable[[str], Iterator[Said]]
) -> Iterator[Finding]:
    """A role's first figure against the first role that has any: later ones may be about other people."""
    known: set[str] = set()
    holder: Role | None = None
    for role in _FIRST:
        told = [(name, said) for name, text in material[role].items() for said in read(plain_text(text))]
        if not told:
            continue
        if holder is None:
            holder, known = role, {said.value for _, said in told}
            continue
        name, said = told[0]
        if said.value not in known:
            what = f"{kind} {said.value}; {holder} has {', '.join(sorted(known))}"
            yield finding(kind, severity, role, name, said.quote, what, _ALIKE)


def _vital_signs(material: Material) -> Iterator[Finding]:
    """Vital signs that match none of the controller's figures, of which a state may change any."""
    known: dict[str, set[str]] = {}
    for text in material["environment_controller"].values():
        for sign, said in vital_signs(plain_text(text)):
            known.setdefault(sign, set()).add(said.value)
    for role in ROLES:
        if role == "environment_controller":
            continue
        for name, text in material[role].items():
            for sign, said in vital_signs(plain_text(text)):
                if sign in known and said.value not in known[sign]:
                    there = ", ".join(sorted(known[sign]))
                    what = f"{sign} {said.value}; environment_controller has {there}"
                    yield finding("vital_sign", "serious", role, name, said.quote, what, _ALIKE)


def unplayed(material: Material) -> Iterator[Finding]:
    """People named by only one role; worse where no role that plays people knows them."""
    named: dict[str, dict[Role, tuple[str, Said]]] = {}
    for role in ROLES:
        for name, text in material[role].items():
            for said in people(plain_text(text)):
                named.setdefault(said.value.split()[-1].casefold(), {}).setdefault(role, (name, said))
    everything = {
        role: " ".join(plain_text(text).casefold() for text in material[role].values()) for role in ROLES
    }
    for key, roles in sorted(named.items()):
        if any(key in everything[role] for role in ROLES if role not in roles):
            continue
        if len(roles) > 1:
            continue
        ((role, (name, said)),) = roles.items()
        played = role in PLAYED[1:]
        what = f"{said.value} is named here only"
        if not played:
            what += ", so nobody plays them"
        mend = "tell the other roles of them, or leave them out"
        yield finding("one_role_only", "minor" if played else "moderate", role, name, said.quote, what, mend)


def not_in_source(material: Material, source: Sequence[str]) -> Iterator[Finding]:
    """Figures in the played roles that are not in the source: a model may have made them up."""
    held = {said.value for text in source for said in numbers(plain_text(text))}
    vital = {said.value for text in source for _, said in vital_signs(plain_text(text))}
    for role in PLAYED:
        for name, text in material[role].items():
            signs = [said for _, said in vital_signs(plain_text(text))]
            for said in numbers(plain_text(text)):
                if said.value in held | vital:
                    continue
                is_sign = any(said.value == sign.value for sign in signs)
                what = f"{said.value} does not stand in the source"
                mend = "take it from the source, or have a clinician agree to it"
                severity: Severity = "moderate" if is_sign else "minor"
                yield finding("not_in_source", severity, role, name, said.quote, what, mend)
