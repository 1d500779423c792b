"""The fields that a card must hold: one that lacks a field is refused by the field's name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, ValidationError

from osler.core.events import Frozen
from osler.core.measure import Better
from osler.errors import BadInput, Status, in_words
from osler.studies.bench.card_hashes import card_hash
from osler.studies.bench.run_card import SCHEMA, Json
from osler.studies.bench.spending import Spending

MOST_BYTES: Final = 64_000_000
"""The largest card that is read."""


class Submitter(Frozen):
    """A card's submitter: who it is, the relation to the model, when it was played, and what else to know."""

    submitter: str = Field(min_length=1)
    relation: Literal["first-party", "third-party"]
    made_on: str = Field(min_length=1)
    notes: str


class Contamination(Frozen):
    """The submitter's statement on the training of the model: its cut-off, and whether on these cases."""

    cutoff: str = Field(min_length=1)
    trained_on: Literal["no", "yes", "unknown"]


class FigureOnCard(Frozen):
    """A figure with its interval, `None` where there is none, and the encounters that it rests on."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int


class MeasureOnCard(FigureOnCard):
    """A measure, its better direction and range, and its figure."""

    words: str
    means: str
    better: Better
    least: float | None
    most: float | None


class Beside(Frozen):
    """The trivial players and the oracle on the same cases."""

    floors: dict[str, FigureOnCard]
    oracle: dict[str, FigureOnCard]


class PatientOnCard(Frozen):
    """The player in the patient's seat and its models."""

    player: str
    models: list[str]


class EndpointOnCard(Frozen):
    """An endpoint: its model, settings, sampling as it was sent, and the models that its answers named."""

    model: str | None
    settings: dict[str, Any]
    sampling: list[dict[str, Any]]
    reported: list[str]


class JudgeOnCard(Frozen):
    """A judge: its measured agreement, on whose labels, its versions, its models and their kin."""

    agreement: str
    labelled_by: str
    versions: dict[str, int]
    models: list[str]
    kin: list[str]


class RunOnCard(Frozen):
    """A run on a card."""

    run: str
    player: str
    role: str
    seat: str
    seats: dict[str, str]
    models_by_seat: dict[str, list[str]]
    patient: PatientOnCard
    protocol: str
    standing: Literal["standard", "custom"]
    differs: list[str]
    configuration: str
    limits: dict[str, Any]
    cases: str
    cases_fingerprint: str
    cases_played: str
    seed: int
    repeats: int
    worlds: int
    osler: str
    knowledge: str
    episodes: int
    planned: int
    withheld: int
    clusters: int
    ended: dict[Status, int]
    causes: dict[str, int]
    headline: str
    headline_bounds: list[float] | None
    notes: list[str]
    measures: dict[str, MeasureOnCard]
    unscored_because: dict[str, dict[str, int]]
    beside: Beside
    models: dict[str, EndpointOnCard]
    spent: dict[str, dict[str, Spending]]
    judges: dict[str, JudgeOnCard]
    kinship: list[str]
    export: str
    traces: dict[str, str]


class Card(Frozen):
    """A card as it is written."""

    schema_: int = Field(alias="schema", ge=SCHEMA, le=SCHEMA)
    submitter: Submitter
    contamination: Contamination
    osler: str
    package: str
    knowledge: str
    prompts: str
    use: str
    runs: list[RunOnCard] = Field(min_length=1)
    hash: str


def check_fields(card: Mapping[str, Any], where: str) -> None:
    """Raise BadInput, naming the field, for a card that lacks one, or has one that is not as it must be."""
    try:
        Card.model_validate_json(json.dumps(card))
    except ValidationError as error:
        raise BadInput(f"is no whole card: {in_words(error)}", where=where) from None


def read_card(path: Path) -> Json:
    """Read a card that has every field and its own hash. Raises BadInput."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadInput(f"is larger than {MOST_BYTES // 1_000_000} MB", where=str(path))
        card = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", where=str(path)) from None
    except (ValueError, RecursionError):
        raise BadInput("is no card", where=str(path)) from None
    if not isinstance(card, dict):
        raise BadInput("is no card", where=str(path))
    check_fields(card, str(path))
    if card["hash"] != card_hash(card):
        raise BadInput("is not what its hash says", where=str(path), hint="osler bench verify FOLDER")
    return card
