"""The shelf: what may be practised, under titles and ids that give nothing away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from osler.core.config import Config, config_type
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named, protocols
from osler.core.role import PERSON
from osler.errors import BadInput
from osler.store import practice
from osler.web.house import House
from osler.web.practise.schemas import SitDown

_KEY: Final = "shelf"
_DIGITS: Final = 12


class Shelved(NamedTuple):
    """A case on the shelf: its opaque id, its protocol, and the case itself."""

    id: str
    protocol: Protocol
    case: Any

    @property
    def label(self) -> Any:
        """Its label on the shelf; `None` for a case without one, as those of a plug-in are."""
        return getattr(self.case, "shelf", None)

    @property
    def title(self) -> str:
        """A title that a learner may read before playing."""
        return self.label.title if self.label else f"Case {self.id[:4]}"

    @property
    def distressing(self) -> bool:
        """Whether it may distress a learner."""
        provenance = getattr(self.case, "provenance", None)
        return bool(getattr(provenance, "content_warnings", ()))


def seats_of(protocol: Protocol) -> list[str]:
    """The seats of a protocol that a person may take, the one that a learner usually takes first."""
    usual = protocol.learner
    roles = sorted((role for role in protocol.roles if role.person), key=lambda role: role.name != usual)
    return [f"{role.name}_1" if role.many else role.name for role in roles]


def plain_config(protocol: Protocol) -> Config:
    """The configuration of a protocol's own cases, with its default players."""
    return config_type(protocol)()


def configured(
    protocol: Protocol, shelved: Shelved, wanted: SitDown, people: Sequence[str] = (), students: int = 0
) -> Any:
    """The configuration of a sitting: the protocol's own, for one case, with a person in the seat, or in
    those of several `people`, and a person's limits. `students` is the size of a cohort."""
    config = plain_config(protocol).model_copy(update={"only": shelved.case.id})
    if "persona" in type(config).model_fields and wanted.persona:
        config = config.model_copy(update={"persona": wanted.persona})
    if students:
        config = config.model_copy(update={"students": students})
    seats = people or (wanted.seat or protocol.under_test,)
    return config.seated({**wanted.players, **dict.fromkeys(seats, PERSON)}).practised()


class ShelfOf:
    """The shelf of one house. Its ids are keyed by a secret of the store, so that none can be guessed."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._by_id: dict[str, Shelved] | None = None

    def all(self) -> Mapping[str, Shelved]:
        """Every case by its opaque id. Call in a thread: the first call reads the library."""
        if self._by_id is None:
            key = practice.secret(self._house.store, _KEY)
            result = {}
            for protocol in protocols():
                for case in self._cases(protocol):
                    one = Shelved(_opaque(key, protocol.name, case.id), protocol, case)
                    result[one.id] = one
            self._by_id = result
        return self._by_id

    def find(self, protocol: str, case: str) -> Shelved:
        """The case with an opaque id, or a library id, in a protocol. Raises BadInput."""
        shelved = self.all()
        if (result := shelved.get(case)) and result.protocol.name == protocol:
            return result
        wanted = protocol_named(protocol)
        for one in shelved.values():
            if one.protocol is wanted and case in (one.case.id, one.case.id.partition("/")[0]):
                return one
        raise BadInput("there is no such case on the shelf", where=case[:40], hint="choose one of the shelf")

    def _cases(self, protocol: Protocol) -> list[Any]:
        try:
            return [case for case in self._house.source(plain_config(protocol)) if hasattr(case, "id")]
        except (BadInput, ValueError):  # a plug-in whose cases must be named has no shelf
            return []


def _opaque(key: bytes, protocol: str, case: str) -> str:
    return blake2b(f"{protocol}/{case}".encode(), key=key, digest_size=_DIGITS).hexdigest()
