"""Submissions that are made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.studies.bench.submissions import CONSULTATIONS, OTHERS, submitted


@pytest.fixture(scope="session")
def consultations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A submission of a model, a trivial doctor, an oracle and a doctor whose code fails."""
    return submitted(tmp_path_factory.mktemp("consultations"), CONSULTATIONS)


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A submission of the trivial doctor alone."""
    return submitted(tmp_path_factory.mktemp("alone"), {"trivial": CONSULTATIONS["trivial"]})


@pytest.fixture(scope="session")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A submission of a round and a station."""
    return submitted(tmp_path_factory.mktemp("others"), OTHERS)
