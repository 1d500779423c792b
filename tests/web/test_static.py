"""The pages: sent from a list that was made at the start, so that no address reaches a file."""

from __future__ import annotations

import gzip
from importlib.resources import files

import pytest

from osler.web.house import House
from tests.web.conftest import ask

DIST = files("osler.web") / "dist"


@pytest.mark.parametrize(
    "path", ["/", "/practise", "/practise/abc", "/runs/r-1/3", "/nothing", "/index.html"]
)
def test_every_address_of_a_page_gives_the_page(house: House, path: str) -> None:
    told = ask(house, "GET", path)
    assert told.status_code == 200
    assert told.headers["content-type"] == "text/html; charset=utf-8"
    assert '<div id="root">' in told.text


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/nothing", "/assets/nothing.js", "/assets/", "/assets"]
)
def test_what_is_no_page_is_not_there(house: House, path: str) -> None:
    told = ask(house, "GET", path)
    assert told.status_code == 404
    assert told.json()["what"] == "there is nothing at this address"


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/assets/../../schemas.py",
        "/..%2f..%2fguard.py",
        "/%2e%2e/%2e%2e/guard.py",
        "/assets/..%5c..%5cguard.py",
        "//etc/passwd",
        "/dist/index.html",
        "/BUILD",
        "/assets/index.js.gz",
        "/file:///etc/passwd",
    ],
)
def test_no_address_reaches_a_file_that_is_not_listed(house: House, path: str) -> None:
    told = ask(house, "GET", path)
    assert told.status_code == 404 or '<div id="root">' in told.text
    assert "root:" not in told.text


def test_a_file_is_sent_as_it_was_built_packed_if_the_browser_can(house: House) -> None:
    built = (DIST / "assets" / "index.js").read_bytes()
    packed = ask(house, "GET", "/assets/index.js", headers={"accept-encoding": "br, gzip;q=0.8"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == built
    assert int(packed.headers["content-length"]) < len(built)
    plain = ask(house, "GET", "/assets/index.js", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == built == gzip.decompress((DIST / "assets" / "index.js.gz").read_bytes())
    assert plain.headers["vary"] == packed.headers["vary"] == "accept-encoding"


def test_a_file_that_the_browser_has_is_not_sent_again(house: House) -> None:
    first = ask(house, "GET", "/assets/index.js")
    again = ask(house, "GET", "/assets/index.js", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = ask(house, "GET", "/assets/index.js", headers={"if-none-match": 'W/"something else"'})
    assert other.status_code == 200


def test_head_tells_what_get_would(house: House) -> None:
    told, whole = (ask(house, method, "/assets/index.css") for method in ("HEAD", "GET"))
    assert (told.status_code, told.headers["etag"]) == (200, whole.headers["etag"])


@pytest.mark.slow
def test_every_built_file_has_a_kind_that_is_sent(house: House) -> None:
    there = {one.name for one in (DIST / "assets").iterdir() if not one.name.endswith(".gz")}
    for name in there:
        assert ask(house, "GET", f"/assets/{name}").status_code == 200, name
