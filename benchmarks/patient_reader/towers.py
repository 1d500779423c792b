"""Training of the two towers: a vector for every token of questions, and of statements, on CPU with torch.

A question's vector is the weighted sum of its tokens'; so is a statement's. A fact's score is the product
of both vectors, plus a soft maximum of the question's cosine to the questions asked for that fact before,
without itself. The loss is that of a softmax over the facts of the case and none of them.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import torch
from torch.nn.functional import dropout, normalize

from osler.protocols.shared.players.question_bank import key_of, tokens_of
from osler.protocols.shared.players.weighing import Known
from osler.text.phrases import words
from osler.text.spelling import mended
from patient_reader.lines import Line

SIZE: Final = 64
EPOCHS: Final = 9
_TOPIC_WEIGHT: Final = 4.0
_BATCH: Final = 64
_RATE: Final = 4e-3
_DROP: Final = 0.2
_SHARP: Final = 8.0


class _Tower:
    def __init__(self, counted: Sequence[Mapping[str, float]], least: int, *, weighted: bool) -> None:
        spread = Counter(token for tokens in counted for token in tokens)
        self.tokens = sorted(token for token, count in spread.items() if count >= least)
        self.rows = {token: row for row, token in enumerate(self.tokens)}
        total = len(counted)
        self.weight = np.array(
            [
                math.log((total + 1) / (spread[token] + 0.5))
                if weighted
                else (_TOPIC_WEIGHT if token.startswith("TOPIC:") else 1.0)
                for token in self.tokens
            ],
            dtype=np.float32,
        )
        self.table = torch.nn.EmbeddingBag(len(self.tokens), SIZE, mode="sum")
        torch.nn.init.normal_(self.table.weight, 0, 0.15 if weighted else 0.3)

    def encoded(self, tokens: Mapping[str, float]) -> tuple[list[int], list[float]]:
        known = [(self.rows[token], min(count, 1.0)) for token, count in tokens.items() if token in self.rows]
        weights = [count * float(self.weight[row]) for row, count in known]
        length = math.sqrt(sum(weight * weight for weight in weights)) or 1.0
        return [row for row, _ in known], [weight / length for weight in weights]

    def vectors(self, encoded: Sequence[tuple[list[int], list[float]]]) -> torch.Tensor:
        rows: list[int] = []
        weights: list[float] = []
        starts: list[int] = []
        for at, weight in encoded:
            starts.append(len(rows))
            rows += at
            weights += weight
        return self.table(
            torch.tensor(rows, dtype=torch.long),
            torch.tensor(starts),
            per_sample_weights=torch.tensor(weights, dtype=torch.float),
        )


def trained(learned: Sequence[Line], cases: Mapping[str, tuple[Known, ...]], seed: int) -> dict[str, Any]:
    """The arrays of a question bank (see `Bank`), trained on the lines."""
    torch.manual_seed(seed)
    torch.set_num_threads(2)
    chance = random.Random(seed)
    statements = [fact for facts in cases.values() for fact in facts]
    row_of = {(case, fact.id): 0 for case, facts in cases.items() for fact in facts}
    row_of = {key: row for row, key in enumerate(row_of)}
    question = _Tower([tokens_of(line.heard.text) for line in learned], 2, weighted=True)
    held = [{**tokens_of(fact.text), f"TOPIC:{fact.topic}": 1.0} for fact in statements]
    statement = _Tower(held, 2, weighted=False)
    asked = [question.encoded(tokens_of(line.heard.text)) for line in learned]
    told = [statement.encoded(tokens) for tokens in held]
    mix = torch.nn.Parameter(torch.tensor([1.0, 1.0]))
    none = torch.nn.Linear(SIZE, 1)
    given = [*question.table.parameters(), *statement.table.parameters(), mix, *none.parameters()]
    optimizer = torch.optim.AdamW(given, lr=_RATE, weight_decay=1e-3)
    of_case: dict[str, list[int]] = defaultdict(list)
    own: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, line in enumerate(learned):
        of_case[line.case].append(at)
        for name in line.answers:
            own[line.case, name].append(at)
    for epoch in range(EPOCHS):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (1 - epoch / EPOCHS) + 2e-4
        order = sorted(of_case)
        chance.shuffle(order)
        for case in order:
            facts = cases[case]
            rows = [at for fact in facts for at in own[case, fact.id]]
            member = torch.zeros(len(facts), len(rows))
            for column, n in enumerate(n for n, fact in enumerate(facts) for _ in own[case, fact.id]):
                member[n, column] = 1.0
            mine = of_case[case][:]
            chance.shuffle(mine)
            for start in range(0, len(mine), _BATCH):
                batch = mine[start : start + _BATCH]
                vector = dropout(question.vectors([asked[at] for at in batch]), _DROP)
                keys = statement.vectors([told[row_of[case, fact.id]] for fact in facts])
                scores = mix[0] * (vector @ keys.T)
                itself = torch.tensor([[float(at == row) for row in rows] for at in batch])
                cosine = (
                    normalize(vector) @ normalize(question.vectors([asked[at] for at in rows])).T
                    - 10 * itself
                )
                near = ((_SHARP * cosine).exp() @ member.T + 1e-6).log() / _SHARP
                near = torch.where(member.sum(1) > 0, near, torch.tensor(-0.5))
                every = torch.log_softmax(torch.cat([scores + mix[1] * _SHARP * near, none(vector)], 1), 1)
                right = torch.zeros_like(every)
                for n, at in enumerate(batch):
                    hits = [m for m, fact in enumerate(facts) if fact.id in learned[at].answers]
                    right[n, hits or [-1]] = 1.0
                loss = -torch.logsumexp(every + (right + 1e-9).log(), 1).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        vectors = normalize(question.vectors(asked)).numpy()
    pairs = [
        (at, row_of[line.case, name])
        for at, line in enumerate(learned)
        for name in sorted(line.answers)
        if (line.case, name) in row_of
    ]
    return {
        "questions": _packed(" ".join(words(mended(line.heard.text))) for line in learned),
        "statements": _packed(" ".join(words(fact.text)) for fact in statements),
        "keys": _packed(key_of(fact) for fact in statements),
        "topics": _packed(fact.topic for fact in statements),
        "answers": np.array(pairs, dtype=np.uint16),
        "asked": np.round(vectors * 127).astype(np.int8),
        "mix": mix.detach().numpy().astype(np.float32),
        "none": np.append(none.weight.detach().numpy().ravel(), none.bias.detach().numpy()).astype(
            np.float32
        ),
        **_stored("question", question),
        **_stored("statement", statement),
    }


def _packed(texts: Any) -> Any:
    return np.frombuffer("\n".join(texts).encode(), dtype=np.uint8)


def _stored(name: str, tower: _Tower) -> dict[str, Any]:
    table = tower.table.weight.detach().numpy()
    scale = np.abs(table).max(1) / 127 + 1e-12
    return {
        f"{name}_tokens": _packed(tower.tokens),
        f"{name}_vectors": np.round(table / scale[:, None]).astype(np.int8),
        f"{name}_scale": scale.astype(np.float16),
        f"{name}_weight": tower.weight.astype(np.float16),
    }
