"""Make language models that a real server can load: `python tiny_model.py FOLDER < MODELS`.

MODELS is a JSON object from a model's name to what it may answer. A model with no answers has random weights
and babbles; one with answers says one of them, each as likely, whatever it is asked, and then stops. Nothing
is fetched: the tokenizer is trained on Osler's own prompts, the weights are drawn from a fixed seed. What
these models say means nothing.

Run by the Python of the server's environment (`server.py`), which has what is imported by name below; torch,
which is slow to import, is not needed.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Weights = dict[str, npt.NDArray[np.float32]]
PROMPTS: Final = Path(__file__).parent.parent.parent / "src" / "osler"
VOCABULARY: Final = 2000
WIDTH: Final = 64
LAYERS: Final = 2
BEGIN, END = 0, 1  # tokens; BEGIN stands before every message, and last of all before the answer
SURE: Final = 10.0  # logits so high that nothing else is ever drawn
TEMPLATE: Final = (
    "{% for message in messages %}<s>{{ message.role }}\n{{ message.content }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<s>{% endif %}"
)
CONFIG: Final = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": WIDTH,
    "intermediate_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 65536,
    "bos_token_id": BEGIN,
    "eos_token_id": END,
    "tie_word_embeddings": False,
    "dtype": "float32",
}


def make(folder: Path, words: Any, answers: list[str]) -> None:  # a tokenizer, whose types are not known here
    """Write one model, of about 300,000 weights, into `folder` in the format of `transformers`."""
    folder.mkdir()
    words.add_tokens(answers)  # each answer is one token
    words.save(str(folder / "tokenizer.json"))
    described = {
        "config": {**CONFIG, "vocab_size": words.get_vocab_size()},
        "generation_config": {"do_sample": True, "eos_token_id": END},  # drawn, so that seeds are heeded
        "tokenizer_config": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": "<s>",
            "eos_token": "</s>",
            "chat_template": TEMPLATE,
        },
    }
    for name, value in described.items():
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    weights = random_weights(words.get_vocab_size())
    if answers:
        teach(weights, [words.token_to_id(answer) for answer in answers])
    import_module("safetensors.numpy").save_file(weights, folder / "model.safetensors", {"format": "pt"})


def random_weights(vocabulary: int) -> Weights:
    """Weights by the names that a Llama has for them."""
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (vocabulary, WIDTH),
        "lm_head.weight": (vocabulary, WIDTH),
    }
    norms = ["model.norm.weight"]
    for layer in (f"model.layers.{n}" for n in range(LAYERS)):
        parts = [f"self_attn.{part}_proj" for part in "qkvo"] + [
            f"mlp.{part}_proj" for part in ("gate", "up", "down")
        ]
        shapes |= {f"{layer}.{part}.weight": (WIDTH, WIDTH) for part in parts}
        norms += [f"{layer}.input_layernorm.weight", f"{layer}.post_attention_layernorm.weight"]
    rng = np.random.default_rng(0)
    drawn = {name: rng.normal(0, 0.02, shape).astype(np.float32) for name, shape in shapes.items()}
    return {**drawn, **{name: np.ones(WIDTH, np.float32) for name in norms}}


def teach(weights: Weights, answers: list[int]) -> None:
    """Let the last token alone decide what follows: an answer the prompt's end, the end an answer."""
    for name, values in weights.items():
        if name.endswith(("o_proj.weight", "down_proj.weight", "lm_head.weight")):
            values[:] = 0
    token = weights["model.embed_tokens.weight"]
    token /= np.linalg.norm(token, axis=1, keepdims=True)
    following = weights["lm_head.weight"]
    following[answers] = SURE * token[BEGIN]
    following[END] = SURE * token[answers].sum(axis=0)


def main(folder: Path, models: dict[str, list[str]]) -> None:
    """Write every model into a folder of its name."""
    trainer = import_module("tokenizers").ByteLevelBPETokenizer
    prompts = sorted(str(path) for path in PROMPTS.rglob("*.jinja"))
    for name, answers in models.items():
        words = trainer()
        words.train(prompts, VOCABULARY, show_progress=False, special_tokens=["<s>", "</s>"])
        make(folder / name, words, answers)


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.load(sys.stdin))
