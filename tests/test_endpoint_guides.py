"""docs/endpoints.md: each block is read as it is written and plays a consultation against a server with that
provider's peculiarities; only the host is replaced."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from osler.models.client import EndpointClient
from osler.models.config import Endpoint, config_of
from osler.models.types import Completion, CompletionRequest, Message
from osler.protocols.consultation.model.schemas import doctor_form
from osler.testing.quirks import QUIRKS
from tests.endpoints import running
from tests.testing.playing import SWIFT, played

DOCUMENT = (Path(__file__).parent.parent / "docs" / "endpoints.md").read_text(encoding="utf-8")
KEY = "Zq7-recognizable-9Xw4-key"
WANTED = "vllm sglang llama.cpp ollama anthropic gemini azure-v1 azure-classic openrouter bedrock".split()


class Block(NamedTuple):
    """A block, and the quirk of the server it is for."""

    quirk: str
    text: str


BLOCKS = [
    Block(*found) for found in re.findall(r"<!-- endpoint (\S+) -->\n```toml\n(.*?)```", DOCUMENT, re.DOTALL)
]
FILES = re.findall(r"<!-- file -->\n```toml\n(.*?)```", DOCUMENT, re.DOTALL)
NAMED = pytest.mark.parametrize("block", BLOCKS, ids=[block.quirk for block in BLOCKS])


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    with running() as url:
        yield url.removesuffix("/v1")


def at(root: str, block: Block) -> tuple[str, str]:
    """The block with its host replaced, and its endpoint's name."""
    text, replaced = re.subn(
        r'base_url = "https?://[^/]+', f'base_url = "{root}/quirks/{block.quirk}', block.text
    )
    assert replaced == 1
    [name] = tomllib.loads(text)["endpoints"]
    return text, name


def keys_of(endpoint: Endpoint) -> dict[str, str]:
    named = re.findall(r"env:(\w+)", " ".join(endpoint.headers.values()))
    return dict.fromkeys([*named, *filter(None, [endpoint.key_env])], KEY)


def test_every_server_and_provider_has_its_block() -> None:
    quirks = [block.quirk for block in BLOCKS]
    assert set(WANTED) <= set(quirks) <= set(QUIRKS)
    assert DOCUMENT.count("```toml") == len(BLOCKS) + len(FILES)


@pytest.mark.parametrize("text", FILES)
def test_a_file_of_weights_is_all_that_its_block_names(text: str) -> None:
    [(name, endpoint)] = config_of(tomllib.loads(text)).endpoints.items()
    assert endpoint.local
    assert (name, endpoint.price_in) == ("mine", 0)


@NAMED
def test_a_block_plays_a_consultation(block: Block, root: str, tmp_path: Path) -> None:
    text, name = at(root, block)
    found = config_of(tomllib.loads(text))
    ended = played(found, name, tmp_path, keys_of(found.endpoint(name)))
    assert ended.status == "completed", ended
    assert not [one for one in ended.attempts if one["at"] == "refused"]


@NAMED
def test_a_block_says_enough_for_the_first_request_to_be_taken(block: Block, root: str) -> None:
    text, name = at(root, block)
    endpoint = config_of(tomllib.loads(text)).endpoint(name)

    async def ask() -> Completion:
        environ = keys_of(endpoint)
        messages = (Message(role="system", text="You are the doctor."), Message(role="user", text="Begin."))
        request = CompletionRequest(messages=messages, output=doctor_form("ASK", "WAIT"), seed=1, once=True)
        async with EndpointClient(endpoint, endpoint.key(environ), manners=SWIFT, environ=environ) as client:
            return await client.complete(request)

    refused = [one for one in asyncio.run(ask()).attempts if one.outcome != "ok"]
    bounds = [one for one in refused if "maxItems" in one.detail]
    assert refused == bounds, "only the bounds of lists have to be found out"


@NAMED
def test_a_block_without_its_key_is_refused(block: Block, root: str, tmp_path: Path) -> None:
    text, name = at(root, block)
    endpoint = config_of(tomllib.loads(text)).endpoint(name)
    if not keys_of(endpoint):
        pytest.skip("a server on your own machine wants no key")
    bare = endpoint.model_copy(update={"key_env": None, "headers": {}})
    config = config_of({}).model_copy(update={"endpoints": {name: bare}})
    ended = played(config, name, tmp_path, {})
    assert (ended.status, "auth" in ended.why) == ("paused", True)
