"""The released reward's behaviour, as `training-needs.md` describes it: what the tests hold ours against.

Written from the description of its faults, for tests alone. `score` returns one number a sample, or leaves
the sample out, which is one of the faults.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

Judge = Callable[[str], str]
OPENING = ("think_history", "think_question", "think_student", "think_group", "think_image")
VETO = ("IS-1", "CS-1", "CS-2")


def is_1(text: str, ground_truth: str, names_in_prompt: str = "") -> float:
    """Opening tags anywhere; names wherever in any block, as far as the "prompt" holds analyses."""
    tags = sum(f"<{tag}" in text for tag in OPENING)
    if tags < len(OPENING):
        return -2.0
    _, found, analyses = ground_truth.partition("Current Student Analyses")
    names = re.findall(r"-\s*(\w+)\s*:", analyses) if found else []
    if not names:
        return 2.0
    return -2 + 4 * sum(name in text for name in names) / len(names)


def total(text: str, ground_truth: str, judge: Judge) -> float:
    """The sum over whatever the judge returns; -15 if an item that vetoes is below 0."""
    marks: dict[str, float] = {"IS-1": is_1(text, ground_truth)}
    try:
        answer = json.loads(judge(f"Context: {ground_truth}\nTurn: {text}"))
    except ValueError:
        answer = {}
    marks |= answer
    if any(marks.get(name, 0) < 0 for name in VETO):
        return -15.0
    return sum(marks.values())


def batch(texts: Sequence[str], ground_truths: Sequence[str], judge: Judge) -> list[float]:
    """The rewards of a batch; a sample whose judge's answer raises vanishes from it."""
    rewards = []
    for text, truth in zip(texts, ground_truths, strict=True):
        try:
            rewards.append(total(text, truth, judge))
        except TypeError:
            continue
    return rewards
