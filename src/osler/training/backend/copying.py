"""Heads that copy, set by hand in a tiny base of otherwise random weights.

Every real base copies what stands in its prompt: after "Ann" and what followed it before, it expects the same
again. A random one takes thousands of updates to find that out, and names differ from round to round, so a
tiny base gets it as a gift: an induction head (Olsson et al., In-context learning and induction heads, 2022).

    layer 0, heads 0 to 2    look 1, 2 and 3 tokens back, by their biases and the rotation of positions
    layer 1, head 0          looks for the place whose token before is the present one, and whose third token
                             before is the present one's second, and repeats what stands there

It speaks from the first update on: were it quiet, the names of the rows would be learnt by heart before it is
heard, and others never copied. So the first loss of such a base lies below that of a guess, ln V.
"""

from __future__ import annotations

from typing import Any, Final

BLOCK, HALF = 32, 16
WIDTH, HEADS, HEAD = 2 * BLOCK + 2 * HALF, 4, 64
"""Width, heads and the size of a head that this takes."""
THETA: Final = 1e9
"""The base of the rotation: large, so that most of a head turns too slowly to blur a match far away."""
_STD: Final = 0.5
_SHARP, _GAIN, _LOUD = 10.0, 2.0, 8.0
_FAR: Final = 1500
_TURNED: Final = 0.6


def set_copying(model: Any, seed: int) -> None:
    """Set the heads of a Llama of this width, with biases and at least two layers."""
    import torch

    random = torch.Generator().manual_seed(seed)

    def frame(rows: int, columns: int) -> Any:
        """Rows at right angles to each other."""
        whole = torch.randn(max(rows, columns), max(rows, columns), generator=random)
        return torch.linalg.qr(whole)[0][:rows, :columns]

    turns = THETA ** (-torch.arange(HEAD // 2) / (HEAD // 2))
    slow = [n for n in range(HEAD // 2) if turns[n] * _FAR < _TURNED]
    still = slow + [n + HEAD // 2 for n in slow]
    narrow, match = frame(HALF, BLOCK), 2 * len(still) // 3
    first, second = frame(match, BLOCK), frame(len(still) - match, HALF)
    with torch.no_grad():
        words = model.model.embed_tokens.weight
        words.zero_()
        words[:, :BLOCK] = torch.randn(len(words), BLOCK, generator=random) * _STD
        looks, copies = (model.model.layers[n].self_attn for n in (0, 1))
        looks.o_proj.weight.zero_()
        places = (BLOCK, 2 * BLOCK, 2 * BLOCK + HALF)
        for head, (place, kept) in enumerate(zip(places, (torch.eye(BLOCK), narrow, narrow), strict=True)):
            _look_back(looks, head, 1 + head, turns)
            looks.v_proj.weight[head * HEAD : (head + 1) * HEAD] = 0
            looks.v_proj.weight[head * HEAD : head * HEAD + len(kept), :BLOCK] = kept
            looks.o_proj.weight[place : place + len(kept), head * HEAD : head * HEAD + len(kept)] = (
                torch.eye(len(kept)) * _STD
            )
        for one in (copies.q_proj, copies.k_proj, copies.v_proj):
            one.weight[:HEAD] = 0
        asked, result = copies.q_proj.weight, copies.k_proj.weight
        asked[still[:match], :BLOCK] = result[still[:match], BLOCK : 2 * BLOCK] = first * _GAIN
        asked[still[match:], 2 * BLOCK : 2 * BLOCK + HALF] = second * _GAIN
        result[still[match:], 2 * BLOCK + HALF : WIDTH] = second * _GAIN
        copies.v_proj.weight[:BLOCK, :BLOCK] = torch.eye(BLOCK)
        copies.o_proj.weight[:BLOCK, :HEAD] = 0
        copies.o_proj.weight[:BLOCK, :BLOCK] = torch.eye(BLOCK) * _STD * _LOUD


def _look_back(attention: Any, head: int, tokens: int, turns: Any) -> None:
    """Let a head look so many tokens back, whatever they are."""
    import torch

    rows, fast = slice(head * HEAD, (head + 1) * HEAD), HEAD // 4
    asked, result = torch.zeros(HEAD), torch.zeros(HEAD)
    result[:fast] = 1.0
    # Positions turn query and key; turned back by `tokens`, they lie side by side just there.
    asked[:fast] = torch.cos(-tokens * turns[:fast])
    asked[HEAD // 2 : HEAD // 2 + fast] = torch.sin(-tokens * turns[:fast])
    for one, bias in ((attention.q_proj, asked), (attention.k_proj, result)):
        one.weight[rows] = 0
        one.bias[rows] = bias * _SHARP
