"""The forms of other trainers: OpenAI's fine-tuning, and prompts for reinforcement with verl."""

from __future__ import annotations

import base64
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.errors import BadInput
from osler.protocols.ward_round.seats import TutorView
from osler.store.store import Store
from osler.training.audit import audit
from osler.training.build import Plan
from osler.training.pictures import Album
from osler.training.reading import rows
from osler.training.samples import Sample, conversation
from osler.training.state import images_in, said, text_of
from osler.training.writers.form import marked
from osler.training.writers.openai import messages_of
from osler.training.written import check_formats
from tests.training.dataset.playing import Tutor, files, library, plain, played, written

PICTURED = ("paediatrics-01", "cardiology-01")


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def second_approved(view: TutorView, round_: int, draft: int) -> str:
    """The first draft of a round insults, and is not approved."""
    return plain(view, round_, draft) if draft > 1 else "That was stupid. What else?"


def decoded(url: str) -> tuple[str, bytes]:
    head, _, data = url.partition(",")
    assert head.startswith("data:image/")
    assert head.endswith(";base64")
    return head, base64.b64decode(data, validate=True)


@pytest.mark.parametrize("kind", ["single", "multi"])
def test_openai_has_the_rows_their_pictures_and_loss_on_the_targets_alone(
    store: Store, tmp_path: Path, kind: Any
) -> None:
    played(store, cases=library(*PICTURED), rounds=2)
    written(store, ["one"], tmp_path / "data", "openai", "jsonl")
    found = lines(tmp_path / "data" / "openai" / f"{kind}_train.jsonl")
    ours = list(rows(tmp_path / "data", kind))
    assert len(found) == len(ours) > 1
    pictures = 0
    for row, sample in zip(found, ours, strict=True):
        assert row.keys() == {"messages"}
        learnt = {len(sample.messages)} if kind == "single" else set(sample.target_spans)
        shown = []
        for at, (message, of_ours) in enumerate(zip(row["messages"], sample.chat, strict=True)):
            content = message["content"]
            blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
            assert message["role"] == of_ours["role"]
            assert "".join(one["text"] for one in blocks if one["type"] == "text") == text_of(of_ours)
            shown += [decoded(one["image_url"]["url"])[1] for one in blocks if one["type"] == "image_url"]
            assert isinstance(content, list) == bool(images_in([of_ours]))
            assert message.get("weight") == (
                0 if message["role"] == "assistant" and at not in learnt else None
            )
        assert [sha256(raw).hexdigest() for raw in shown] == [one.sha256 for one in sample.images]
        assert row["messages"][-1]["role"] == "assistant"
        pictures += len(shown)
    assert pictures


def test_a_rejected_draft_has_weight_nothing(store: Store, tmp_path: Path) -> None:
    played(store, Tutor(second_approved), rounds=2)
    written(store, ["one"], tmp_path / "data", "openai", "jsonl")
    ours = next(rows(tmp_path / "data", "multi"))
    own = [at for at, one in enumerate(ours.messages) if one["role"] == "assistant"]
    row = lines(tmp_path / "data" / "openai" / "multi_train.jsonl")[0]
    assert len(own) > len(ours.target_spans)
    assert [at for at in own if row["messages"][at].get("weight") != 0] == list(ours.target_spans)


def test_a_turn_that_counts_in_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="count in part"):
        check_formats(("openai",), Plan(prefixes="published"))
    check_formats(("openai",), Plan(prefixes="published", weights="published"))
    half = conversation([sample(said("user", "So?"))]).model_copy(update={"weights": (0.5,)})
    with pytest.raises(BadInput, match=r"counts 0\.5"):
        messages_of(half, Album(tmp_path))


def sample(*messages: Any, **more: Any) -> Sample:
    names = ("protocol", "seat", "run", "episode", "world", "case_id", "case_hash", "cluster")
    return Sample(
        id="row", turn=0, kind="single", target="Yes.", messages=messages, **dict.fromkeys(names, "x") | more
    )


def test_a_text_that_holds_a_marker_is_no_row_of_a_form_with_markers() -> None:
    whole = sample(said("user", "This is an <image> to you."))
    with pytest.raises(ValueError, match="1 markers for 0 images"):
        marked(whole, whole.messages)


def test_a_data_set_without_whole_rows_cannot_be_audited(store: Store, tmp_path: Path) -> None:
    """Nothing that is not looked at is clean."""
    played(store, rounds=1)
    written(store, ["one"], tmp_path / "data", "openai")
    with pytest.raises(BadInput, match="no whole rows, only openai"):
        audit(tmp_path / "data")
    assert CliRunner().invoke(app, ["dataset", "show", str(tmp_path / "data")]).exit_code == 1


def test_verl_wants_single_rows() -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install -e '.[analysis]'")
    with pytest.raises(BadInput, match="single"):
        check_formats(("verl",), Plan(kinds=("multi",)))


def prompts(data: Path, split: str = "train") -> list[dict[str, Any]]:
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="pyarrow is not installed: pip install -e '.[analysis]'"
    )
    found: list[dict[str, Any]] = parquet.read_table(data / "verl" / f"{split}.parquet").to_pylist()
    return found


def test_verl_has_each_prompt_its_pictures_and_the_facts_for_a_reward(store: Store, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install -e '.[analysis]'")
    played(store, cases=library(*PICTURED), rounds=2)
    written(store, ["one"], tmp_path / "data", "verl", "jsonl")
    ours = {one.id: one for one in rows(tmp_path / "data")}
    found = prompts(tmp_path / "data")
    assert [row["extra_info"]["id"] for row in found] == list(ours)
    assert [row["extra_info"]["index"] for row in found] == list(range(len(ours)))
    assert any(row["images"] for row in found)
    for row in found:
        of_ours = ours[row["extra_info"]["id"]]
        assert row["data_source"] == "osler/ward_round/tutor"
        assert row["prompt"] == marked(of_ours, of_ours.messages)
        assert row["prompt"][-1]["role"] == "user"
        assert json.loads(row["extra_info"]["context"]) == of_ours.context
        assert row["reward_model"] == {"style": "rule", "ground_truth": of_ours.context["answer"]}
        hashes = [sha256(one["bytes"]).hexdigest() for one in row["images"]]
        assert hashes == [one.sha256 for one in of_ours.images]
        assert sum(one["content"].count("<image>") for one in row["prompt"]) == len(hashes)
        # The turn that was said is what the policy has to find.
        assert of_ours.target not in json.dumps(row, default=str, ensure_ascii=False)


def test_verl_asks_a_prompt_once_and_gives_the_same_bytes(store: Store, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install -e '.[analysis]'")
    played(store, rounds=1)
    played(store, Tutor(lambda view, round_, draft: "All of you: what else is it?"), name="two", rounds=1)
    whole = []
    for out in ("data", "again"):
        manifest = written(store, ["one", "two"], tmp_path / out, "verl")
        assert manifest["samples"]["single"] == 2
        assert len(prompts(tmp_path / out)) == 1
        whole.append(files(tmp_path / out))
    assert whole[0] == whole[1]
