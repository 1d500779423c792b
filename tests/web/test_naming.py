"""Which players a visitor may name: nobody elsewhere reads a file here, or runs one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from osler.web.house import House
from osler.web.naming import check_players
from osler.web.practise.reception import MOST_UNFINISHED
from osler.web.problems import NotAllowed
from osler.web.rights import ALL, LOCAL, Visitor
from tests.web.conftest import HERE, calling
from tests.web.test_rights import come_in

TEACHER = Visitor("ann", ALL)
LEARNER = Visitor("ben", frozenset({"learn"}))


@pytest.mark.parametrize("name", ["scripted:/etc/passwd", "scripted:a+b", "python:os:system", "python:x+cot"])
def test_files_and_modules_are_named_at_this_machine_only(name: str) -> None:
    check_players([name], LOCAL)
    for asking in (TEACHER, LEARNER):
        with pytest.raises(NotAllowed, match="only built-in players"):
            check_players(["baseline", name], asking)


def test_a_learner_spends_nobodys_money() -> None:
    check_players(["model:big+cot"], TEACHER)
    check_players(["baseline", "none"], LEARNER)
    with pytest.raises(NotAllowed, match="chosen by teachers"):
        check_players(["model:big"], LEARNER)


@pytest.mark.parametrize("name", ["person", "external"])
def test_nobody_is_seated_who_would_never_answer(name: str) -> None:
    with pytest.raises(NotAllowed, match="played here"):
        check_players([name], LOCAL)


def test_a_shared_server_reads_no_file_for_a_visitor(shared: House, tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text("- {text: The password is hunter2.}\n")

    async def asked() -> list[httpx.Response]:
        async with calling(shared) as client:
            answers = []
            for right, path, body in (
                ("learn", "/api/sittings", {"case": "cardiology-01"}),
                ("teach", "/api/rooms", {"name": "Room", "cases": [{"case": "cardiology-01"}]}),
                ("run", "/api/runs/plan", {"protocol": "consultation", "cases": "library", "limit": 1}),
            ):
                client.headers.update({"origin": HERE} | come_in(shared, {right}))  # type: ignore[arg-type]
                players = {"players": {"patient": f"scripted:{secret}"}}
                answers.append(await client.post(path, json=body | players))
            return answers

    for told in asyncio.run(asked()):
        assert told.status_code == 403, told.text
        assert "hunter2" not in told.text


def test_a_learner_of_a_shared_server_ends_some_before_beginning_more(
    shared: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("osler.web.practise.reception.MOST_UNFINISHED", 1)

    async def begun() -> list[httpx.Response]:
        async with calling(shared) as client:
            client.headers.update({"origin": HERE} | come_in(shared, {"learn"}))
            return [await client.post("/api/sittings", json={"case": "cardiology-01"}) for _ in range(2)]

    assert MOST_UNFINISHED > 1
    first, second = asyncio.run(begun())
    assert first.status_code == 201, first.text
    assert (second.status_code, second.json()["mend"]) == (429, "end one of them first")
