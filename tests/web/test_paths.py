"""Paths: nobody from outside is told where anything lies on the server's machine."""

from __future__ import annotations

import pytest

from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.web.house import House
from osler.web.paths import without_folders
from tests.web.teaching import CASE, Hall
from tests.web.test_whose_marks import tried


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/home/me/osler.db", "osler.db"),
        ("no such file: /srv/a/b.yaml, ~/c/d", "no such file: b.yaml, d"),
        ("scripted:/etc/passwd", "scripted:passwd"),
        ("--config=./conf/osler.toml", "--config=osler.toml"),
        (r"C:\osler\osler.db", "osler.db"),
        ("model:a/b and/or 3/4, 9 / 10", "model:a/b and/or 3/4, 9 / 10"),
        ("https://a.example/b/c", "https://a.example/b/c"),
    ],
)
def test_a_path_is_told_without_its_folders(text: str, told: str) -> None:
    assert without_folders(text) == told


def test_nobody_from_outside_learns_where_anything_lies(house: House) -> None:
    store, config = house.store, protocol_named("consultation").config(only="cardiology-01")
    source = runs.opened(config)
    run = runs.begin(config.model_copy(update={"repeats": 2}), store, source=source)
    place = str(store.label)
    assert "/" in place

    async def story(found: Hall) -> None:
        watcher, learner = await found.let_in("watch", "run"), await found.let_in("learn")
        told = [await watcher.get(f"/runs/{run.name}"), await watcher.post("/runs/plan", {})]
        assert told[0]["resume"] == f"osler resume {run.name}"
        assert told[0]["reproduce"].startswith("osler run consultation library")
        assert told[1]["command"].startswith("osler run")
        sat = await learner.post("/sittings", {"case": CASE["case"]}, 201)
        told.append(await learner.post(f"/sittings/{sat['id']}/again", {"keep": 0}, 400))
        for one in told:
            assert place not in str(one)
            assert "osler.db" not in str(one)

    tried(house, story)


@pytest.mark.parametrize("cases", ["/srv/osler/cases/mine.yaml", "cases/mine.yaml"])
def test_a_file_of_cases_is_named_without_its_folders(house: House, cases: str) -> None:
    config = protocol_named("consultation").config(only="cardiology-01")
    manifest = {**runs.begin(config, house.store).manifest, "cases_given_as": cases}
    manifest["configuration"] = {**manifest["configuration"], "cases": cases}
    manifest["configuration"]["doctor"] = "scripted:/srv/osler/replies.json"
    run = house.store.begin_run("with-files", manifest, 1)

    async def story(found: Hall) -> None:
        watcher = await found.let_in("watch")
        told = str(await watcher.get(f"/runs/{run.name}")) + str(await watcher.get("/runs"))
        assert "mine.yaml" in told
        assert "replies.json" in told
        assert cases not in told
        assert "/srv" not in told

    tried(house, story)
