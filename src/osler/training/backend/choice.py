"""The states, or encounters, of a data set that a policy is trained on, and those left out by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from osler.errors import BadInput
from osler.store.store import Store
from osler.training.backend.rollout import Words
from osler.training.prompts import Prompt
from osler.training.reading import pictured
from osler.training.samples import Sample
from osler.training.splits import TRAIN
from osler.training.state import images_in
from osler.training.task import TrainedSeat
from osler.training.world import World, Worlds

Stored = Callable[[str], Mapping[str, World]]
"""The worlds of a run's episodes by their keys, from the run's name."""


@dataclass
class Choice:
    """Goes through the rows of a data set once, one at a time; `left_out` counts by reason."""

    data: Path
    words: Words
    most: int
    split: str = TRAIN
    left_out: Counter[str] = field(default_factory=Counter)

    def states(self) -> Iterator[Prompt]:
        """The states of the split, with their pictures."""
        for sample, pictures in pictured(self.data, "single", self.split):
            if why := self._against(sample) or self._over_long(sample, pictures):
                self.left_out[why] += 1
            else:
                yield Prompt(sample, pictures)

    def encounters(self, stored: Stored) -> Iterator[Prompt]:
        """The encounters that are trained on, in the order of their first rows: one state of each, without
        its words."""
        samples, against = dict[tuple[str, str], Sample](), dict[tuple[str, str], str]()
        lengths = dict[tuple[str, str], tuple[int, str]]()
        for sample, pictures in pictured(self.data, "single", TRAIN):
            key = (sample.run, sample.episode)
            samples.setdefault(key, sample.model_copy(update={"messages": (), "images": (), "context": {}}))
            if why := self._against(sample) or _shown_later(sample):
                against[key] = why
            elif sample.turn < lengths.get(key, (sample.turn + 1, ""))[0]:
                # Later prompts are other ones when the policy speaks; the first is what it will be given.
                lengths[key] = (sample.turn, self._over_long(sample, pictures))
        for key, sample in samples.items():
            why = against.get(key) or lengths.get(key, (0, ""))[1]
            if why or key[1] not in stored(key[0]):
                self.left_out[why or "not_in_the_store"] += 1
            else:
                yield Prompt(sample)

    def _against(self, sample: Sample) -> str:
        """The reason why a row is left out, "" if it is not."""
        if sample.images and not self.words.sees:
            return "pictures"
        return "control_tokens" if self.words.holds_control(sample.messages) else ""

    def _over_long(self, sample: Sample, pictures: Sequence[bytes]) -> str:
        return "over_long" if len(self.words.asked(sample.messages, pictures)) > self.most else ""


def _shown_later(sample: Sample) -> str:
    """The reason where a picture came up after the policy first spoke: TRL trains on the first prompt's."""
    spoke = next((n for n, one in enumerate(sample.messages) if one["role"] == "assistant"), None)
    return "later_pictures" if spoke is not None and images_in(sample.messages[spoke:]) else ""


def none_left(data: Path, left_out: Mapping[str, int], what: str) -> BadInput:
    """The error for a data set of which nothing is left."""
    text = ", ".join(f"{name} {count}" for name, count in left_out.items() if count) or "it holds none"
    hints = {
        "pictures": "take a base that sees, or cases without pictures",
        "later_pictures": "train with --rollout state: there every picture is shown",
        "over_long": "--set max_prompt=N",
        "not_in_the_store": "name the store of the data set's runs with --store",
    }
    most = max(left_out, key=lambda name: left_out[name], default="")
    return BadInput(f"no {what} is left to train on: {text}", where=str(data), hint=hints.get(most, ""))


def stored_worlds(store: Store, seat: TrainedSeat) -> Stored:
    """A lookup of the worlds of stored runs by name; of a run that is not there, none."""
    result = dict[str, Mapping[str, World]]()

    def of(run: str) -> Mapping[str, World]:
        if run not in result:
            result[run] = _worlds(store, run, seat)
        return result[run]

    return of


def _worlds(store: Store, name: str, seat: TrainedSeat) -> Mapping[str, World]:
    try:
        run = store.run(name)
    except BadInput:
        return {}
    return Worlds(run, store, [row.key for row in store.episodes(run.id)], seat)
