"""A base that sees: the answer is only in the picture, and with other pictures it is another."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from osler.training.folder import Folder
from osler.training.writers.lines import PICTURES
from tests.training_models.conftest import NO_PICTURES, block, trained, written

COLOURS = {"red": (210, 30, 30), "green": (30, 170, 50), "blue": (40, 60, 220), "yellow": (230, 210, 40)}
NAMES = tuple(COLOURS)


@pytest.fixture(scope="module", autouse=True)
def pictures(torch: Any) -> None:
    """Skip where no picture can be read."""
    from transformers.utils import is_torchvision_available

    if not is_torchvision_available():
        pytest.skip(NO_PICTURES)


def painted(name: str, width: int, height: int) -> dict[str, Any]:
    """A picture of one colour."""
    from PIL import Image

    out = BytesIO()
    Image.new("RGB", (width, height), COLOURS[name]).save(out, "PNG")
    return {"bytes": out.getvalue(), "path": None}


def seen(n: int, shown: str, said: str) -> dict[str, Any]:
    """A row whose answer stands in no word of the prompt."""
    return {
        "id": f"picture-{n:02}",
        "kind": "single",
        "messages": [
            block("system", "You look at pictures."),
            block("user", "Which colour is it?", images=1),
        ],
        "images": [painted(shown, 40 + 5 * (n % 7), 40 + 9 * (n % 5))],
        "target": f"It is {said}.",
        "weight": 1.0,
        "target_spans": [],
        "weights": [],
    }


def right(model: Any, chats: Any, rows: list[dict[str, Any]]) -> float:
    """The share of greedy answers that are the target."""
    from osler.training.backend import models

    images = [[one["images"][0]["bytes"]] for one in rows]
    ids = models.generate(model, chats.prompts([one["messages"] for one in rows], images), 12)
    hits = [bool(chats.said(one) == row["target"]) for one, row in zip(ids, rows, strict=True)]
    return sum(hits) / len(hits)


@pytest.fixture(scope="module")
def eyes(room: Path) -> Path:
    """A tiny base that sees."""
    from osler.training.backend.tiny_models import tiny

    data = written(room / "pictures", [seen(n, NAMES[n % 4], NAMES[n % 4]) for n in range(32)])
    tiny(room / "eyes", vision=True, data=data)
    return room / "eyes"


CHANGES = ("steps=80", "batch=8", "per_device=8", "learning_rate=0.005")


@pytest.fixture(scope="module")
def seeing(room: Path, eyes: Path) -> Path:
    """It, after it has learnt to name colours."""
    trained(room / "pictures", eyes, room / "seeing", *CHANGES)
    return room / "seeing"


UNSEEN = [seen(n, NAMES[n % 4], NAMES[n % 4]) for n in range(100, 116)]


def test_an_answer_that_is_only_in_the_picture_is_learnt(seeing: Path) -> None:
    from osler.training.backend import models
    from osler.training.backend.chats import Chats

    chats, model = Chats(models.processor_of(seeing / "merged")), models.load(seeing / "merged", "fp32")
    assert right(model, chats, UNSEEN) >= 0.75
    swapped = [seen(n, NAMES[(n + 1) % 4], NAMES[n % 4]) for n in range(100, 116)]
    assert right(model, chats, swapped) <= 0.25, "with another picture it says another colour"


def test_with_shuffled_pictures_nothing_can_be_learnt(room: Path, eyes: Path, tmp_path: Path) -> None:
    from osler.training.backend import models
    from osler.training.backend.chats import Chats

    # Every colour is shown equally often with every answer.
    data = written(tmp_path / "data", [seen(n, NAMES[n // 4 % 4], NAMES[n % 4]) for n in range(32)])
    trained(data, eyes, tmp_path / "out", "steps=40", *CHANGES[1:])
    chats = Chats(models.processor_of(tmp_path / "out" / "merged"))
    model = models.load(tmp_path / "out" / "merged", "fp32")
    assert right(model, chats, UNSEEN) <= 0.5


def test_labels_of_a_row_with_a_picture_are_its_target(room: Path, eyes: Path) -> None:
    from osler.training.backend import models
    from osler.training.backend.chats import Chats
    from osler.training.backend.rows import row_of

    chats = Chats(models.processor_of(eyes))
    rows = [row_of(seen(n, NAMES[n % 4], NAMES[n % 4]), room) for n in range(4)]
    batch = chats.batch(rows)
    assert chats.learnt(batch) == [[f"It is {NAMES[n % 4]}.<|im_end|>"] for n in range(4)]
    pads = (batch["input_ids"] == chats.tokenizer.convert_tokens_to_ids("<|image_pad|>")).sum()
    assert int(pads) == int(batch["image_grid_thw"].prod(-1).sum()) // 4, "placeholders match the patches"


def test_pictures_are_resized_in_training_and_as_served_to_one_limit(
    eyes: Path, seeing: Path, tmp_path: Path
) -> None:
    from osler.training.backend import models

    trained(seeing.parent / "pictures", eyes, tmp_path / "out", "steps=1", "pixels=3136")
    assert models.processor_of(tmp_path / "out" / "merged").image_processor.size["longest_edge"] == 3136
    assert models.processor_of(seeing / "merged").image_processor.size["longest_edge"] == 12_544


def test_adapters_are_kept_off_what_sees(room: Path, seeing: Path, tmp_path: Path) -> None:
    from safetensors import safe_open

    from osler.training.backend.merge import merge

    changes = ("steps=2", 'weights="lora"', "rank=4", "batch=4", "per_device=4")
    trained(room / "pictures", seeing, tmp_path / "out", *changes)
    with safe_open(tmp_path / "out" / "adapter" / "adapter_model.safetensors", "pt") as file:
        names = list(file.keys())
    assert names
    assert not [one for one in names if "visual" in one]
    assert any("language_model" in one or "layers" in one for one in names)
    assert merge(tmp_path / "out")["weights_hash"] != Folder(seeing).result["weights_hash"]  # type: ignore[index]
    trained(room / "pictures", seeing, tmp_path / "all", *changes, 'vision="trained"')
    with safe_open(tmp_path / "all" / "adapter" / "adapter_model.safetensors", "pt") as file:
        assert [one for one in file.keys() if "visual" in one]  # noqa: SIM118 - no mapping


def test_a_policy_is_shown_the_pictures_of_its_states(eyes: Path, tmp_path: Path) -> None:
    from hashlib import sha256

    from osler.training.pictures import name_of
    from osler.training.state import ImageRef, said
    from tests.training.grpo.states import data_set, sample
    from tests.training_models.policies import Faulty, prepared

    states = []
    for n in range(2):
        raw = painted(NAMES[n], 56, 56)["bytes"]
        ref = ImageRef(sha256=sha256(raw).hexdigest(), media_type="image/png")
        (tmp_path / "data" / PICTURES / name_of(ref)).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / PICTURES / name_of(ref)).write_bytes(raw)
        asked = said("user", "Which colour is it?")
        asked["content"].append({"type": "image"})
        states.append(sample(n, "Ada", messages=(said("system", "You look."), asked), images=(ref,)))
    data = data_set(tmp_path / "data", states)
    ready = prepared(data, eyes, tmp_path / "out", Faulty(), "steps=1", "max_answer=8", "save_every=1")
    trainer, met = ready.trainer, []
    score = trainer._generate_and_score_completions

    def watched(inputs: Any) -> Any:
        found = score(inputs)
        met.append((found, [one["place"] for one in inputs]))
        return found

    trainer._generate_and_score_completions = watched
    trainer.train()
    ((found, places),) = met
    assert sorted(places) == [0] * 4 + [1] * 4
    assert found["image_grid_thw"].shape[0] == 8
    served = [ready.prompts[place] for place in places]
    wanted = ready.words.prompts([one.state.messages for one in served], [one.pictures for one in served])
    assert found["prompt_ids"].tolist() == wanted["input_ids"].tolist()
    assert found["pixel_values"].equal(wanted["pixel_values"])
