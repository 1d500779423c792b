"""`osler visitors`: the owner sees who was let in, and ends links and visitors, on a running server too."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app
from osler.store.store import open_store
from osler.web.door import IN_PROCESS
from osler.web.house import House
from osler.web.rights import ALL
from tests.web.test_visitors import comes_in, cookie_of, enters, id_of, rights


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A shared house over the store that the commands use."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))
    with open_store() as store:
        yield House(store, door=IN_PROCESS._replace(until=time.time() + 3600))


def osler(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def listed() -> list[dict[str, Any]]:
    done = osler("visitors", "--json")
    assert done.exit_code == 0, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)["visitors"]
    return found


def test_links_and_visitors_are_listed_with_what_they_may_and_how_they_came(shared: House) -> None:
    token = shared.visitors.link(ALL)
    cookie = cookie_of(enters(shared, token))
    link, visitor = listed()
    assert (link["kind"], visitor["kind"]) == ("link", "visitor")
    assert link["rights"] == visitor["rights"] == sorted(ALL)
    assert (link["came_by"], visitor["came_by"]) == ([], [f"link {link['id']}"])
    assert visitor["id"] == id_of(shared, cookie)[:10]
    assert (visitor["sittings"], visitor["rooms"]) == (0, 0)
    assert link["since"] <= visitor["since"] < visitor["until"]
    shown = osler("visitors").stdout
    assert link["id"] in shown
    assert visitor["id"] in shown
    assert token not in shown + json.dumps(listed())
    assert cookie.partition("=")[2] not in shown + json.dumps(listed())


def test_a_link_is_revoked_with_the_rights_that_came_by_it(shared: House) -> None:
    token = shared.visitors.link(ALL)
    first, second, apart = (
        cookie_of(enters(shared, token)),
        cookie_of(enters(shared, token)),
        comes_in(shared, "watch"),
    )
    link = next(one for one in listed() if one["rights"] == sorted(ALL))
    done = osler("visitors", "revoke", link["id"], "--json")
    assert json.loads(done.stdout) == {"revoked": [link["id"]]}
    assert rights(shared, first) == rights(shared, second) == []
    assert rights(shared, apart) == ["watch"]
    assert enters(shared, token).status_code == 403
    assert link["id"] not in [one["id"] for one in listed()]


def test_a_visitor_is_revoked_and_the_link_works_on(shared: House) -> None:
    token = shared.visitors.link(ALL)
    one, other = (cookie_of(enters(shared, token)) for _ in range(2))
    assert osler("visitors", "revoke", id_of(shared, one)[:10]).exit_code == 0
    assert (rights(shared, one), rights(shared, other)) == ([], sorted(ALL))
    assert enters(shared, token).status_code == 200


@pytest.mark.parametrize("wrong", ["nobody", "", "%"])
def test_one_wrong_id_and_nothing_is_revoked(shared: House, wrong: str) -> None:
    cookie = comes_in(shared, *ALL)
    before = listed()
    done = osler("visitors", "revoke", before[0]["id"], wrong)
    assert done.exit_code == 1
    assert "is no id of a link or a visitor here" in done.stderr
    assert listed() == before
    assert rights(shared, cookie) == sorted(ALL)


def test_the_beginning_of_several_ids_is_none(shared: House) -> None:
    for _ in range(17):  # hex digits, and one more
        shared.visitors.link(ALL)
    twice = next(one for one in "0123456789abcdef" if sum(each["id"][0] == one for each in listed()) > 1)
    done = osler("visitors", "revoke", twice)
    assert (done.exit_code, "the beginning of several ids" in done.stderr) == (1, True)


def test_where_there_is_no_store_none_is_made(tmp_path: Path) -> None:
    missing = tmp_path / "missing.db"
    assert osler("visitors", "--store", str(missing)).exit_code == 1
    assert not missing.exists()


def test_who_has_come_to_a_store_without_visitors_is_nobody(shared: House) -> None:
    assert listed() == []
    assert "nobody was let in" in osler("visitors").stdout
