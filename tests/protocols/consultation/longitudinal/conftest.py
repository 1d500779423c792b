"""The tests run over both databases, as the store's do; one small study is played for all to read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from osler.protocols.consultation.longitudinal.design import Design
from osler.protocols.consultation.longitudinal.findings import LongitudinalReport
from osler.protocols.consultation.longitudinal.run_stream import Studied
from osler.protocols.consultation.longitudinal.run_study import run_here, sits, studied
from osler.store.store import Store, open_store
from tests.store.conftest import url as url

Played = tuple[LongitudinalReport, Store]
DESIGN = Design(
    cases="generated:40:1", by="random", blocks=2, orders=1, seeds=2, taught=4, probes=2, reserved=0.05
)


@pytest.fixture(scope="session")
def study() -> Studied:
    return studied(DESIGN)


@pytest.fixture(scope="session")
def played(study: Studied, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    with open_store(tmp_path_factory.mktemp("whole") / "s.db") as store:
        yield run_here(study, store, sits(study, store, 4), lambda _: None), store
