"""`osler.toml`: every mistake is told in plain words, and no key is ever repeated."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from osler.errors import BadInput
from osler.models.config import Config, config_of, find_config, load_config

GOOD = """
[endpoints.one]
base_url = "http://127.0.0.1:8000/v1/"
model = "m"
key_env = "ONE_KEY"
price_in = 1.0
price_out = 2
capabilities = {images = true}
extra = {top_k = 3}
"""
LITERAL = "sk-proj-abcdefghijklmnop"


def read(text: str) -> Config:
    return config_of(tomllib.loads(text))


def endpoint(line: str) -> str:
    return f'[endpoints.one]\nbase_url = "http://h/v1"\nmodel = "m"\n{line}\n'


def test_a_file_is_read() -> None:
    one = read(GOOD).endpoint("one")
    assert (one.name, one.base_url, one.model) == ("one", "http://127.0.0.1:8000/v1", "m")
    assert one.capabilities.images
    assert not one.judge
    key = one.key({"ONE_KEY": "value-of-the-key"})
    assert key is not None
    assert key.reveal() == "value-of-the-key"
    assert "value-of-the-key" not in repr(key) + repr(one)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("modle = 'x'", "unknown field endpoints.one.modle (did you mean model?)"),
        ("capabilities = {vision = true}", "unknown field endpoints.one.capabilities.vision (there are:"),
        ("name = 'two'", "the table's name is its name"),
        ("max_in_flight = 0", "greater than or equal to 1"),
        ("timeout_s = inf", "finite"),
        ("price_in = 1.0", "go together"),
        ("price_in = -1.0\nprice_out = 1", "greater than or equal to 0"),
        ("extra = {messages = []}", "must not set messages"),
        ("judge = 'perhaps'", "valid boolean"),
    ],
)
def test_mistakes_are_told_where_they_stand(line: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(endpoint(line))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "h/v1",
        "ftp://h/v1",
        "file:///etc/passwd",
        "http://",
        "http://[h/v1",
        "http://h:port/v1",
        "http://name:passphrase@h/v1",
        "http://h/v1?version=1",
        "http://h/v1/chat/completions",
    ],
)
def test_bad_addresses_are_refused(url: str) -> None:
    with pytest.raises(BadInput, match="base_url") as caught:
        read(f'[endpoints.one]\nmodel = "m"\nbase_url = "{url}"')
    assert "passphrase" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        endpoint(f"key_env = '{LITERAL}'"),
        endpoint("key_env = 'abcdef0123456789'"),
        endpoint("key_env = 'AKIAIOSFODNN7EXAMPLE'"),
        endpoint("key_env = 'ABCDEFGH01234567'"),
        endpoint(f"api_key = '{LITERAL}'"),
        endpoint("key = 'anything'"),
        endpoint(f"extra = {{a = [{{b = 'Bearer {LITERAL}'}}]}}"),
        endpoint("extra = {api_key = 'anything'}"),
        endpoint(f"model = '{LITERAL}'").replace('model = "m"\n', ""),
        f"[endpoints.{LITERAL}]\nmodel = 'm'",
        f"token = '{LITERAL}'",
    ],
)
def test_a_key_in_the_file_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(BadInput, match="NAME") as caught:
        read(text)
    for part in (LITERAL, "abcdef0123456789", "AKIAIOSFODNN7EXAMPLE", "ABCDEFGH01234567", "anything"):
        assert part not in str(caught.value)


@pytest.mark.parametrize(
    "model", ["llama3370binstruct", "skylark-model-v10", "hf-tiny", "org/Meta-Llama-3.1-8B"]
)
def test_the_names_of_models_are_no_keys(model: str) -> None:
    assert read(endpoint("").replace('"m"', f'"{model}"')).endpoint("one").model == model


@pytest.mark.parametrize("environ", [{}, {"ONE_KEY": " "}, {"ONE_KEY": "a\nb"}, {"ONE_KEY": "kéy"}])
def test_a_variable_that_holds_no_key_is_named(environ: dict[str, str]) -> None:
    with pytest.raises(BadInput, match="ONE_KEY"):
        read(GOOD).endpoint("one").key(environ)


def test_an_unknown_endpoint_is_told_with_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"there is no osler\.toml"):
        load_config(None).endpoint("one")
    file = tmp_path / "osler.toml"
    file.write_text(GOOD)
    with pytest.raises(BadInput, match="did you mean one"):
        load_config(file).endpoint("onne")
    with pytest.raises(BadInput, match="there are: one"):
        load_config(file).endpoint("zebra")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"key = {LITERAL}".encode(), "is not valid TOML: at line 1"),
        (b"\xff\xfe", "UTF-8"),
        (b"endpoints = 3", "endpoints"),
        (b"[endpoints]\none = 3", "endpoints.one"),
        (b"[endpoint.one]", "did you mean endpoints?"),
        (b"[endpoints.one]\nmodel = 'm'", "base_url is missing"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(content: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "osler.toml"
    file.write_bytes(content)
    with pytest.raises(BadInput) as caught:
        load_config(file)
    assert said in str(caught.value)
    assert LITERAL not in str(caught.value)


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        load_config(tmp_path / "none.toml")


def test_the_file_is_what_is_given_then_what_the_variable_names_then_the_one_here(tmp_path: Path) -> None:
    here = tmp_path / "osler.toml"
    assert find_config(None, {}, tmp_path) is None
    here.write_text(GOOD)
    assert find_config(None, {}, tmp_path) == here
    assert find_config(None, {"OSLER_CONFIG": "a.toml"}, tmp_path) == Path("a.toml")
    assert find_config("b.toml", {"OSLER_CONFIG": "a.toml"}, tmp_path) == Path("b.toml")


def test_the_example_in_the_repository_is_a_good_file() -> None:
    example = load_config(Path(__file__).parents[2] / "osler.toml.example")
    assert set(example.endpoints) == {"file", "local", "cloud", "claude"}
