"""A chain with pictures: fine-tuned, rewarded, served, and right only while shown the right picture."""

from __future__ import annotations

import base64
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from osler.stats.intervals import wilson
from osler.training.pictures import name_of
from osler.training.reward.score import Score
from osler.training.state import ImageRef, State, said
from osler.training.writers.lines import PICTURES
from tests.training.grpo.states import data_set, sample
from tests.training_models.conftest import trained, written
from tests.training_models.policies import policy
from tests.training_models.test_served import Served
from tests.training_models.test_vision import NAMES, pictures, seen

__all__ = ["pictures"]
CHANCE = 1 / len(NAMES)
SEEN, ASKED = 32, 40


class Named:
    """1 for the colour of the picture, which stands in no word of the prompt."""

    name, version = "named", "1"

    async def score(self, state: State, text: str, /) -> Score:
        return Score(float(text == state.context["answer"]))


def states(folder: Path, shift: int = 0) -> Path:
    """States that each show a picture, as `seen` has them; shifted, the answer belongs to another picture."""
    found = []
    for n in range(SEEN):
        row = seen(n, NAMES[n % 4], NAMES[(n + shift * (n // 4)) % 4])
        raw = row["images"][0]["bytes"]
        ref = ImageRef(sha256=sha256(raw).hexdigest(), media_type="image/png")
        path = folder / PICTURES / name_of(ref)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
        system, user = (one["content"][0]["text"] for one in row["messages"])
        asked = said("user", user)
        asked["content"].append({"type": "image"})
        state = sample(n, "Ada", messages=(said("system", system), asked), images=(ref,))
        found.append(state.model_copy(update={"context": {**state.context, "answer": row["target"]}}))
    return data_set(folder, found)


HOW = ("steps=15", "prompts=8", "mini_batch=8", "group=8", "max_answer=8", "save_every=15")


@pytest.fixture(scope="module")
def begun(room: Path) -> Path:
    """A tiny base that sees, and has begun to learn the names of colours."""
    from osler.training.backend.tiny_models import tiny

    data = written(room / "begun-data", [seen(n, NAMES[n % 4], NAMES[n % 4]) for n in range(SEEN)])
    tiny(room / "begun-base", vision=True, data=data)
    trained(data, room / "begun-base", room / "begun", "steps=60", "learning_rate=0.005")
    return room / "begun"


@pytest.fixture(scope="module")
def named(room: Path, begun: Path) -> dict[str, Any]:
    """It, rewarded for the right colour."""
    return policy(states(room / "named-data"), begun, room / "named", Named(), *HOW)


def right(served: Served, shift: int) -> int:
    """The number of right answers over HTTP to `ASKED` pictures of sizes that no row has, each shown the
    picture of another where shifted."""
    hits = 0
    for n in range(ASKED):
        row = seen(100 + n, NAMES[(n + shift) % 4], NAMES[n % 4])
        url = "data:image/png;base64," + base64.b64encode(row["images"][0]["bytes"]).decode()
        system, user = (one["content"][0]["text"] for one in row["messages"])
        picture = {"type": "image_url", "image_url": {"url": url}}
        asked = {"role": "user", "content": [{"type": "text", "text": user}, picture]}
        answer = served.answer([{"role": "system", "content": system}, asked], max_tokens=12)
        hits += answer["choices"][0]["message"]["content"] == row["target"]
    return hits


def test_a_rewarded_policy_reads_the_picture_as_served(room: Path, named: dict[str, Any]) -> None:
    assert named["reward_last"] > named["reward_first"]
    served = Served(room / "named")
    try:
        found, shuffled = (wilson(right(served, shift), ASKED) for shift in (0, 1))
    finally:
        served.server.kill_server()
    print(f"colours named as served: {found}; with another's picture: {shuffled}")
    assert found.low is not None
    assert shuffled.high is not None
    assert found.low > CHANCE
    assert shuffled.high < found.low, "what it says comes from the picture"


def test_with_shuffled_pictures_the_reward_stays_at_chance(room: Path, begun: Path, tmp_path: Path) -> None:
    """Each picture is rewarded for every colour equally often, so that none can be learnt from it."""
    found = policy(states(tmp_path / "data", shift=1), begun, tmp_path / "out", Named(), *HOW)
    assert found["reward_last"] < 2 * CHANCE
