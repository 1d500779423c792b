"""Cards for the tests of memory."""

from __future__ import annotations

from typing import Any

from osler.memory.card import Card, Components, Origin, Scope


def origin(number: int = 0, **changes: Any) -> Origin:
    """The origin of a card of case `case-NUMBER`, alone in its cluster, written at position NUMBER."""
    fields = {
        "case": f"case-{number}",
        "cluster": f"cluster-{number}",
        "episode": f"episode-{number}",
        "run": "run",
        "position": number,
    }
    return Origin.model_validate({**fields, **changes})


def card(number: int = 0, **changes: Any) -> Card:
    """A card of case NUMBER; `changes` replace its fields."""
    fields: dict[str, Any] = {
        "kind": "case",
        "content": f"What happened in consultation {number}.",
        "outcome": "right",
        "feedback": "judge",
        "origin": origin(number),
        "scope": Scope(),
        "components": Components(dialogue=f"complaint {number}"),
    }
    return Card.model_validate({**fields, **changes})
