"""The findings that built-in players know: their names, the question or the order that obtains each."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from osler.errors import BadInput

Kind = Literal["symptom", "history", "sign", "test"]
FILE: Final = Path(__file__).with_name("findings.yaml")
Range = tuple[float, float]


class Finding(BaseModel):
    """A clinical finding that may be present or absent.

    `forms` (symptom, history) and `positive` (sign, test) are wordings that affirm it, `negative` wordings
    that deny it. `analytes` with `direction` read a laboratory value: by a qualifier ("raised"), by a
    reference range in the text, or else by a number inside `positive_range` or `negative_range` (units are
    told apart by magnitude). Affirming a finding affirms all it `implies`; denying it says nothing of those.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    name: str
    kind: Kind
    ask: str | None = None
    order: str | None = None
    forms: tuple[str, ...] = ()
    positive: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()
    analytes: tuple[str, ...] = ()
    direction: Literal["high", "low"] | None = None
    positive_range: tuple[Range, ...] = ()
    negative_range: tuple[Range, ...] = ()
    implies: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _can_be_obtained(self) -> Self:
        if (self.kind in ("symptom", "history")) != (self.ask is not None):
            raise ValueError("a symptom or a history item needs `ask`, and nothing else has it")
        if (self.kind in ("sign", "test")) != (self.order is not None):
            raise ValueError("a sign or a test needs `order`, and nothing else has it")
        if not (self.forms or self.positive or self.analytes):
            raise ValueError("no wording would ever be read as this finding")
        if bool(self.analytes) != (self.direction is not None):
            raise ValueError("`analytes` and `direction` go together")
        return self

    @property
    def request(self) -> str:
        """The words that obtain it: the question to ask, or the name to order."""
        return self.ask or self.order or self.name


_Entries = TypeAdapter(dict[Kind, dict[str, dict[str, object]]])
_Findings = TypeAdapter(tuple[Annotated[Finding, Field()], ...])


def load_findings(path: Path) -> tuple[Finding, ...]:
    """Read a findings file. Raises `BadInput` naming the invalid entry."""
    try:
        kinds = _Entries.validate_python(yaml.load(path.read_text("utf-8"), Loader=_LOADER))  # noqa: S506 - both loaders are the safe ones
        rows = [
            {**entry, "id": name, "kind": kind} for kind, of in kinds.items() for name, entry in of.items()
        ]
        findings = _Findings.validate_python(rows)
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise BadInput(f"the findings cannot be read: {error}", where=str(path)) from error
    ids = [item.id for item in findings]
    unknown = {i for item in findings for i in item.implies} - set(ids)
    doubled = {i for i in ids if ids.count(i) > 1}
    if unknown or doubled:
        raise BadInput(f"unknown or duplicate finding ids: {sorted(unknown | doubled)}", where=str(path))
    return findings


_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@lru_cache(maxsize=1)
def findings() -> tuple[Finding, ...]:
    """Every finding of the packaged file, in the order of the file."""
    return load_findings(FILE)


@lru_cache(maxsize=1)
def _by_id() -> dict[str, Finding]:
    return {item.id: item for item in findings()}


def finding(id: str) -> Finding:
    """The finding with this id. Raises `KeyError` if there is none."""
    return _by_id()[id]
