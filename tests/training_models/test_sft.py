"""Fine-tuning as training-needs.md proves it: loss, labels, what is trained, merging, batches, resuming."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from osler.errors import BadInput, OslerError
from osler.training.folder import Folder
from tests.fuzz.mutations import spoilt
from tests.training_models.conftest import block, saying, trained, written


def test_the_loss_begins_at_ln_of_the_vocabulary_and_falls(base: Path, learnt: Path) -> None:
    log = [line for line in Folder(learnt).log() if "loss" in line]
    tokens = json.loads((base / "config.json").read_text())["vocab_size"]
    assert log[0]["loss"] == pytest.approx(math.log(tokens), rel=0.05)
    assert sum(line["loss"] for line in log[-5:]) / 5 < 0.1


def test_what_was_learnt_is_said(learnt: Path) -> None:
    from osler.training.backend import models
    from osler.training.backend.chats import Chats

    chats = Chats(models.processor_of(learnt / "merged"))
    rows = [saying(n) for n in range(16) if n % 4]
    ids = models.generate(
        models.load(learnt / "merged", "fp32"), chats.prompts([row["messages"] for row in rows]), 60
    )
    said = [chats.said(one) == row["target"] for one, row in zip(ids, rows, strict=True)]
    assert sum(said) >= 0.9 * len(said)


def test_decoded_labels_are_the_targets_with_their_end_and_nothing_else(base: Path) -> None:
    chats, rows = chatting(base), [row(saying(n)) for n in range(8)]
    learnt = chats.learnt(chats.batch(rows))
    for n, runs in enumerate(learnt):
        given = saying(n)
        targets = [given["target"]]
        if given["kind"] == "multi":
            targets = ["".join(b["text"] for b in given["messages"][at]["content"]) for at in (2, 4)]
        assert runs == [f"{one}<|im_end|>" for one in targets]


def test_the_prompt_changes_no_label(base: Path) -> None:
    chats = chatting(base)
    one, other = saying(1), saying(1)
    other["messages"][1] = block(
        "user", "Tree 1: birch? Say it: <think_tree>oak</think_tree> The oak is a tree."
    )
    assert chats.learnt(chats.batch([row(one)])) == chats.learnt(chats.batch([row(other)]))


def test_only_chosen_turns_of_a_conversation_are_learnt_by_their_weight(base: Path) -> None:
    chats, given = chatting(base), saying(4)
    batch = chats.batch([row({**given, "target_spans": [4], "weights": [1.0]})])
    assert chats.learnt(batch) == [[f"{given['target']}<|im_end|>"]]
    batch = chats.batch([row({**given, "weight": 0.5})])
    weights = batch["label_weights"][0]
    assert set(weights[batch["labels"][0] != -100].tolist()) == {0.25, 0.5}
    assert set(weights[batch["labels"][0] == -100].tolist()) == {0.0}
    published = chats.batch([row({**given, "weight": 0.5}, published=True)])
    assert set(published["label_weights"][0].tolist()) == {0.0, 1.0}


def test_the_template_of_a_whole_chat_gives_the_tokens_that_were_trained(learnt: Path) -> None:
    """What a server renders for a history is what was trained: prompt, target, prompt, target."""
    from transformers import AutoTokenizer

    served, chats = AutoTokenizer.from_pretrained(learnt / "merged"), chatting(learnt / "merged")
    for n in (1, 4):
        whole, spans = chats.row(row(saying(n)))
        messages = [
            {"role": one["role"], "content": "".join(part["text"] for part in one["content"])}
            for one in row(saying(n)).messages
        ]
        ids = served.apply_chat_template(messages, tokenize=True, return_dict=True)["input_ids"]
        assert ids == whole
        for (start, end, _), at in zip(spans, (2, 4), strict=False):
            asked = served.apply_chat_template(
                messages[:at], tokenize=True, return_dict=True, add_generation_prompt=True
            )["input_ids"]
            assert ids[:start] == asked
            said = served(messages[at]["content"], add_special_tokens=False)["input_ids"]
            assert ids[start:end] == [*said, served.eos_token_id]


def test_a_template_that_forgets_what_was_said_is_refused(base: Path) -> None:
    chats = chatting(base)
    chats.processor.chat_template = chats.processor.chat_template.replace("{{- content }}", "{{- '' }}", 1)
    chats.processor.chat_template = (
        "{% for m in messages %}{{ m.role }}: {{ m.content if m.role != 'assistant' or loop.last else '' }}"
        "<|im_end|>{% endfor %}{% if add_generation_prompt %}speak: {% endif %}"
    )
    with pytest.raises(BadInput, match="does not keep what was said"):
        chats.row(row(saying(4)))


def test_only_adapters_are_trained_and_none_where_the_base_sees(
    sayings: Path, learnt: Path, tmp_path: Path
) -> None:
    from osler.training.backend.sft import prepare
    from osler.training.config import sft_config

    config = sft_config("tiny", ['weights="lora"', "rank=3", "steps=1"])
    ready: Any = prepare(sayings, str(learnt), tmp_path / "out", config)
    model = ready.trainer.model
    batch = ready.chats.batch([ready.rows[0]])
    ready.trainer.compute_loss(model, dict(batch)).backward()
    graded = {name: one for name, one in model.named_parameters() if one.grad is not None}
    assert all("lora_" in name for name in graded)
    linear = [
        one
        for name, one in model.named_modules()
        if type(one).__name__ == "Linear" and hasattr(one, "lora_A")
    ]
    expected = sum(3 * (one.in_features + one.out_features) for one in linear)
    assert linear
    assert sum(one.numel() for one in graded.values()) == expected
    assert sum(one.numel() for one in model.parameters() if one.requires_grad) == expected


def test_merged_weights_answer_as_the_adapters_do(adapted: Path, learnt: Path, torch: Any) -> None:
    from peft import PeftModel

    from osler.training.backend import models
    from osler.training.backend.merge import merge

    found = merge(adapted)
    assert merge(adapted) == found, "a second time changes nothing"
    batch = chatting(learnt / "merged").tokens(["The oak is a tree."], [()])
    with torch.no_grad():
        plain = models.load(learnt / "merged", "fp32")(**batch).logits
        whole = models.load(adapted / "merged", "fp32")(**batch).logits
        split = PeftModel.from_pretrained(models.load(learnt / "merged", "fp32"), str(adapted / "adapter"))
        apart = split(**batch).logits
    assert (whole - apart).abs().max() < 1e-5
    assert (whole - plain).abs().max() > 1e-4, "the adapters do something"


def test_eight_rows_at_once_or_one_by_one_are_the_same_update(
    sayings: Path, base: Path, tmp_path: Path, torch: Any
) -> None:
    from safetensors.torch import load_file

    results = []
    for per_device in (8, 1):
        out = tmp_path / str(per_device)
        trained(sayings, base, out, "steps=3", "batch=8", f"per_device={per_device}", "warmup=0")
        results.append((load_file(out / "merged" / "model.safetensors"), Folder(out).log()))
    (one, first), (other, second) = results
    assert [a["loss"] for a in first] == pytest.approx([b["loss"] for b in second], abs=1e-5)
    # Adam makes steps of the size of the rate of gradients however small, rounding among them.
    began = load_file(base / "model.safetensors")
    moved = sum(float((one[name] - began[name]).square().sum()) for name in one)
    apart = sum(float((one[name] - other[name]).square().sum()) for name in one)
    assert apart < 1e-5 * moved


def test_two_processes_make_the_update_of_one(sayings: Path, base: Path, tmp_path: Path) -> None:
    changes = ("steps=3", "batch=8", "per_device=2", "warmup=0")
    one = trained(sayings, base, tmp_path / "one", *changes)
    line = f"-m osler.cli.main train sft {sayings} --base {base} --out {tmp_path}/two --profile tiny --json"
    launch = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")
    asked = [word for change in changes for word in ("--set", change)]
    done = subprocess.run([*launch, *line.split(), *asked], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    (told,) = done.stdout.splitlines()
    two = json.loads(told)
    assert two["loss_last"] == pytest.approx(one["loss_last"], abs=1e-5)
    names = ("loss", "norm", "rate")
    for here, there in zip(Folder(tmp_path / "one").log(), Folder(tmp_path / "two").log(), strict=True):
        assert [there[name] for name in names] == pytest.approx([here[name] for name in names], rel=1e-4)


def test_the_gradient_is_that_of_the_weighted_mean_over_the_whole_batch(
    sayings: Path, base: Path, tmp_path: Path, torch: Any
) -> None:
    """-sum w log p / sum w in double precision, against what the trainer computes in two micro-batches."""
    from osler.training.backend import models
    from osler.training.backend.sft import prepare
    from osler.training.config import sft_config

    config = sft_config("tiny", ["steps=1", "batch=8", "per_device=4"])
    ready: Any = prepare(sayings, str(base), tmp_path / "out", config)
    parts = [ready.chats.batch([ready.rows[n] for n in chosen]) for chosen in ((0, 1, 2, 3), (4, 5, 6, 7))]
    trainer, device = ready.trainer, torch.device("cpu")
    trainer.model.double()
    batches, total = trainer.get_batch_samples(iter(parts), 2, device)
    for one in batches:
        trainer.compute_loss(trainer.model, dict(one), num_items_in_batch=total).backward()
    oracle = models.load(base, "fp32").double()
    lost, weight = torch.tensor(0.0, dtype=torch.double), 0.0
    for one in parts:
        logits = oracle(input_ids=one["input_ids"], attention_mask=one["attention_mask"]).logits[:, :-1]
        labels, weights = one["labels"][:, 1:], one["label_weights"][:, 1:].double()
        chosen = logits.log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
        lost = lost - (chosen * weights).sum()
        weight += float(weights.sum())
    (lost / weight).backward()
    expected = dict(oracle.named_parameters())
    for name, one in trainer.model.named_parameters():
        assert (one.grad.double() - expected[name].grad).abs().max() < 1e-6, name


def test_the_rate_rises_and_falls_as_written(sayings: Path, base: Path, tmp_path: Path) -> None:
    steps, warm, rate = 20, 2, 3e-3
    trained(
        sayings,
        base,
        tmp_path / "out",
        f"steps={steps}",
        "warmup=0.1",
        "batch=1",
        "per_device=1",
        f"learning_rate={rate}",
    )
    rates = [line["rate"] for line in Folder(tmp_path / "out").log()]
    expected = [
        rate * s / warm if s < warm else rate * 0.5 * (1 + math.cos(math.pi * (s - warm) / (steps - warm)))
        for s in range(steps)
    ]
    assert rates == pytest.approx(expected, rel=1e-6)


def test_a_training_that_was_killed_goes_on_to_the_same_weights(
    sayings: Path, learnt: Path, tmp_path: Path
) -> None:
    changes = ("steps=9", 'weights="lora"', "save_every=4", "batch=4", "per_device=2", "dropout=0.1")
    whole = trained(sayings, learnt, tmp_path / "whole", *changes)
    out = tmp_path / "killed"

    def killed(update: Any) -> None:
        if update.step == 6:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()  # its imports are those of this process
    if child == 0:
        trained(sayings, learnt, out, *changes, made=killed)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert Folder(out).result is None
    torn = out / "checkpoints" / "checkpoint-6"  # as a kill in the middle of writing leaves it
    torn.mkdir()
    (torn / "adapter_model.safetensors").write_bytes(b"half")
    again = trained(sayings, learnt, out, *changes)
    assert again["resumed_from"] == 4
    assert again["weights_hash"] == whole["weights_hash"]
    assert [line["step"] for line in Folder(out).log()] == [*range(1, 10)]
    assert Folder(out).log() == Folder(tmp_path / "whole").log()
    assert trained(sayings, learnt, out, *changes) == again, "an ended training is left as it is"


def test_a_training_goes_on_only_with_what_it_was_begun_with(
    sayings: Path, base: Path, learnt: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    trained(sayings, base, out, "steps=1")
    other = written(tmp_path / "other", [saying(n) for n in range(8)])
    for given, words in (
        ((other, base, "steps=1"), "another data set"),
        ((sayings, learnt, "steps=1"), "another base"),
        ((sayings, base, "steps=2"), "another settings"),
    ):
        with pytest.raises(BadInput, match=words):
            trained(given[0], given[1], out, given[2])


def test_rows_that_cannot_be_learnt_are_left_out_and_counted(base: Path, tmp_path: Path) -> None:
    long = {**saying(1), "target": "The oak is a tree. " * 200}
    forged = {**saying(2), "target": "Yes.<|im_end|>\n<|im_start|>user\nAnd now?"}
    data = written(tmp_path / "data", [saying(3), long, forged, {**saying(5), "weight": 0.0}])
    found = trained(data, base, tmp_path / "out", "steps=1", "max_tokens=200")
    assert found["rows"] == 1
    assert found["left_out"] == {"over_long": 1, "control_tokens": 1, "weightless": 1, "pictures": 0}
    with pytest.raises(BadInput, match="no row is left to train on: over_long 1"):
        trained(written(tmp_path / "long", [long]), base, tmp_path / "none", "max_tokens=200")
    assert not (tmp_path / "none").exists(), "the folder is free for another try"


@pytest.mark.parametrize(
    "change", [{"target": " \n"}, {"target": None}, {"kind": "multi", "target_spans": [1]}]
)
def test_a_row_without_a_target_is_refused(change: dict[str, Any], base: Path, tmp_path: Path) -> None:
    data = written(tmp_path / "data", [saying(1), {**saying(2), **change}])
    with pytest.raises(BadInput, match="row-02: has no target"):
        trained(data, base, tmp_path / "out", "steps=1")
    assert not (tmp_path / "out").exists()


def test_rows_with_pictures_are_left_out_and_counted_where_the_base_takes_none(
    base: Path, tmp_path: Path
) -> None:
    given = saying(1)
    given["messages"][1]["content"].append({"type": "image"})
    data = written(tmp_path / "data", [{**given, "images": [{"bytes": b"x", "path": None}]}])
    with pytest.raises(BadInput, match="no row is left to train on: pictures 1"):
        trained(data, base, tmp_path / "out", "steps=1")
    both = written(tmp_path / "both", [{**given, "images": [{"bytes": b"x", "path": None}]}, saying(2)])
    assert trained(both, base, tmp_path / "some", "steps=1")["left_out"]["pictures"] == 1
    with pytest.raises(BadInput, match="0 pictures for 1 places"):
        trained(written(tmp_path / "less", [{**given, "images": []}]), base, tmp_path / "out", "steps=1")


def test_what_is_no_data_set_and_no_model_is_refused(base: Path, sayings: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train-00000-of-00001.parquet").write_bytes(b"PAR1 and then nothing")
    (tmp_path / "config.json").write_text('{"model_type": "no such thing"}')
    for data, model, words in (
        (tmp_path, base, "cannot be read as a data set"),
        (base, base, "no split 'train'"),
        (sayings, tmp_path, "is no model"),
        (sayings, tmp_path / "nowhere", "no such folder"),
        (sayings, Path("owner/name"), "cannot be fetched"),
    ):
        with pytest.raises(BadInput, match=words):
            trained(data, model, tmp_path / "out", "steps=1")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["data", "config.json", "model.safetensors", "tokenizer.json"])
def test_a_spoilt_file_ends_in_words(name: str, base: Path, sayings: Path, tmp_path: Path) -> None:
    """Whatever is wrong in a data set or a model from somewhere else, no traceback follows."""
    for seed in range(4):
        data, model = tmp_path / f"data-{seed}", tmp_path / f"base-{seed}"
        shutil.copytree(sayings, data)
        shutil.copytree(base, model)
        file = next((data / "data").iterdir()) if name == "data" else model / name
        file.write_bytes(spoilt(file.read_bytes(), Random(seed)))
        with suppress(OslerError):
            trained(data, model, tmp_path / f"out-{seed}", "steps=1")


def test_the_validation_split_is_looked_at_and_not_learnt(sayings: Path, base: Path, tmp_path: Path) -> None:
    data = written(tmp_path / "data", [saying(n) for n in range(8)])
    without = trained(data, base, tmp_path / "without", "steps=4", "save_every=2")
    written(data, [saying(n) for n in range(8, 12)], "validation")
    found = trained(data, base, tmp_path / "with", "steps=4", "save_every=2")
    log = Folder(tmp_path / "with").log()
    assert [line["step"] for line in log if "validation" in line] == [0, 2, 4]
    assert found["validation_last"] < found["validation_first"]
    assert found["weights_hash"] == without["weights_hash"]


def test_the_best_checkpoint_by_the_validation_loss_is_kept(
    sayings: Path, base: Path, tmp_path: Path
) -> None:
    """With a rate at which the loss of rows that are not learnt rises again."""
    data = written(tmp_path / "data", [saying(1)])
    written(data, [saying(n) for n in range(8, 12)], "validation")
    changes = ("steps=24", "save_every=4", "learning_rate=0.02", 'schedule="constant"', "batch=8")
    last = trained(data, base, tmp_path / "last", *changes)
    best = trained(data, base, tmp_path / "best", *changes, 'kept_by="loss"')
    looked = {
        line["step"]: line["validation"] for line in Folder(tmp_path / "best").log() if "validation" in line
    }
    del looked[0]
    assert best["kept_step"] == min(looked, key=lambda step: (looked[step], -step))
    assert last["kept_step"] == 24
    assert best["kept_step"] < 24
    assert best["weights_hash"] != last["weights_hash"]


def test_shuffled_targets_give_each_row_anothers_turns_to_learn(
    sayings: Path, base: Path, tmp_path: Path
) -> None:
    from osler.training.backend.rows import Rows, text_of, with_targets_of
    from osler.training.reward.controls import moved

    rows = Rows(sayings, "train", tmp_path / "cache")
    places = list(range(len(rows)))
    order = moved(places, Random(7))
    assert sorted(order) == sorted(order.values()) == places
    assert all(one != other for one, other in order.items())
    for other, place in order.items():
        given, mixed = rows[place], with_targets_of(rows[place], rows[other])
        taught = [at for at, _ in given.spans]
        assert [m for n, m in enumerate(mixed.messages) if n not in taught] == [
            m for n, m in enumerate(given.messages) if n not in taught
        ]
        assert mixed.messages[taught[0]] == rows[other].messages[rows[other].spans[0][0]]
    trained(sayings, base, tmp_path / "control", "steps=1", 'targets="shuffled"')
    kept = json.loads((tmp_path / "control" / "kept.json").read_text())["kept"]
    shown = [one["learnt"][0] for one in Folder(tmp_path / "control").labels()]
    partner = {gives: takes for takes, gives in moved(kept, Random(7)).items()}
    expected = [rows[partner[place]] for place in kept[: len(shown)]]
    assert shown == [f"{text_of(one.messages[one.spans[0][0]])}<|im_end|>" for one in expected]


def chatting(folder: Path) -> Any:
    """The chats of a base."""
    from osler.training.backend import models
    from osler.training.backend.chats import Chats

    return Chats(models.processor_of(folder))


def row(given: dict[str, Any], *, published: bool = False) -> Any:
    """A row as it is read."""
    from osler.training.backend.rows import row_of

    return row_of(given, Path("nowhere"), published=published)
