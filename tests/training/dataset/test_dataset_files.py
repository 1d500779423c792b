"""A written data set: the same bytes for the same store, every form read back alike, splits and audits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile, copytree
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.factory import always
from osler.errors import BadInput
from osler.models.types import Completion, CompletionRequest
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.model.players import ModelDoctor
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.model.players import ModelExaminee
from osler.runs import run as runs
from osler.store.store import Store, open_store
from osler.training import build
from osler.training.audit import audit
from osler.training.reading import every, rows
from osler.training.samples import as_row
from osler.training.splits import TEST, TRAIN, Shares, case_text, clusters, split_of, splits
from osler.training.state import chat_of, text_of
from osler.training.task import Breach, trained_seat
from osler.training.writers.parquet import arrow
from tests.training.dataset.playing import CASES, files, library, played, written

MIXED = Shares(0.3, 0.3)


def have_arrow() -> bool:
    try:
        arrow()
    except BadInput:
        return False
    return True


FORMATS = ("jsonl", "sharegpt", "parquet") if have_arrow() else ("jsonl", "sharegpt")


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of six cases in three splits."""
    folder = tmp_path_factory.mktemp("once")
    with open_store(folder / "osler.db") as store:
        played(store, cases=library(*CASES), rounds=2)
        written(store, ["one"], folder / "data", *FORMATS, shares=MIXED)
    return folder / "data"


@pytest.fixture
def data(once: Path, tmp_path: Path) -> Path:
    """A copy of that data set, to be spoilt."""
    copytree(once, tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def kept(once: Path, tmp_path: Path) -> Iterator[Store]:
    """A copy of the store that it was built from."""
    copyfile(once.parent / "osler.db", tmp_path / "osler.db")
    with open_store(tmp_path / "osler.db") as opened:
        yield opened


def test_the_same_store_gives_the_same_bytes_at_any_concurrency_and_again(tmp_path: Path) -> None:
    found = []
    for at, concurrency in enumerate((1, 16)):
        with open_store(tmp_path / f"{at}.db") as store:
            for name, seed in (("one", 1), ("two", 2)):
                cases = library(*CASES[:2])
                played(store, name=name, cases=cases, seed=seed, concurrency=concurrency, repeats=2)
            # The order in which runs are named changes nothing either.
            names = ["one", "two"] if at else ["two", "one"]
            for again in range(2):
                out = tmp_path / f"data-{at}"
                written(store, names, out, *FORMATS, prefixes="published", shares=MIXED)
                found.append(files(out))
                assert again or out.is_dir()
    assert all(one == found[0] for one in found)
    assert {"manifest.json", "README.md", "croissant.json", "rejected.jsonl"} <= found[0].keys()


def test_every_form_is_read_back_as_the_same_rows(data: Path, tmp_path: Path) -> None:
    def read() -> list[Any]:
        return [(as_row(one), raw) for one, raw in every(data)]

    whole = read()
    assert len(whole) == 6 * 2 + 6
    assert any(raw for _, raw in whole)
    (data / "rows").rename(tmp_path / "rows")
    if "parquet" in FORMATS:
        assert read() == whole
        (data / "data").rename(tmp_path / "parquet")
    assert read() == whole


def test_sharegpt_is_as_llama_factory_reads_it(data: Path) -> None:
    info = json.loads((data / "sharegpt" / "dataset_info.json").read_text())
    assert info
    for entry in info.values():
        assert entry["formatting"] == "sharegpt"
        assert entry["tags"]["assistant_tag"] == "assistant"
        for row in json.loads((data / "sharegpt" / entry["file_name"]).read_text()):
            roles = [one["role"] for one in row["messages"]]
            assert roles[:2] == ["system", "user"]
            assert roles[-1] == "assistant"
            markers = sum(one["content"].count("<image>") for one in row["messages"])
            assert markers == len(row["images"])
            assert all((data / "sharegpt" / name).is_file() for name in row["images"])


def test_pictures_of_one_case_have_a_marker_each(store: Store, tmp_path: Path) -> None:
    """The released rows had one marker, however many pictures there were."""
    played(store, cases=library("paediatrics-01"), rounds=1)
    written(store, ["one"], tmp_path / "data", "sharegpt")
    row = json.loads((tmp_path / "data" / "sharegpt" / "single_train.json").read_text())[0]
    assert len(row["images"]) == 2
    assert row["messages"][1]["content"].endswith("<image><image>")


def test_the_card_and_the_manifest_say_what_is_in_it(data: Path) -> None:
    manifest = json.loads((data / "manifest.json").read_text())
    assert manifest["sessions"] == 6
    assert manifest["turns"] == manifest["samples"]["single"] == 12
    assert sum(rows["single"] for rows in manifest["splits"].values()) == 12
    assert manifest["beside"]["rows"]["single"]["published"] == 31438
    assert manifest["entropy_bits"]["student"] > 1
    assert manifest["sessions_by"]["licence"] == {"MIT": 6}
    card = (data / "README.md").read_text()
    assert card.startswith("---\nlicense: mit\n")
    assert "31438" in card
    assert str(data) not in card
    croissant = json.loads((data / "croissant.json").read_text())
    assert croissant["@type"] == "sc:Dataset"
    named = {one["contentUrl"]: one["sha256"] for one in croissant["distribution"]}
    assert named.items() <= manifest["files"].items()


def test_nearly_the_same_cases_are_in_one_split_whatever_is_added() -> None:
    cases = library(*CASES)
    door = cases[0].opening.model_copy(update={"door_note": "Somebody else, 40."})
    twin = cases[0].model_copy(update={"id": "twin-01", "opening": door})
    seat = trained_seat("ward_round")
    texts = [case_text(case.content_hash, case.id, seat.case_texts(case)) for case in (*cases, twin)]
    found = clusters(texts)
    assert found[twin.content_hash] == found[cases[0].content_hash]
    few = clusters(texts[1:4])
    assert {split_of(few[text.hash], MIXED) for text in texts[1:4]}
    assert all(split_of(few[text.hash], MIXED) == split_of(found[text.hash], MIXED) for text in texts[1:4])


def test_splits_have_about_their_shares() -> None:
    found = [split_of(f"cluster {n}", Shares(0.1, 0.2)) for n in range(5_000)]
    assert found.count("test") / 5_000 == pytest.approx(0.2, abs=0.02)
    assert found.count("validation") / 5_000 == pytest.approx(0.1, abs=0.02)


def test_a_cluster_that_would_fill_a_whole_split_is_for_training() -> None:
    held_out = next(name for name in map(str, range(99)) if split_of(name, MIXED) == TEST)
    alone = {f"case {n}": f"cluster {n}" for n in range(40)}
    for size, split in ((10, TEST), (15, TEST), (30, TRAIN)):
        found = splits({**alone, **{f"near {n}": held_out for n in range(size)}}, MIXED)
        assert {found[f"near {n}"] for n in range(size)} == {split}, size
        assert all(found[case] == split_of(cluster, MIXED) for case, cluster in alone.items())


def lines_of(data: Path) -> dict[Path, list[dict[str, Any]]]:
    return {
        path: [json.loads(line) for line in path.read_text().splitlines()]
        for path in sorted((data / "rows").iterdir())
    }


def spoil(data: Path, which: str) -> None:
    """Plant a fault in a written data set."""
    found = lines_of(data)
    single = [path for path in found if path.name.startswith("single")]
    first, second = found[single[0]], found[single[-1]]
    match which:
        case "case":
            second[0] |= {name: first[0][name] for name in ("case_hash", "cluster")}
        case "passage":
            path = data / "cases.jsonl"
            cases = [json.loads(line) for line in path.read_text().splitlines()]
            one = next(case for case in cases if case["case_hash"] == first[0]["case_hash"])
            other = next(case for case in cases if case["case_hash"] == second[0]["case_hash"])
            other["texts"] += one["texts"][3:6]
            path.write_text("".join(json.dumps(case) + "\n" for case in cases))
        case "picture":
            row = next(row for each in found.values() for row in each if row["images"])
            blind = next(r for each in found.values() for r in each if r["split"] != row["split"])
            blind["images"] = row["images"]
            blind["messages"][1]["content"] = row["messages"][1]["content"]
        case "duplicate":
            first.append({**first[0], "id": "0" * 32})
        case "near":
            second[0]["target"] = first[0]["target"] + " Yes."
        case "marker":
            first[0]["messages"][1]["content"].append({"type": "image"})
        case "span":
            row = next(row for each in found.values() for row in each if row["kind"] == "multi")
            row["target_spans"][0] = 1
        case "length":
            first[0]["tokens"]["prompt"] = 9_000
    for path, each in found.items():
        path.write_text("".join(json.dumps(row) + "\n" for row in each))


@pytest.mark.parametrize(
    "kind", ["case", "passage", "picture", "duplicate", "near", "marker", "span", "length", "file"]
)
def test_an_audit_finds_what_is_planted(data: Path, kind: str) -> None:
    assert audit(data).findings == ()
    spoil(data, kind)
    found = audit(data)
    assert not found.clean
    kinds = {one.kind for one in found.findings}
    assert kind in kinds
    assert "file" in kinds  # the rows are others than were written


def test_an_audit_finds_a_case_that_is_listed_in_another_split(data: Path) -> None:
    path = data / "cases.jsonl"
    first, *rest = [json.loads(line) for line in path.read_text().splitlines()]
    first["split"] = "test" if first["split"] == "train" else "train"
    path.write_text("".join(json.dumps(case) + "\n" for case in (first, *rest)))
    told = [one.what for one in audit(data).findings if one.kind == "case"]
    assert len(told) == 1
    assert f"cases.jsonl has it in {first['split']}" in told[0]


def test_an_audit_against_another_data_set(store: Store, data: Path, tmp_path: Path) -> None:
    played(store, name="other", cases=library("urology-01", "obstetrics-01"), rounds=1)
    written(store, ["other"], tmp_path / "other")
    train = {one.case_id for one in rows(data)}
    found = audit(data, tmp_path / "other")
    assert found.clean == ("urology-01" not in train)
    again = audit(data, data)
    assert {one.kind for one in again.findings} >= {"case"}


def test_a_doctor_and_an_examinee_are_harvested_alike(store: Store, tmp_path: Path) -> None:
    for config in (RunConfig(limit=2), ScenarioConfig(cases="library", limit=2)):
        name = config.plays.name
        runs.play(runs.begin(config, store, name=name), store)
        manifest = written(store, [name], tmp_path / name, "jsonl")
        assert manifest["samples"]["single"] > 5
        assert manifest["seat"] == config.plays.under_test
        seat = trained_seat(name)
        for one in rows(tmp_path / name):
            assert not isinstance(seat.read(one, one.target), Breach)
            assert text_of(one.messages[0]).startswith("You are the")
        assert audit(tmp_path / name).clean
        with pytest.raises(BadInput, match="no private thought"):
            written(store, [name], tmp_path / name, "jsonl", thinking=False)


def osler(*words: str) -> Any:
    return CliRunner().invoke(app, words)


def test_the_commands(kept: Store, data: Path, tmp_path: Path) -> None:
    out, url = tmp_path / "built", str(tmp_path / "osler.db")
    done = osler("dataset", "build", "one", "--store", url, "--out", str(out), "--format", "jsonl", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert {"sessions", "turns", "samples", "rejected", "splits", "hash"} <= found.keys()
    assert found["samples"] == {"single": 12, "multi": 6}
    clean = osler("dataset", "audit", str(out), "--json")
    assert clean.exit_code == 0
    assert json.loads(clean.stdout)["clean"] is True
    shown = osler("dataset", "show", str(out), "1")
    assert shown.exit_code == 0
    assert "[learnt]" in shown.stdout
    assert "You are the tutor" in shown.stdout
    spoil(data, "duplicate")
    dirty = osler("dataset", "audit", str(data), "--json")
    assert dirty.exit_code == 1
    assert {one["kind"] for one in json.loads(dirty.stdout)["findings"]} >= {"duplicate"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--kind", "triple"), "single"),
        (("--format", "csv"), "sharegpt"),
        (("--least", "correct"), "SCORE=VALUE"),
        (("--test", "1"), "nothing for training"),
        (("--seat", "student"), "no model is trained"),
        (("--hold-out", "nowhere.json"), "nowhere.json"),
    ],
)
def test_bad_options_are_refused(kept: Store, tmp_path: Path, words: tuple[str, ...], why: str) -> None:
    built = ("dataset", "build", "one", "--store", str(tmp_path / "osler.db"), "--out", str(tmp_path / "o"))
    done = osler(*built, *([] if "--format" in words else ("--format", "jsonl")), *words)
    assert done.exit_code == 1, done.output
    assert why in " ".join(done.output.split())


def test_a_folder_of_something_else_is_left_alone(kept: Store, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("dear diary")
    words = ("dataset", "build", "one", "--store", str(tmp_path / "osler.db"), "--format", "jsonl")
    done = osler(*words, "--out", str(tmp_path / "mine"))
    assert done.exit_code == 1
    assert (tmp_path / "mine" / "notes.txt").read_text() == "dear diary"
    assert osler("dataset", "audit", str(tmp_path / "mine")).exit_code == 1


class Fake:
    """A client that notes what it is sent and answers each call with the next of its answers."""

    def __init__(self, answers: list[str]) -> None:
        self.answers, self.sent = answers, list[str]()

    async def complete(self, request: CompletionRequest, *, validate: Any = None) -> Completion:
        self.sent.append(json.dumps(chat_of(request.messages)[0], sort_keys=True))
        before = sum(one.role == "assistant" for one in request.messages)
        text = self.answers[before % len(self.answers)]
        value = text if request.output is None else json.loads(text)
        return Completion(text=text, parsed=validate(value), finish_reason="stop")


def _examinee(client: Any) -> ModelExaminee:
    return ModelExaminee(client, "m", eyes=True)


def test_prompts_of_doctor_and_examinee_are_to_the_letter_what_they_are_sent(
    store: Store, tmp_path: Path
) -> None:
    asked = ["Since when?", "REQUEST TEST: [ECG]", "WAIT", "Any pain?", "DIAGNOSIS READY: [Asthma]"]
    doctor = Fake(asked)
    acts = Fake(
        [json.dumps({"speak": f"Tell me more, part {n}.", "actions": [], "eos": False}) for n in range(9)]
    )
    plays, acting = ModelDoctor(doctor, "m", moves="text", eyes=True), _examinee(acts)
    players: list[tuple[Any, Fake, Any]] = [
        (RunConfig(limit=3, doctor="planted"), doctor, plays),
        (ScenarioConfig(cases="library", limit=2, examinee="planted"), acts, acting),
    ]
    for config, client, player in players:
        name, more = config.plays.name, {"planted": always(player)}
        runs.play(runs.begin(config, store, more, name=name), store, more=more)
        written(store, [name], tmp_path / name, "jsonl")
        found = list(rows(tmp_path / name))
        assert len(found) > 4
        assert {json.dumps(one.messages, sort_keys=True) for one in found} <= set(client.sent)
        said = {one.target for one in found}
        assert said <= set(client.answers) or name == "scenario"


def test_nothing_in_the_room_knows_a_protocol_by_name() -> None:
    folder = Path(build.__file__).parent
    for path in folder.rglob("*.py"):
        for name in ("ward_round", "consultation", "scenario"):
            assert f"protocols.{name}" not in path.read_text(encoding="utf-8"), path
