"""docs/python.md runs as it is written, in a script and inside an event loop; the public names exist."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import osler
from osler.cases.importers.detect import detect
from tests.endpoints import running
from tests.plugged import installed
from tests.test_readme import blocks

PAGE = "docs/python.md"


@pytest.mark.parametrize("block", blocks(PAGE, "python"))
def test_every_example_runs_in_a_script(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, PAGE, "exec"), {"__name__": "example"})
    assert capsys.readouterr().out


def test_the_first_example_runs_in_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def cell() -> None:
        exec(compile(blocks(PAGE, "python")[0], PAGE, "exec"), {"__name__": "cell"})

    asyncio.run(cell())
    assert (tmp_path / "baseline.jsonl").read_text().count("\n") == 7


def test_every_public_name_is_there_and_listed() -> None:
    assert set(dir(osler)) == {"__version__", *osler.__all__}
    assert all(getattr(osler, name) is not None for name in osler.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        osler.nothing  # noqa: B018


def test_a_player_that_was_handed_over_is_handed_over_again_to_go_on(tmp_path: Path) -> None:
    class Silent:
        name, durable = "silent", False

        async def reply(self, request: osler.Request) -> osler.Frozen:  # type: ignore[type-arg]
            raise ValueError("no words")

    store = tmp_path / "osler.db"
    run = osler.run("consultation", "library", seats={"doctor": Silent()}, limit=1, store=store)
    assert run.totals.ended == {"invalid_play": 1}
    assert osler.resume(run.name, seats={"doctor": Silent()}, store=store).info.status == "done"


def test_a_packages_importer_is_found_by_name_and_by_the_look_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = next(block for block in blocks(PAGE, "python") if "LOOKS_LIKE" in block)
    installed(tmp_path, monkeypatch, "handmade", block, {"osler.importers": {"myformat": "handmade"}})
    case = next(iter(osler.open_cases("library")))
    file = tmp_path / "cases.json"
    file.write_text(f'{{"myformat": [{case.model_dump_json()}, {{}}]}}')
    source = osler.open_cases(str(file), format="myformat")
    assert [one.id for one in source] == [case.id]
    assert source.report is not None
    assert source.report.rejected == 1
    file.write_text('{"myformat": [{}]}')
    assert detect(file).NAME == "myformat"


def test_check_lists_what_is_plugged_in_and_what_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from osler.cli.check import plugged_in, plugin_checks  # noqa: PLC0415 - after the package is there

    broken = "raise RuntimeError('half installed')"
    groups = {"osler.importers": {"torn": "torn"}, "osler.protocols": {"torn": "torn:PROTOCOL"}}
    installed(tmp_path, monkeypatch, "torn", broken, groups)
    found = plugged_in()
    assert set(found) == {"protocols", "players", "judges", "importers", "model_clients"}
    (importer,) = found["importers"]
    assert importer["name"] == "torn"
    assert importer["ok"] is False
    assert "half installed" in str(importer["why"])
    assert [one.ok for one in plugin_checks(found)] == [False, False]
    with pytest.raises(osler.BadInput, match="half installed"):
        osler.configure("torn")
    assert len(list(osler.open_cases("library"))) == 30


def _toml(folder: Path, url: str, **models: str) -> Path:
    """An `osler.toml` whose endpoints, named with their models, are all at one address."""
    tables = [
        f'[endpoints.{name}]\nbase_url = "{url}"\nmodel = "{model}"\n' for name, model in models.items()
    ]
    file = folder / "osler.toml"
    file.write_text("\n".join(tables))
    return file


def test_a_run_is_not_continued_with_another_model(tmp_path: Path) -> None:
    store = tmp_path / "osler.db"
    with running() as url:
        file = _toml(tmp_path, url, fake="first")
        run = osler.run(seats={"doctor": "model:fake"}, limit=1, store=store, config=file)
        _toml(tmp_path, url, fake="second")
        with pytest.raises(osler.BadInput, match="fake was first when this run began and is second now"):
            osler.resume(run.name, store=store, config=file)


def test_a_budget_holds_on_and_counts_what_earlier_sittings_used(tmp_path: Path) -> None:
    store = tmp_path / "osler.db"
    with running() as url:
        file = _toml(tmp_path, url, fake="fake")
        run = osler.run(seats={"doctor": "model:fake"}, limit=2, store=store, config=file, token_budget=1000)
        assert run.info.status == "paused"
        again = osler.resume(run.name, store=store, config=file)
        assert (again.info.status, again.info.done) == ("paused", run.info.done)
        more = osler.resume(run.name, store=store, config=file, token_budget=10**6)
        assert more.info.status == "done"


@pytest.mark.parametrize("name", ["external", "person"])
def test_a_seat_answered_from_outside_is_refused_before_a_run_begins(tmp_path: Path, name: str) -> None:
    with osler.open_store(tmp_path / "osler.db") as store:
        with pytest.raises(osler.BadInput, match="doctor is answered from outside"):
            osler.run(seats={"doctor": name}, limit=1, store=store)
        assert not list(store.runs())


def test_a_model_judges_its_own_run_only_if_that_is_allowed(tmp_path: Path) -> None:
    store = tmp_path / "osler.db"
    with running() as url:
        file = _toml(tmp_path, url, fake="fake", twin="fake")
        run = osler.run(seats={"doctor": "model:fake"}, limit=1, store=store, config=file)
        for judge in ("model:fake", "model:twin"):
            with pytest.raises(osler.BadInput, match="player of this run"):
                osler.judge(run, judge, config=file)
        with pytest.warns(UserWarning, match="models tend to favour their own answers"):
            osler.judge(run, "model:fake", config=file, same_endpoint_allowed=True)
