"""How much of a prompt its seat's previous prompt had already: what a server's prefix cache can save."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from itertools import zip_longest
from typing import NamedTuple

AFTER_TURN = 3


class Shares(NamedTuple):
    """`by_seat`: the share of prompt tokens in the common prefix, from the seat's fourth request on.
    `fresh_over_sent`: tokens in no such prefix over all tokens sent, over every request and seat."""

    by_seat: dict[str, float]
    fresh_over_sent: float
    requests: dict[str, int]


def shares(chains: Iterable[list[bytes]]) -> Shares:
    """Shares over consultations, each given as the bodies of its requests in order.

    Four characters count as a token everywhere, so the shares are shares of characters. Only requests of the
    same consultation are compared: rules that consultations share count as fresh in each.
    """
    late_sent, late_common = defaultdict[str, int](int), defaultdict[str, int](int)
    requests = defaultdict[str, int](int)
    sent = common = 0
    for chain in chains:
        before = dict[str, str]()
        turns = defaultdict[str, int](int)
        for body in chain:
            seat, prompt = read(body)
            shared = in_common(before.get(seat, ""), prompt)
            sent, common = sent + len(prompt), common + shared
            turns[seat] += 1
            requests[seat] += 1
            if turns[seat] > AFTER_TURN:
                late_sent[seat] += len(prompt)
                late_common[seat] += shared
            before[seat] = prompt
    by_seat = {seat: late_common[seat] / late_sent[seat] for seat in late_sent}
    return Shares(by_seat, (sent - common) / sent, dict(requests))


def in_common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    if other.startswith(one):
        return len(one)
    return next(at for at, (a, b) in enumerate(zip_longest(one, other)) if a != b)


def read(body: bytes) -> tuple[str, str]:
    """The seat that a request is for, by the name of the answer it wants, and its prompt as a chat template
    would write it out."""
    request = json.loads(body)
    name: str = request["response_format"]["json_schema"]["name"]
    prompt = "".join(f"<|{m['role']}|>\n{m['content']}\n" for m in request["messages"])
    return name.partition("_")[0], prompt
