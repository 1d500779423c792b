"""An audit finding: the fault, its severity, and a hint on fixing it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, get_args

from osler.authoring.scenarios.layout import Role
from osler.authoring.scenarios.steps import digest
from osler.core.events import Frozen

Severity = Literal["serious", "moderate", "minor"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
Kind = Literal[
    "diagnosis_leak",
    "evaluation_leak",
    "finding_leak",
    "id_leak",
    "leak",
    "empty_role",
    "age",
    "sex",
    "vital_sign",
    "no_items",
    "one_role_only",
    "not_in_source",
    "contradiction",
    "other",
]
_SHOWN: Final = 300


class Finding(Frozen):
    """One audit finding. `file` is role/name; `by` is `rules` or the model that reported it."""

    id: str
    kind: Kind
    severity: Severity
    role: Role
    file: str
    quote: str
    what: str
    mend: str
    by: str = "rules"


def finding(
    kind: Kind, severity: Severity, role: Role, file: str, quote: str, what: str, mend: str, by: str = "rules"
) -> Finding:
    """A finding with an id of 8 hex digits that stays the same as long as its content does."""
    shown = " ".join(quote.split())[:_SHOWN]
    return Finding(
        id=digest(kind, role, file, shown, what)[:8],
        kind=kind,
        severity=severity,
        role=role,
        file=f"{role}/{file}" if file else role,
        quote=shown,
        what=what,
        mend=mend,
        by=by,
    )


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings without duplicates, the most serious first."""
    kept = {one.id: one for one in findings}
    return tuple(sorted(kept.values(), key=lambda f: (SEVERITIES.index(f.severity), f.file, f.kind, f.id)))
