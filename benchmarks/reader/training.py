"""Training of the sentence encoder on the labelled lines, on CPU with torch.

A question's vector shall lie near those of the facts that answer it and of questions that they answered
before. The loss is that of a softmax over the facts of the case and none of them; several right facts count
as one. The embeddings and the lower three layers stay as they are, so what they make of each text is computed
once.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final

import numpy as np
import torch
from torch.nn import functional

from osler.reading.encoder import HEADS, LAYERS, MOST_PIECES, SIZE, WordPieces
from osler.reading.meanings import words_of
from osler.reading.questions import ComparedFact
from reader.lines import Cases
from reader.questions import Question

FROZEN: Final = 3
_BATCH: Final = 64
_RATE: Final = 1.5e-4
_RATE_OF_OWN: Final = 1e-2
_WARM: Final = 0.06
_DROP: Final = 0.1
_SHARP: Final = 8.0
_EPSILON: Final = 1e-12
_TELLS: Final = 50


class _Layer:
    """A layer of the encoder, as `osler.reading.encoder` computes it; one that `learns` may change."""

    def __init__(self, weights: Mapping[str, Any], layer: int, *, learns: bool) -> None:
        prefix = f"{layer}."
        self.held = {
            name.removeprefix(prefix): torch.tensor(value, requires_grad=learns)
            for name, value in weights.items()
            if name.startswith(prefix)
        }
        self._drop: Final = _DROP if learns else 0.0

    def states(self, states: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        """The next states of the pieces of several texts, one after another; `there` has a row for each text
        and is true for each of its pieces."""

        def product(name: str, of: torch.Tensor) -> torch.Tensor:
            return functional.linear(of, self.held[f"{name}.weight"], self.held[f"{name}.bias"])

        def norm(name: str, of: torch.Tensor) -> torch.Tensor:
            weight, bias = self.held[f"{name}.weight"], self.held[f"{name}.bias"]
            return functional.layer_norm(of, (SIZE,), weight, bias, _EPSILON)

        def heads(name: str) -> torch.Tensor:
            found = product(name, states)
            padded = found.new_zeros(*there.shape, SIZE)
            padded[there] = found
            return padded.view(*there.shape, HEADS, -1).transpose(1, 2)

        seen = functional.scaled_dot_product_attention(
            heads("query"), heads("key"), heads("value"), attn_mask=there[:, None, None, :]
        )
        mixed = product("out", seen.transpose(1, 2).reshape(*there.shape, SIZE)[there])
        states = norm("after", states + functional.dropout(mixed, self._drop))
        inner = product("down", functional.gelu(product("up", states), approximate="tanh"))
        return norm("last", states + functional.dropout(inner, self._drop))


def _there(lengths: Sequence[int]) -> torch.Tensor:
    return torch.arange(max(lengths))[None] < torch.tensor(lengths)[:, None]


class _Encoder:
    """The trained layers over the kept states of each text, with the sharpness and the vector of "none"."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        self.pieces = WordPieces(weights["pieces"])
        self.words = torch.tensor(weights["words"])
        self.places = torch.tensor(weights["places"])
        self.first = (torch.tensor(weights["first.weight"]), torch.tensor(weights["first.bias"]))
        self.lower = [_Layer(weights, layer, learns=False) for layer in range(FROZEN)]
        self.upper = [_Layer(weights, layer, learns=True) for layer in range(FROZEN, LAYERS)]
        self.none = torch.tensor(weights["none"], requires_grad=True)
        self.none_bias = torch.tensor(weights["none.bias"], requires_grad=True)
        self.log_sharp = torch.tensor(np.log(weights["sharp"]), requires_grad=True)
        self.mix = torch.tensor(0.5, requires_grad=True)
        self.absent = torch.tensor(0.3, requires_grad=True)
        self.kept: dict[tuple[str, str], torch.Tensor] = {}

    def keep(self, texts: Sequence[tuple[str, str]]) -> None:
        """Compute what the lower layers make of each (text, earlier)."""
        rows = {
            text: self.pieces.rows(text[0], text[1], most=MOST_PIECES)
            for text in dict.fromkeys(texts)
            if text not in self.kept
        }
        order = sorted(rows, key=lambda text: len(rows[text]))
        for start in range(0, len(order), 128):
            some = order[start : start + 128]
            lengths = [len(rows[text]) for text in some]
            at = torch.tensor([row for text in some for row in rows[text]])
            places = torch.cat([self.places[:length] for length in lengths])
            states = functional.layer_norm(self.words[at] + places, (SIZE,), *self.first, _EPSILON)
            with torch.no_grad():
                for layer in self.lower:
                    states = layer.states(states, _there(lengths))
            self.kept |= zip(some, states.half().split(lengths), strict=True)

    def vectors(self, texts: Sequence[tuple[str, str]]) -> torch.Tensor:
        """The vectors, of length 1, of texts whose states are kept."""
        kept = [self.kept[text] for text in texts]
        lengths = [len(one) for one in kept]
        states = torch.cat(kept).float()
        there = _there(lengths)
        for layer in self.upper:
            states = layer.states(states, there)
        of_text = torch.arange(len(kept)).repeat_interleave(torch.tensor(lengths))
        summed = torch.zeros(len(kept), SIZE).index_add(0, of_text, states)
        return functional.normalize(summed, dim=1)

    def weights(self, start: Mapping[str, Any]) -> dict[str, Any]:
        """All weights: those to start with, the trained ones in place of theirs."""
        found = dict(start)
        for layer, module in zip(count(FROZEN), self.upper, strict=False):
            for name, value in module.held.items():
                found[f"{layer}.{name}"] = value.detach().numpy().copy()
        found["none"] = functional.normalize(self.none, dim=0).detach().numpy()
        found["none.bias"] = self.none_bias.detach().numpy().copy()
        found["sharp"] = self.log_sharp.exp().detach().numpy()
        return found


def trained(
    start: Mapping[str, Any], asked: Sequence[Question], cases: Cases, *, epochs: int, seed: int = 0
) -> dict[str, Any]:
    """The weights after so many epochs from those to `start` with."""
    torch.manual_seed(seed)
    # Where other work shares the processors, threads wait for each other.
    torch.set_num_threads(1)
    chance = random.Random(seed)
    encoder = _Encoder(start)
    encoder.keep([(words_of(fact), "") for facts in cases.values() for fact in facts])
    encoder.keep([(one.heard.text, earlier) for one in asked for earlier in {"", one.line.earlier}])
    print(f"{len(encoder.kept)} texts", flush=True)
    layers = [value for layer in encoder.upper for value in layer.held.values()]
    own = [encoder.none, encoder.none_bias, encoder.log_sharp, encoder.mix, encoder.absent]
    optimizer = torch.optim.AdamW(
        [
            {"params": layers, "rate": _RATE, "weight_decay": 0.01},
            {"params": own, "rate": _RATE_OF_OWN, "weight_decay": 0.0},
        ]
    )
    batches = [batch for _ in range(epochs) for batch in _batches(asked, chance)]
    total = 0.0
    for at, batch in enumerate(batches):
        part = min(1.0, (at + 1) / (_WARM * len(batches))) * (1 - at / len(batches))
        for group in optimizer.param_groups:
            group["lr"] = group["rate"] * part
        loss = _loss(encoder, batch, cases, chance)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*layers, *own], 1.0)
        optimizer.step()
        total += loss.item()
        if (at + 1) % _TELLS == 0:
            print(f"step {at + 1} of {len(batches)}: loss {total / _TELLS:.3f}", flush=True)
            total = 0.0
    return encoder.weights(start)


def _batches(asked: Sequence[Question], chance: random.Random) -> list[list[Question]]:
    """The questions in batches: of one case, or of a few of which each has few questions."""
    of_case: dict[str, list[Question]] = defaultdict(list)
    for one in asked:
        of_case[one.line.case].append(one)
    parts: list[list[Question]] = []
    for mine in of_case.values():
        chance.shuffle(mine)
        size = math.ceil(len(mine) / math.ceil(len(mine) / _BATCH))
        parts += [mine[start : start + size] for start in range(0, len(mine), size)]
    chance.shuffle(parts)
    batches: list[list[Question]] = []
    small: list[Question] = []
    for part in parts:
        if len(part) > _BATCH / 2:
            batches.append(part)
        else:
            small += part
            if len(small) > _BATCH / 2:
                batches.append(small)
                small = []
    chance.shuffle(batches)
    return batches + ([small] if small else [])


def _loss(encoder: _Encoder, batch: Sequence[Question], cases: Cases, chance: random.Random) -> torch.Tensor:
    """The loss of a batch: by the facts alone, and by the facts and the other questions of the batch."""
    facts: list[tuple[str, ComparedFact]] = [
        (case, fact) for case in dict.fromkeys(one.line.case for one in batch) for fact in cases[case]
    ]
    keys = encoder.vectors([(words_of(fact), "") for _, fact in facts])
    texts = [(one.heard.text, one.line.earlier if chance.random() < 0.5 else "") for one in batch]
    vectors = encoder.vectors(texts)
    candidate = torch.tensor([[one.line.case == case for case, _ in facts] for one in batch])
    right = torch.tensor(
        [[one.line.case == case and fact.id in one.line.answers for case, fact in facts] for one in batch]
    )
    none = vectors @ functional.normalize(encoder.none, dim=0) + encoder.none_bias
    every = torch.cat([vectors @ keys.T, none[:, None]], 1)
    near = vectors @ vectors.T - 10 * torch.eye(len(batch))
    near = ((_SHARP * near).exp() @ right.float() + 1e-4).log() / _SHARP
    asked_before = (right.sum(0) - right.int()) > 0
    near = torch.where(asked_before, near, encoder.absent)
    support = functional.pad(near, (0, 1), value=0.0)
    sharp = encoder.log_sharp.exp()
    allowed = functional.pad(candidate, (0, 1), value=True)
    hit = torch.cat([right, ~right.any(1, keepdim=True)], 1)
    return _missed(sharp * every, allowed, hit) + _missed(
        sharp * (every + encoder.mix * support), allowed, hit
    )


def _missed(scores: torch.Tensor, allowed: torch.Tensor, hit: torch.Tensor) -> torch.Tensor:
    scores = scores.masked_fill(~allowed, -1e4)
    return (scores.logsumexp(1) - scores.masked_fill(~hit, -1e4).logsumexp(1)).mean()
