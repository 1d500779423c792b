"""A real language model for all tests of this folder, served once by Osler itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from osler.models.embedded.server import end_servers
from tests.conftest import UNREACHABLE
from tests.real_models.weights import UnreachableError, weights

LONGEST_ANSWER = 120
"""In tokens: the model says little that is worth more, and an answer that is cut is a case to be tested."""


@pytest.fixture(scope="session")
def file() -> Path:
    """The weights, or nothing is tested where they cannot be had."""
    try:
        return weights()
    except UnreachableError as error:
        pytest.skip(f"{UNREACHABLE}: {error}")


@pytest.fixture(scope="session")
def toml(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An osler.toml with the endpoint `tiny`; its server ends with the tests."""
    path = tmp_path_factory.mktemp("models") / "osler.toml"
    path.write_text(
        f'[endpoints.tiny]\ngguf = "{file}"\ncontext = 8192\n'
        f"max_answer_tokens = {LONGEST_ANSWER}\nextra = {{temperature = 0.0}}\n"
    )
    yield path
    end_servers()
