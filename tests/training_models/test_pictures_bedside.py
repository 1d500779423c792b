"""A base that sees, from rounds with pictures back to rounds with pictures: taught, rewarded, merged, served,
and right about pictures of a size that no row has. The words of a case never tell what its picture shows."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from osler.core.contract import Request
from osler.core.factory import always
from osler.core.pictures import ImageFile
from osler.models import wire
from osler.models.wire import body_of
from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.monologue import Thought, parse, render_thought
from osler.protocols.ward_round.seats import Guidance
from osler.runs import run as runs
from osler.stats.intervals import Estimate, wilson
from osler.store.store import Store, open_store
from osler.training.reward.score import Score
from osler.training.state import State
from tests.cases.pictured import mm_record
from tests.training_models.chain import osler
from tests.training_models.conftest import trained
from tests.training_models.policies import policy
from tests.training_models.test_served import Served
from tests.training_models.test_vision import COLOURS, painted, pictures

__all__ = ["pictures"]
COMPLAINTS: Final = ("an itchy rash", "a swollen knee", "a red eye", "a lump in the neck")
PLAYED: Final = {"students": 1, "specialist": "none", "supervisor": "none", "expert": "none"}
SIZE, OTHER_SIZES = (40, 40), ((43, 47), (47, 42))
CHANCE: Final = 1 / len(COLOURS)


class AtTheBedside(NamedTuple):
    """Rounds of the served model: how many it played to the end, and in how many its thought about the image
    names the colour shown."""

    rounds: int
    completed: int
    right: int

    @property
    def share(self) -> Estimate:
        """The share of rounds whose picture was named."""
        return wilson(self.right, self.rounds)


def cases(folder: Path, width: int, height: int) -> dict[str, tuple[Path, Path]]:
    """The same cases four times, by the colour of their picture: the file and the folder of its pictures."""
    folder.mkdir()
    records = []
    for n, complaint in enumerate(COMPLAINTS):
        record = mm_record(n)
        (name,) = record["images"] = [f"picture-{n}.png"]
        record["question"] = f"A woman has {complaint}. A photograph is shown in Figure A. What is it?"
        record["question_steps"][1] |= {
            "key_question": f"In the photograph ({name}), what do you notice?",
            "step_summary": "It has one colour.",
            "associated_image_id": name,
        }
        facts = record["patient_script"]["patient_fact_base"]
        facts |= {"chief_complaint": f"I have {complaint}.", "related_images": []}
        records.append(record)
    (folder / "cases.json").write_text(json.dumps(records))
    for at, (n, colour) in enumerate(product(range(len(COMPLAINTS)), COLOURS)):
        (folder / colour).mkdir(exist_ok=True)
        raw = painted(colour, width + 5 * (at % 7), height + 9 * (at % 5))["bytes"]
        (folder / colour / f"picture-{n}.png").write_bytes(raw)
    return {colour: (folder / "cases.json", folder / colour) for colour in COLOURS}


def shown_in(folder: Path) -> dict[str, str]:
    """The colour of each picture of such cases, by its hash."""
    return {sha256(one.read_bytes()).hexdigest(): one.parent.name for one in folder.glob("*/*.png")}


class Looking:
    """A tutor who names the colour of the picture, in its thought and to the group."""

    name, durable = "looking", False

    def __init__(self, colours: Mapping[str, str]) -> None:
        self.colours = colours

    async def reply(self, request: Request[Any]) -> Guidance:
        view = request.view
        (picture,) = [one.picture for one in view.images if isinstance(one.picture, ImageFile)]
        colour = self.colours[picture.sha256]
        complaint = next(one for one in COMPLAINTS if one in view.model_dump_json())
        each = tuple((name, "A word.") for name in view.students)
        thought = Thought("So far.", "The image.", each, "All.", f"It is {colour}.")
        guidance = f"All of you, what has {complaint} to do with what is {colour} on this photograph?"
        return Guidance(internal_monologue=render_thought(thought), guidance=guidance)


def played(store: Store, folder: Path, tutor: Looking) -> list[str]:
    """A round of each case in each colour; the names of the runs."""
    given = {"looking": always(tutor)}
    for colour, (file, images) in cases(folder, *SIZE).items():
        tutor.colours = shown_in(folder)
        config = RoundConfig.model_validate(
            {"cases": str(file), "images": str(images), "tutor": "looking", **PLAYED}
            | {"settings": {"max_rounds": 1}}
        )
        source = runs.opened(config)
        run = runs.begin(config, store, given, source, name=colour)
        runs.play(run, store, more=given, source=source)
    return list(COLOURS)


def names_of(state: State) -> list[str]:
    """The names of the students in a state."""
    names = state.context["students"]
    assert isinstance(names, list)
    return list(map(str, names))


class Named:
    """1 for a turn whose thought about the image names the colour shown, a half for another that parses."""

    name, version = "named", "1"

    def __init__(self, colours: Mapping[str, str]) -> None:
        self.colours = colours

    async def score(self, state: State, text: str, /) -> Score:
        (picture,) = state.images
        try:
            turn = parse(text, names_of(state), has_images=True)
        except ValueError:
            return Score(0.0)
        return Score(1.0 if turn.thought.image == f"It is {self.colours[picture.sha256]}." else 0.5)


@pytest.fixture(scope="module")
def place(room: Path) -> Path:
    return room / "seen-rounds"


@pytest.fixture(scope="module")
def data(place: Path) -> Path:
    """The rounds as a data set: each text four times, each time with a picture of another colour."""
    place.mkdir()
    with open_store(place / "rounds.db") as store:
        names = played(store, place / "cases", Looking({}))
    shares = ("--kind", "single", "--validation", "0", "--test", "0")
    built = osler(
        *("dataset", "build", *names, "--out", str(place / "data"), *shares),
        *("--store", f"sqlite:///{place}/rounds.db"),
    )
    assert built["samples"]["single"] == len(COMPLAINTS) * len(COLOURS), built
    return place / "data"


@pytest.fixture(scope="module")
def taught(place: Path, data: Path) -> Path:
    """A tiny base that sees, after SFT on these rounds."""
    osler("train", "tiny", str(place / "base"), "--vision", "--data", str(data))
    changes = ("steps=360", "batch=8", "per_device=8", "learning_rate=0.005")
    print("sft", trained(data, place / "base", place / "taught", *changes))
    return place / "taught"


@pytest.fixture(scope="module")
def rewarded(place: Path, data: Path, taught: Path) -> Path:
    """It, with adapters that were rewarded for the right colour, merged."""
    changes = ("steps=10", "prompts=4", "mini_batch=4", "group=4", "per_device=16", "max_answer=80")
    lora = ('weights="lora"', "rank=4", "alpha=8", "save_every=10", "learning_rate=0.001")
    reward = Named(shown_in(place / "cases"))
    print("grpo", policy(data, taught, place / "rewarded", reward, *changes, *lora))
    assert not (place / "rewarded" / "merged").exists()
    osler("train", "merge", str(place / "rewarded"))
    return place / "rewarded"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The hashes of the pictures in each request of the tutor, as it leaves."""
    kept = list[list[str]]()

    def watched(*given: Any, **more: Any) -> bytes:
        body = body_of(*given, **more)
        parts = [one for each in json.loads(body)["messages"] for one in each["content"]]
        urls = [one["image_url"]["url"] for one in parts if isinstance(one, dict) and "image_url" in one]
        kept.append([sha256(base64.b64decode(url.partition(",")[2])).hexdigest() for url in urls])
        return body

    monkeypatch.setattr(wire, "body_of", watched)
    return kept


def at_the_bedside(place: Path, out: Path, served: Served) -> AtTheBedside:
    """Rounds with pictures of other sizes, by the command, with the served model as the tutor."""
    toml, store = place / "osler.toml", f"sqlite:///{place}/bedside-{out.name}.db"
    toml.write_text(served.config)
    found = AtTheBedside(0, 0, 0)
    for size, (width, height) in enumerate(OTHER_SIZES):
        folder = place / f"{out.name}-{size}"
        for colour, (file, images) in cases(folder, width, height).items():
            tutor = (
                "--tutor",
                "model:trained",
                "--moves",
                "text",
                "--config",
                str(toml),
                "--temperature",
                "0",
            )
            seats = [word for name, player in PLAYED.items() for word in (f"--{name}", str(player))]
            how = ("--images", str(images), "--max-rounds", "1", "--store", store)
            run = osler("round", str(file), *seats, *tutor, *how)
            found = AtTheBedside(*(a + b for a, b in zip(found, seen_in(store, run, colour), strict=True)))
    return found


def seen_in(store: str, run: dict[str, Any], colour: str) -> AtTheBedside:
    """What the record holds of the rounds of one colour."""
    right = 0
    with open_store(store) as opened:
        for _, trace in opened.traces(opened.run(run["run"]).id):
            for row in trace.rows:
                if row.seat == "tutor":
                    right += f"<think_image>It is {colour}.</think_image>" in row.reply
    ended = run["ended"]
    return AtTheBedside(sum(ended.values()), ended.get("completed", 0), right)


def test_a_tutor_that_sees_names_the_picture_of_its_round(
    place: Path, rewarded: Path, sent: list[list[str]]
) -> None:
    served = Served(rewarded)
    try:
        found = at_the_bedside(place, rewarded, served)
    finally:
        served.server.kill_server()
    print(f"colours named at the bedside: {found}, {found.share}")
    assert found.rounds == len(OTHER_SIZES) * len(COLOURS) * len(COMPLAINTS)
    known = {one for size in range(len(OTHER_SIZES)) for one in shown_in(place / f"rewarded-{size}")}
    assert {len(one) for one in sent} == {1}, "every request has the picture of its case, retries too"
    assert {one for each in sent for one in each} == known
    assert found.completed > found.rounds / 3
    assert found.share.low is not None
    assert found.share.low > CHANCE, "what it says comes from the picture"
