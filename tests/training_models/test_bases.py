"""A pretrained base from GGUF or a folder, and the plan of a training on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osler.errors import BadInput
from osler.training.folder import Folder
from tests.training_models.conftest import trained

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.fixture(scope="module")
def llama(base: Path, room: Path) -> Path:
    """A tiny Llama without biases, as the format holds it, with the tokenizer of the other base."""
    from transformers import LlamaConfig, LlamaForCausalLM, set_seed

    from osler.training.backend import models

    set_seed(7)
    written = json.loads((base / "config.json").read_text())
    width = written["hidden_size"] // written["num_attention_heads"]
    model = LlamaForCausalLM(LlamaConfig(**{**written, "attention_bias": False, "head_dim": width}))
    models.save(model, models.processor_of(base), room / "llama")
    return room / "llama"


def as_gguf(base: Path, path: Path) -> Path:
    """A base of the Llama family as a GGUF file of 32-bit numbers, with its tokenizer and a template."""
    gguf: Any = pytest.importorskip("gguf")
    from osler.training.backend import models

    config = json.loads((base / "config.json").read_text())
    model, tokenizer = models.load(base, "fp32"), models.tokenizer_of(models.processor_of(base))
    writer = gguf.GGUFWriter(path, "llama")
    heads = config["num_attention_heads"]
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(10_000.0)
    writer.add_vocab_size(config["vocab_size"])
    writer.add_license("apache-2.0")
    written = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    words = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)
    special = set(tokenizer.all_special_tokens)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(words)
    writer.add_token_types([3 if one in special else 1 for one in words])
    writer.add_token_merges([one if isinstance(one, str) else " ".join(one) for one in written["merges"]])
    writer.add_bos_token_id(tokenizer.eos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_pad_token_id(tokenizer.pad_token_id)
    writer.add_chat_template(TEMPLATE)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config["num_hidden_layers"])
    for name, tensor in model.state_dict().items():
        array = tensor.numpy()
        for part, of in (("q_proj", heads), ("k_proj", config["num_key_value_heads"])):
            if part in name:  # GGUF has the halves of a rotated head side by side
                shape = array.shape
                array = array.reshape(of, 2, shape[0] // of // 2, *shape[1:]).swapaxes(1, 2).reshape(shape)
        if name != "lm_head.weight":
            writer.add_tensor(names.get_name(name.removesuffix(".weight")) + ".weight", array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_base_from_gguf_has_its_weights_template_licence_and_hash(llama: Path, tmp_path: Path) -> None:
    from osler.training.backend import models
    from osler.training.backend.bases import make_base

    manifest = make_base(str(as_gguf(llama, tmp_path / "tiny.gguf")), tmp_path / "made")
    given, made = models.load(llama, "fp32").state_dict(), models.load(tmp_path / "made", "fp32").state_dict()
    assert all(bool((given[name] == made[name]).all()) for name in given)
    assert manifest["licence"] == "apache-2.0"
    assert manifest["source"] == "tiny.gguf"
    assert manifest == json.loads((tmp_path / "made" / "base.json").read_text())
    tokenizer = models.processor_of(tmp_path / "made")
    asked = tokenizer.apply_chat_template([{"role": "user", "content": "Elm?"}], tokenize=False)
    assert asked == "<|im_start|>user\nElm?<|im_end|>\n"


def test_a_base_from_gguf_is_trained_on(llama: Path, sayings: Path, tmp_path: Path) -> None:
    from osler.training.backend.bases import make_base

    make_base(str(as_gguf(llama, tmp_path / "tiny.gguf")), tmp_path / "made")
    result = trained(sayings, tmp_path / "made", tmp_path / "out", "steps=30", "learning_rate=0.008")
    assert result["loss_last"] < result["loss_first"]


def test_a_base_from_a_folder_says_that_its_licence_was_not_stated(base: Path, tmp_path: Path) -> None:
    from osler.training.backend.bases import NOT_STATED, make_base
    from osler.training.backend.models import weights_hash

    assert make_base(str(base), tmp_path / "made")["licence"] == NOT_STATED
    assert weights_hash(tmp_path / "made") == weights_hash(base)
    assert make_base(str(base), tmp_path / "again", "MIT")["licence"] == "MIT"
    assert make_base(str(tmp_path / "again"), tmp_path / "third")["licence"] == "MIT"


def test_what_is_no_base_is_refused_in_words(base: Path, tmp_path: Path) -> None:
    from osler.training.backend.bases import make_base

    (tmp_path / "no.gguf").write_bytes(b"GGUF, it says")
    with pytest.raises(BadInput, match="cannot be read as GGUF"):
        make_base(str(tmp_path / "no.gguf"), tmp_path / "made")
    with pytest.raises(BadInput, match="no such file"):
        make_base(str(tmp_path / "missing.gguf"), tmp_path / "made")
    with pytest.raises(BadInput, match="holds something else"):
        make_base(str(base), base)


def test_a_plan_measures_three_updates_and_keeps_nothing(sayings: Path, base: Path, tmp_path: Path) -> None:
    from osler.training.backend.planning import plan_of
    from osler.training.config import sft_config

    config = sft_config("tiny", ("steps=40", "batch=8"))
    plan = plan_of(sayings, str(base), config)
    result = trained(sayings, base, tmp_path / "out", "steps=40", "batch=8")
    log = [line for line in Folder(tmp_path / "out").log() if "loss" in line]
    assert (plan.rows, plan.updates) == (result["rows"], 40)
    assert plan.tokens == pytest.approx(sum(line["tokens"] for line in log), rel=0.2)
    assert plan.minutes > 0
    assert plan.memory_mb > 50
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]
