"""Make language models that a real server can load: `python tiny_model.py FOLDER < MODELS`.

MODELS is a JSON object from a model's name to what it may answer. A model with no answers has random weights
and babbles; one with answers says one of them, each as likely, whatever it is asked, and then stops. Nothing
is fetched: the tokenizer is trained on Osler's own prompts, the weights are drawn from a fixed seed. What
these models say means nothing.

Run by the Python of the server's environment (`server.py`); Osler's own has no torch.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final

VOCABULARY: Final = 2000
POSITIONS: Final = 65536  # more than any prompt of a short consultation
SURE: Final = 10.0  # logits so high that nothing else is ever drawn
PROMPTS: Final = Path(__file__).parent.parent.parent / "src" / "osler" / "prompts" / "templates"
TEMPLATE: Final = (
    "{% for message in messages %}<s>{{ message.role }}\n{{ message.content }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<s>{% endif %}"
)


def make(folder: Path, answers: list[str]) -> None:
    """Write one model, of about 300,000 weights, into `folder` in the format of `transformers`."""
    # By name, because these packages and their types are not there where this file is checked.
    tokenizers, transformers, torch = map(import_module, ("tokenizers", "transformers", "torch"))
    words = tokenizers.ByteLevelBPETokenizer()
    prompts = sorted(str(path) for path in PROMPTS.iterdir())
    words.train(prompts, VOCABULARY, show_progress=False, special_tokens=["<s>", "</s>"])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words._tokenizer, bos_token="<s>", eos_token="</s>", chat_template=TEMPLATE
    )
    tokenizer.add_tokens(answers)  # each answer is one token
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=POSITIONS,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    model = transformers.LlamaForCausalLM(config)
    if answers:
        with torch.no_grad():
            _teach(model, config, tokenizer.convert_tokens_to_ids(answers))
    model.generation_config.do_sample = True  # so that seeds are heeded
    model.save_pretrained(folder)


def _teach(model: Any, config: Any, answers: list[int]) -> None:  # of packages whose types are not known here
    """Let the last token alone decide what follows: an answer the prompt's end, the end an answer."""
    for layer in model.model.layers:
        layer.self_attn.o_proj.weight.zero_()
        layer.mlp.down_proj.weight.zero_()
    token = model.model.embed_tokens.weight
    token /= token.norm(dim=1, keepdim=True)
    following = model.lm_head.weight.zero_()
    following[answers] = SURE * token[config.bos_token_id]
    following[config.eos_token_id] = SURE * token[answers].sum(dim=0)


if __name__ == "__main__":
    for name, said in json.load(sys.stdin).items():
        make(Path(sys.argv[1]) / name, said)
