"""Make a language model of random weights that any server can load: `python tiny_model.py FOLDER`.

Run by the Python of the server's own environment; Osler's has no part of it. Nothing is fetched: the tokenizer
is trained on the few sentences below, the weights are drawn from a fixed seed. What the model says means nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Final

VOCABULARY: Final = 600
POSITIONS: Final = 32768  # more than any prompt of a short consultation
SENTENCES: Final = (
    "The patient has had a dull pain in the chest since yesterday evening, worse on walking upstairs.",
    "When did the cough begin, and have you had fever, chills or night sweats with it?",
    "No blood in the urine, no burning, no headache, no rash; the appetite is good and the weight is steady.",
    "Examination of the abdomen: soft, no tenderness. Heart rate 84 a minute, blood pressure 128 over 76.",
    'Answer with one JSON object: {"action": "ASK", "question": "How long?", "evidence": [], "note": null}',
    "REQUEST TEST: [full blood count] DIAGNOSIS READY: [pneumonia] CONSULT: [what do you think of it?]",
)
TEMPLATE: Final = (
    "{% for message in messages %}<s>{{ message.role }}\n{{ message.content }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant\n{% endif %}"
)


def make(folder: Path) -> None:
    """Write a tokenizer and about 200,000 random weights into `folder`, in the format of `transformers`."""
    # By name, because the types of these packages are not known where this file is checked.
    tokenizers, transformers, torch = map(import_module, ("tokenizers", "transformers", "torch"))
    plain = tokenizers.ByteLevelBPETokenizer()
    plain.train_from_iterator(SENTENCES, VOCABULARY, show_progress=False, special_tokens=["<s>", "</s>"])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain._tokenizer, bos_token="<s>", eos_token="</s>", chat_template=TEMPLATE
    )
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
    model.generation_config.do_sample = True  # so that seeds and temperatures are heeded
    model.save_pretrained(folder)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
