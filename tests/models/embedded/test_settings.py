"""`gguf` in `osler.toml`: what follows from it, and what it cannot stand beside."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from osler.errors import BadInput
from osler.models.config import Config, config_of, load_config
from osler.models.embedded.server import server_of
from osler.models.embedded.settings import default_threads
from osler.models.settings import with_settings


def read(*lines: str) -> Config:
    return config_of(tomllib.loads("\n".join(["[endpoints.one]", *lines])))


def test_a_file_is_all_that_has_to_be_named() -> None:
    one = read('gguf = "/w/tiny.gguf"').endpoint("one")
    assert (one.model, one.gguf, one.local) == ("tiny", Path("/w/tiny.gguf"), True)
    assert (one.price_in, one.price_cached, one.price_out) == (0, 0, 0)
    assert (one.max_in_flight, one.timeout_s) == (1, 600)


def test_what_is_said_counts_more_than_what_follows() -> None:
    lines = 'model = "m"', "parallel = 3", "timeout_s = 9", "price_in = 1.0", "price_out = 2.0"
    one = read('gguf = "/w/tiny.gguf"', *lines).endpoint("one")
    assert (one.model, one.max_in_flight, one.timeout_s) == ("m", 3, 9)
    assert (one.price_in, one.price_cached) == (1, None)


def test_other_endpoints_are_local_where_they_say_so() -> None:
    address = 'base_url = "http://127.0.0.1:8000/v1"\nmodel = "m"'
    assert not read(address).endpoint("one").local
    one = read(address, "local = true").endpoint("one")
    assert one.local
    assert one.price_in is None, "a machine of one's own may be rented"


def test_a_place_is_relative_to_the_file_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    (tmp_path / "osler.toml").write_text(
        '[endpoints.one]\ngguf = "w/a.gguf"\n[endpoints.two]\ngguf = "~/b.gguf"\n'
    )
    found = load_config(tmp_path / "osler.toml")
    assert found.endpoint("one").gguf == tmp_path / "w/a.gguf"
    assert found.endpoint("two").gguf == Path("/home/somebody/b.gguf")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('base_url = "http://127.0.0.1:1/v1"', "leave out base_url"),
        ('key_env = "MY_KEY"', "leave out key_env"),
        ("trust_env = true", "leave out trust_env"),
        ('kind = "mine"', "leave out kind"),
        ("local = false", "leave out local"),
        ("threads = 0", "greater than or equal to 1"),
        ("context = 10", "greater than or equal to 512"),
        ("paralel = 1", "did you mean parallel?"),
    ],
)
def test_what_cannot_stand_beside_a_file_is_refused(line: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        read('gguf = "/w/tiny.gguf"', line)
    assert said in str(caught.value)


def test_settings_of_a_server_without_a_file_are_refused() -> None:
    with pytest.raises(BadInput, match="threads is for an endpoint with `gguf`"):
        read('base_url = "http://127.0.0.1:1/v1"', 'model = "m"', "threads = 2")


def test_a_setting_of_a_command_names_no_file() -> None:
    """It is a field of the requests' bodies: what is served stands in osler.toml alone."""
    given = {"one": {"gguf": "/etc/passwd", "temperature": 0.1}}
    one = with_settings(read('gguf = "/w/tiny.gguf"', "threads = 2"), given).endpoint("one")
    assert (one.gguf, one.threads) == (Path("/w/tiny.gguf"), 2)
    assert one.extra == {"gguf": "/etc/passwd", "temperature": 0.1}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the cores of a process cannot be set here")
def test_one_core_is_left_to_osler() -> None:
    cores = os.sched_getaffinity(0)
    assert default_threads() == max(1, len(cores) - 1)
    try:
        os.sched_setaffinity(0, {min(cores)})
        assert default_threads() == 1
    finally:
        os.sched_setaffinity(0, cores)


@pytest.mark.parametrize(
    ("content", "said", "mend"),
    [
        (None, "there is no file", "relative to the folder of osler.toml"),
        (b"PK\x03\x04 and more", "is not in the GGUF format", "have to be converted"),
        (b"", "is not in the GGUF format", "have to be converted"),
        ("folder", "is a folder", "the file inside it"),
    ],
)
def test_a_file_that_cannot_be_served_is_refused_before_anything_is_asked(
    content: bytes | str | None, said: str, mend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "stand_in"))
    file = tmp_path / "tiny.gguf"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content:
        file.mkdir()
    with pytest.raises(BadInput) as caught:
        server_of(read(f'gguf = "{file}"').endpoint("one"))
    assert str(file) in caught.value.what
    assert said in caught.value.what
    assert mend in caught.value.hint
    assert caught.value.where == "endpoint one"


def test_without_the_library_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("osler.models.embedded.server.find_spec", lambda name: None)
    with pytest.raises(BadInput) as caught:
        server_of(read('gguf = "/w/tiny.gguf"').endpoint("one"))
    assert caught.value.hint == "pip install -e '.[local]' in Osler's folder"
