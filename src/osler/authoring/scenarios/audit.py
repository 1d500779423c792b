"""The audit of a scenario's material: rules first, then a model that reads all four roles side by side.

A model's finding counts only if its quote is verbatim in the file it names. Serious findings block a scenario
until the material is fixed or a person accepts them, with a reason, in `accepted.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import yaml
from pydantic import TypeAdapter

from osler.authoring.scenarios.asking import Asker, Forgiving, Line, Question, ask, shaped
from osler.authoring.scenarios.audit_finding import Finding, finding, in_order
from osler.authoring.scenarios.consistency import contradictions, no_items, not_in_source, unplayed
from osler.authoring.scenarios.layout import ROLES, Material, Role
from osler.authoring.scenarios.leaks import hidden_names, leaks
from osler.authoring.scenarios.verbatim import Document
from osler.errors import BadInput
from osler.models.types import Output
from osler.text.hostile import block

ACCEPTED: Final = "accepted.yaml"
_MOST_TOLD: Final = 50
_MAX_BYTES: Final = 1_000_000


class _Finding(Forgiving):
    kind: Literal["leak", "contradiction", "other"]
    severity: Literal["serious", "moderate", "minor"]
    role: Role
    quote: Line
    what: Line
    mend: Line


class _Answer(Forgiving):
    findings: list[_Finding]


_OUTPUT: Final = Output.of(TypeAdapter(_Answer), "scenario_audit")


class Audited(NamedTuple):
    """A model's findings, and the number dropped because their quotes are nowhere in the material."""

    findings: tuple[Finding, ...]
    dropped: int


def by_rules(
    material: Material,
    *,
    declared: Sequence[str],
    items: Sequence[str],
    ids: Sequence[str],
    source: Sequence[str] | None,
) -> tuple[Finding, ...]:
    """The findings of the rules. `source` is given where a model wrote the material. Pure."""
    rules = [
        *leaks(material, hidden_names(declared, material), items, ids),
        *contradictions(material),
        *no_items(material, items),
        *unplayed(material),
        *(not_in_source(material, source) if source is not None else ()),
    ]
    return in_order(rules)


def question_of(material: Material, hidden: Sequence[str], findings: Sequence[Finding]) -> Question:
    """The audit question to a model; it includes the rules' findings, so that they are not repeated."""
    parts = [block("hidden", "; ".join(hidden) or "nothing is declared")]
    for role in ROLES:
        files = "\n".join(
            f"{block('name', name)}\n{block('file', text)}" for name, text in material[role].items()
        )
        parts.append(f"The material of {role}:\n{files or 'none'}")
    told = "\n".join(f"- {one.file}: {one.what}" for one in findings[:_MOST_TOLD])
    parts.append(block("found_already", told or "nothing"))
    return Question("audit", "audit", ("\n\n".join(parts),), _OUTPUT)


async def by_model(asker: Asker, question: Question, material: Material) -> Audited:
    """A model's findings, keeping those whose quotes are in the role they name."""
    documents = {
        role: {name: Document(text) for name, text in files.items()} for role, files in material.items()
    }

    def check(parsed: object) -> tuple[Audited | None, tuple[str, ...]]:
        answer, wrong = shaped(_Answer, parsed)
        if answer is None:
            return None, wrong
        kept, told = [], []
        for one in answer.findings:
            name = next((n for n, d in documents[one.role].items() if d.find(one.quote)), None)
            if name is None:
                told.append(f"quote: does not stand in {one.role} word for word: {one.quote[:200]}")
                continue
            kept.append(
                finding(
                    one.kind,
                    one.severity,
                    one.role,
                    name,
                    one.quote,
                    one.what,
                    one.mend,
                    by=asker.by.partition(" ")[0],
                )
            )
        return Audited(in_order(kept), len(told)), tuple(told)

    result, _ = await ask(asker, question, check)
    return result


def accepted(path: Path) -> dict[str, str]:
    """The findings that people have accepted, each with the reason. Raises BadInput."""
    if not path.exists():
        return {}
    try:
        raw = path.read_bytes()
        if len(raw) > _MAX_BYTES:
            raise BadInput("is far too long", where=str(path))
        value = yaml.load(raw.decode("utf-8-sig"), Loader=yaml.CSafeLoader) or {}
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=str(path)) from None
    except (UnicodeDecodeError, yaml.YAMLError, RecursionError):
        raise BadInput("is not valid YAML", where=str(path), hint='one line each: "3fa9c1d2: why"') from None
    if not isinstance(value, dict) or not all(isinstance(why, str) and why.strip() for why in value.values()):
        raise BadInput("each finding needs its id and a reason", where=str(path), hint='"3fa9c1d2": why')
    return {str(key): why for key, why in value.items()}


def blocking(findings: Sequence[Mapping[str, Any]], waived: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """The serious findings that no one has accepted."""
    return [one for one in findings if one["severity"] == "serious" and one["id"] not in waived]
