"""Lay and colloquial wordings of tests and examinations: "listen to your chest", "bloods for the kidneys"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

import yaml

from osler.text.act_rules import Rule, rule


@cache
def _rules() -> dict[str, tuple[Rule, ...]]:
    text = files("osler.text").joinpath("order_wordings.yaml").read_text("utf-8")
    source = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - a safe loader
    return {name: tuple(map(rule, rules)) for name, rules in source.items()}


def lay_names(said: Sequence[str], around: Sequence[str]) -> Iterator[str]:
    """The names of the tests and examinations that stems (`osler.text.act_rules.stems`) speak of, if nothing
    `around` them, in the whole of what is said, rules it out."""
    for name, rules in _rules().items():
        if any(one.met(said) and not one.forbids(around) for one in rules):
            yield name
