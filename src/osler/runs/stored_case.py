"""Stored cases: the cases as they were played, even if their files have changed or gone since."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from osler.cases.model import Case
from osler.cases.pictures import files_in
from osler.cases.scenarios.model import Scenario
from osler.errors import BadInput, in_words
from osler.runs.cached_source import InMemory
from osler.store.store import Store

C = TypeVar("C", bound=BaseModel)


class StoredCase(InMemory[C]):
    """A source of a single case from a store, such as the one that a branch continues."""

    def __init__(self, label: str, case: C) -> None:
        fingerprint: str = case.content_hash  # type: ignore[attr-defined]  # every case has one
        super().__init__(label, (case,), fingerprint)


def stored_cases(store: Store) -> Callable[[str], Case]:
    """Return a lookup of cases; see `stored`."""
    return stored(store, Case)


def stored_scenarios(store: Store) -> Callable[[str], Scenario]:
    """Return a lookup of scenarios; see `stored`."""
    return stored(store, Scenario)


def stored(store: Store, model: type[C]) -> Callable[[str], C]:
    """Return a lookup of stored cases (or scenarios) by content hash, with an LRU cache of a few hundred.

    The lookup raises BadInput if the store lacks the case, or this version of Osler cannot read it.
    """

    @lru_cache(maxsize=256)
    def case_of(case_hash: str) -> C:
        body = store.case(case_hash)
        if body is None:
            raise BadInput("a case of this run is not in the store", where=case_hash)
        try:
            case = model.model_validate_json(body)
        except ValidationError as error:
            raise BadInput(
                f"this version of Osler can no longer read the stored case: {in_words(error)}",
                where=case_hash,
                hint="use the Osler that the run was played with (osler runs --json names it)",
            ) from None
        for picture in files_in(case):
            picture.lies_at(partial(store.picture, picture.sha256))
        return case

    return case_of
