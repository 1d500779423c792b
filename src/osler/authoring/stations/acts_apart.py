"""Terms by which each act of a draft is recognized, and no other act's plain wording."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from osler.text.act_rules import meets, stems


def told_apart(acts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same acts with terms that recognize their own wording and, where words allow it, no other's."""
    for act in acts:
        if meets(act["what"], act["terms"]) is None:
            words = [word for word in re.findall(r"[A-Za-z0-9]+", act["what"].lower()) if stems(word)]
            act["terms"] = [*act["terms"], " & ".join(dict.fromkeys(words))]
    for act in acts:
        for other in acts:
            # Those of one drug are told apart by their doses.
            dosed = act.get("exact") and other.get("exact") and act["terms"] == other["terms"]
            if other is not act and not dosed:
                other["terms"] = _apart(act["what"], other)
    return acts


def _apart(what: str, other: Mapping[str, Any]) -> list[str]:
    """The terms of an act, without those that would recognize another act's plain wording."""
    kept = []
    for term in other["terms"]:
        if meets(what, (term,)) is None:
            kept.append(term)
            continue
        words = [
            word
            for word in re.findall(r"[A-Za-z]{3,}", what.lower())
            if not set(stems(word)) & set(stems(other["what"]))
        ]
        stricter = next(
            (
                f"{term} & !{word}"
                for word in words
                if stems(word) and meets(other["what"], (f"{term} & !{word}",))
            ),
            None,
        )
        if stricter and meets(what, (stricter,)) is None:
            kept.append(stricter)
        else:
            kept.append(term)
    return kept
