"""Lint rules for what an examinee sees: nothing that must be earned, and never ids, labels or the title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from osler.cases.importers.json_paths import clean
from osler.cases.importers.leaks import nearly, plain
from osler.cases.lint_problem import Problem
from osler.cases.scenarios.model import Scenario

FEWEST_WORDS: Final = 4
"""A run of fewer words than this may occur in two places by chance."""
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\n+")


def seen(scenario: Scenario) -> Iterator[Problem]:
    """Problems in the texts shown by an explicit scenario."""
    free, later = _at_the_door(scenario), _later(scenario)
    yield from _earned_too_early(scenario, free)
    yield from names_shown(scenario, {**free, **later})
    for where, text in free.items():
        for name, held in (("title", scenario.title or ""), *_labels(scenario)):
            word = nearly(held, clean(text)) if held else None
            if word:
                yield Problem("hints", "warning", f"{word!r} stands in the {name}, which is not shown", where)


def names_shown(scenario: Scenario, texts: Mapping[str, str]) -> Iterator[Problem]:
    """Ids, labels and the title that occur in texts an examinee sees."""
    facts = (known.id for known in scenario.knows)
    ids = [scenario.case_id, *scenario.actions_by_id, *facts, *scenario.states_by_id]
    # An id that is a single plain word cannot be told from ordinary text.
    told = [name for name in dict.fromkeys(ids) if not name.isalpha()]
    for where, text in texts.items():
        low = f" {text.lower()} "
        for name in told:
            if re.search(rf"(?<![\w-]){re.escape(name.lower())}(?![\w-])", low):
                yield Problem("visible-id", "error", f"shows the id {name}", where)
        if re.search(r"\bscenario ?\d+\b", low):
            yield Problem("visible-id", "error", "shows a scenario's number", where)
        for name, label in (("title", scenario.title or ""), *_labels(scenario)):
            words = plain(label).split()
            if len(words) > 1 and f" {' '.join(words)} " in f" {plain(text)} ":
                yield Problem("visible-label", "error", f"shows the {name}: {label!r}", where)


def pieces(text: str) -> Iterator[str]:
    """The sentences of a text that are long enough to be recognized elsewhere, in plain words."""
    for sentence in _SENTENCE.split(text):
        found = plain(sentence)
        if len(found.split()) >= FEWEST_WORDS:
            yield found


def _labels(scenario: Scenario) -> Iterator[tuple[str, str]]:
    return ((f"label of {state.id}", state.label) for state in scenario.states)


def _at_the_door(scenario: Scenario) -> dict[str, str]:
    first = scenario.states[0]
    texts = {"instructions": scenario.instructions, "setting": scenario.setting, "opening": scenario.opening}
    texts[f"states[{first.id}].status"] = first.status
    texts |= {f"states[{first.id}].events[{n}]": event for n, event in enumerate(first.events)}
    texts |= {f"states[{first.id}].lines[{n}]": line.words for n, line in enumerate(first.lines)}
    for person in scenario.people:
        texts[f"people[{person.id}]"] = f"{person.name}: {person.about}"
    return texts


def _later(scenario: Scenario) -> dict[str, str]:
    texts: dict[str, str] = {}
    for state in scenario.states[1:]:
        texts[f"states[{state.id}].status"] = state.status
        texts |= {f"states[{state.id}].events[{n}]": event for n, event in enumerate(state.events)}
        texts |= {f"states[{state.id}].lines[{n}]": line.words for n, line in enumerate(state.lines)}
    for action in scenario.actions:
        told = (
            action.result,
            action.refused,
            *action.by_state.values(),
            *(line.words for line in action.lines),
        )
        texts[f"actions[{action.id}].result"] = "\n".join(told)
    return texts


def _earned_too_early(scenario: Scenario, free: Mapping[str, str]) -> Iterator[Problem]:
    hidden = [
        (f"knows[{known.id}]", text)
        for known in scenario.knows
        if known.told != "volunteered"
        for text in (known.text, known.spoken or "")
    ]
    hidden += [
        (f"actions[{action.id}].result", text)
        for action in scenario.actions
        for text in (action.result, *action.by_state.values())
    ]
    for where, text in free.items():
        shown = f" {plain(text)} "
        given = (source for source, held in hidden if any(f" {one} " in shown for one in pieces(held)))
        for source in dict.fromkeys(given):
            yield Problem("given-away", "error", f"tells what must be asked for, of {source}", where)
