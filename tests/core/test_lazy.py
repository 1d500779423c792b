"""What is named by its import path is there, and is of the kind that its reader takes it for."""

from __future__ import annotations

from dataclasses import fields

import pytest

from osler.choreography.cues import Staging
from osler.core.lazy import Lazy, instance, load, subclass
from osler.core.protocol import Protocol
from osler.core.registry import protocols
from osler.core.summary import NoteTaker
from osler.errors import BadInput
from osler.players.casting import Casting
from osler.players.model.player import ModelPlayer
from osler.players.seating import forms_of
from osler.studies.audit import audit_of
from osler.studies.report_parts import parts_of


def test_a_path_is_loaded_and_anything_else_is_returned() -> None:
    path: Lazy[type[BadInput]] = Lazy("osler.errors:BadInput")
    assert load(path) is BadInput
    assert load(BadInput) is BadInput


def test_what_is_not_of_its_kind_is_refused() -> None:
    with pytest.raises(BadInput, match="no Protocol"):
        instance(Lazy("osler.errors:BadInput"), Protocol)
    with pytest.raises(BadInput, match="no subclass of Casting"):
        subclass(Lazy("osler.errors:BadInput"), Casting)
    with pytest.raises(BadInput, match="no subclass of Casting"):
        subclass("osler.players.casting:Casting", Casting)


@pytest.mark.parametrize("protocol", protocols(), ids=lambda one: one.name)
def test_all_that_a_protocol_names_is_there(protocol: Protocol) -> None:
    for field in fields(protocol):
        value = getattr(protocol, field.name)
        for one in value.values() if isinstance(value, dict) else [value]:
            assert load(one) is not None or one is None, field.name
    assert issubclass(load(protocol.notes), NoteTaker)
    assert forms_of(protocol)
    assert parts_of(protocol)
    assert audit_of(protocol)
    assert protocol.staging is None or instance(protocol.staging, Staging)


@pytest.mark.parametrize("protocol", protocols(), ids=lambda one: one.name)
def test_every_role_has_the_players_that_its_row_says(protocol: Protocol) -> None:
    forms = forms_of(protocol)
    for role in protocol.roles:
        assert role.model is not None
        kind = load(role.model)
        assert isinstance(kind, type)
        assert issubclass(kind, ModelPlayer)
        assert role.person_check is None or callable(load(role.person_check))
        if role.person:
            assert any(contract.view in forms for contract in role.contracts), role.name
        assert role.contracts[0].seat.startswith(role.name)
