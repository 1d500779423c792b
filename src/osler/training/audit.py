"""The audit of a written data set: what leaked over its splits, what is there twice, what does not fit.

    case           a case, or a cluster of cases, in two splits
    passage        cases of two splits that share a passage (see `osler.training.splits`), or a target with a
                   passage of a case of another split
    picture        a picture in two splits
    duplicate      the same target twice for one case, or the same row twice
    near           nearly the same targets for two cases
    marker         markers that are not images, or bytes that are not a picture's
    span           a target that is no turn of the seat's
    revision       refused drafts that its messages do not end with, or that nobody refused; one that passed
    length         a row longer than the data set's own limit
    file           a file that is not the one the manifest names

Against another data set, that one's rows are what may not be in this one's training split.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.files import sha256_of
from osler.training.filters import IMAGE, NEARLY, nearly_the_same
from osler.training.lengths import ESTIMATE, Ruler, ruler
from osler.training.likeness import Near, grams, normal, runs
from osler.training.manifest import quantiles
from osler.training.reading import case_lines, cases_of, every, manifest_of
from osler.training.samples import Kind, Sample
from osler.training.splits import PASSAGE, TRAIN, CaseText, case_text, ties
from osler.training.state import images_in, text_of
from osler.training.written import CASES

_SHOWN: Final = 80


class Finding(NamedTuple):
    """Something wrong: of which kind, where, and in words."""

    kind: str
    where: str
    what: str


class Audited(NamedTuple):
    """The result of an audit: findings, and what was looked at."""

    findings: tuple[Finding, ...]
    rows: int
    cases: int
    tokens: dict[str, dict[str, int]]
    tokenizer: str
    stock_runs: int
    """Runs of eight words that cases of different splits share, too few between any two to be a passage."""

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


class _SplitContents:
    """The contents of some splits: their cases, pictures, and targets by case."""

    def __init__(self) -> None:
        self.texts: dict[str, list[str]] = {}
        self.cases: dict[str, CaseText] = {}
        self.split_of: dict[str, dict[str, str]] = {"case": {}, "cluster": {}, "picture": {}}
        self.findings: list[Finding] = []
        self.targets: list[tuple[str, str, str, frozenset[int]]] = []

    def place(self, kind: str, name: str, split: str, where: str) -> None:
        """Note a thing's split, and find that it was in another."""
        first = self.split_of[kind].setdefault(name, split)
        if first != split:
            noun = "picture" if kind == "picture" else "case"
            self.findings.append(Finding(noun, where, f"the {kind} {name} is in {first} and in {split}"))
            self.split_of[kind][name] = first

    def take(self, sample: Sample, split: str) -> None:
        """Note a row."""
        for kind, name in (("case", sample.case_hash), ("cluster", sample.cluster)):
            self.place(kind, name, split, sample.id)
        for image in sample.images:
            self.place("picture", image.sha256, split, sample.id)
        if sample.case_hash not in self.cases:
            texts = self.texts.get(sample.case_hash)
            if texts is None:
                what = f"the case {sample.case_id} is not among the data set's"
                self.findings.append(Finding("case", sample.id, what))
            self.cases[sample.case_hash] = case_text(sample.case_hash, sample.case_id, texts or ())
        if sample.kind != "multi":
            texts = [sample.target, *(draft.text for draft in sample.refused_drafts)]
            self.targets.append((sample.id, sample.case_hash, split, runs(texts)))


def audit(folder: Path, against: Path | None = None, tokenizer: Path | None = None) -> Audited:
    """Audit a data set. Raises BadInput for a folder that is none, or a row that cannot be read."""
    manifest = manifest_of(folder)
    training, by = _SplitContents(), ruler(tokenizer)
    measured = _Lengths(by, manifest, again=tokenizer is not None)
    twice = _Twice()
    count = 0
    training.texts = cases_of(folder)
    for sample, raw in every(folder):
        count += 1
        training.take(sample, TRAIN if against is not None and sample.split == TRAIN else sample.split)
        training.findings += (*_rows(sample, raw), *_revised(sample))
        training.findings += (*twice.look(sample), *measured.look(sample))
    misplaced = list(_misplaced(folder, training))
    if against is not None:
        training = _only_training(training)
        training.texts = cases_of(against)
        for sample, _ in every(against):
            training.take(sample, f"{against.name}/{sample.split}")
    copied, stock = _passages(training)
    training.findings += (*copied, *_files(folder, manifest), *misplaced)
    result = tuple(dict.fromkeys(training.findings))
    return Audited(result, count, len(training.cases), measured.quantiles(), measured.name, stock)


def _misplaced(folder: Path, seen: _SplitContents) -> Iterator[Finding]:
    """Cases that the list of cases places in another split than their rows."""
    for one in case_lines(folder / CASES):
        case, split = str(one["case_hash"]), one.get("split")
        held = seen.split_of["case"].get(case, split)
        if held != split:
            yield Finding("case", case, f"{CASES} has it in {split}, and its rows are in {held}")


def _only_training(seen: _SplitContents) -> _SplitContents:
    """Of what was seen, what is trained on: the rest may be in the other data set."""
    training = _SplitContents()
    training.findings = seen.findings
    for kind, places in seen.split_of.items():
        training.split_of[kind] = {name: split for name, split in places.items() if split == TRAIN}
    training.cases = {name: case for name, case in seen.cases.items() if name in training.split_of["case"]}
    training.targets = [one for one in seen.targets if one[2] == TRAIN]
    return training


def _rows(sample: Sample, raw: tuple[bytes, ...]) -> Iterator[Finding]:
    """Yield the faults of a row by itself."""
    where = sample.id
    if images_in(sample.messages) != len(sample.images):
        yield Finding(
            "marker", where, f"{images_in(sample.messages)} markers for {len(sample.images)} images"
        )
    if any(IMAGE in text_of(one) for one in sample.chat):
        yield Finding("marker", where, f"a message says {IMAGE} in words")
    for image, bytes_ in zip(sample.images, raw, strict=True):
        if sha256(bytes_).hexdigest() != image.sha256:
            yield Finding("marker", where, f"the bytes of the picture {image.sha256[:12]} are others")
    roles = [one["role"] for one in sample.messages]
    if sample.kind == "multi":
        wrong = [at for at in sample.target_spans if not 0 <= at < len(roles) or roles[at] != "assistant"]
        if wrong or not sample.target_spans or len(sample.weights) != len(sample.target_spans):
            yield Finding("span", where, f"targets {list(sample.target_spans)} of {len(roles)} messages")
    elif not sample.target.strip() or not roles or roles[-1] == "assistant":
        yield Finding("span", where, "a prompt that does not end before the target")


def _revised(sample: Sample) -> Iterator[Finding]:
    """Find what is wrong with a revision by itself."""
    drafts, where = sample.refused_drafts, sample.id
    if sample.kind != "revision":
        if drafts:
            yield Finding("revision", where, f"a row of the kind {sample.kind} has refused drafts")
        return
    places = sample.drafts_at
    last = max((at for at, one in enumerate(sample.messages) if one["role"] == "assistant"), default=-1)
    if not drafts or len(places) < len(drafts) or places[-1] != last:
        yield Finding("revision", where, "its messages do not end with the drafts that were refused")
    for draft in drafts:
        if not draft.refusals:
            yield Finding("revision", where, "nobody refused its draft")
        if nearly_the_same(draft.text, sample.target):
            yield Finding("revision", where, "nearly the words that were refused passed")


class _Twice:
    """A finder of duplicate targets in a kind of row; a turn and its revision, of two kinds, share one."""

    def __init__(self) -> None:
        self._ids = set[tuple[str, str]]()
        self._said = dict[tuple[str, str, str], str]()
        self._near = defaultdict[Kind, Near](lambda: Near(NEARLY))

    def look(self, sample: Sample) -> Iterator[Finding]:
        """Look at a row."""
        if (sample.kind, sample.id) in self._ids:
            yield Finding("duplicate", sample.id, "two rows have this id")
        self._ids.add((sample.kind, sample.id))
        if sample.kind == "multi":
            return
        key = (sample.kind, sample.case_hash, normal(sample.target))
        first = self._said.setdefault(key, sample.id)
        if first != sample.id:
            yield Finding("duplicate", sample.id, f"the same target for the same case as {first}")
            return
        result, near = grams(sample.target), self._near[sample.kind]
        if (other := near.find(sample.case_hash, result)) is not None:
            yield Finding("near", sample.id, f"nearly the same target as {other}, of another case")
        near.add(sample.id, sample.case_hash, result)


class _Lengths:
    """The rows' lengths: as they were counted, or by another tokenizer."""

    def __init__(self, by: Ruler, manifest: dict[str, Any], *, again: bool) -> None:
        settings = manifest.get("settings") or {}
        most = settings.get("most_tokens")
        self._most = most if isinstance(most, int) else 0
        self._by, self._again = by, again
        self._counts = dict[str, list[int]]()
        self.name = by.name if again else str(settings.get("tokenizer") or ESTIMATE)

    def look(self, sample: Sample) -> Iterator[Finding]:
        """Look at a row."""
        tokens = self._by.row(sample, {}) if self._again else sample.tokens
        for part, count in tokens.items():
            self._counts.setdefault(f"{sample.kind} {part}", []).append(count)
        total = sum(tokens.values())
        if self._most and total > self._most:
            yield Finding("length", sample.id, f"{total} tokens by {self.name}, and {self._most} are allowed")

    def quantiles(self) -> dict[str, dict[str, int]]:
        """The quantiles by part."""
        return {part: quantiles(counts) for part, counts in sorted(self._counts.items())}


def _passages(seen: _SplitContents) -> tuple[list[Finding], int]:
    """Passages that cases of different splits share, and targets that hold one; and the number of runs that
    such cases share beside them."""
    split_of, result = seen.split_of["case"], list[Finding]()
    for tie in ties(seen.cases.values()):
        if split_of[tie.one] != split_of[tie.other]:
            one, other = seen.cases[tie.one], seen.cases[tie.other]
            what = f"{one.id} in {split_of[one.hash]} and {other.id} in {split_of[other.hash]}: {tie.why}"
            result.append(Finding("passage", tie.one, what))
    holding = dict[int, list[str]]()
    for case in seen.cases.values():
        for run in case.runs:
            holding.setdefault(run, []).append(case.hash)
    stock = sum(len({split_of[name] for name in names}) > 1 for names in holding.values())
    for ident, own, split, said in seen.targets:
        counts = Counter(
            name
            for run in said
            if own not in (names := holding.get(run, []))
            for name in names
            if split_of[name] != split
        )
        for name, count in sorted(counts.items()):
            if count >= PASSAGE:
                what = (
                    f"a target in {split} shares {count} runs with {seen.cases[name].id} in {split_of[name]}"
                )
                result.append(Finding("passage", ident, what))
    return result, stock


def _files(folder: Path, manifest: dict[str, Any]) -> Iterator[Finding]:
    """Files that are missing, or are others than were written."""
    for name, digest in sorted((manifest.get("files") or {}).items()):
        path = folder / str(name)
        try:
            there = path.is_file()
        except OSError:  # a name that no file can have
            there = False
        if not there:
            yield Finding("file", str(name), "it is missing")
        elif sha256_of(path) != digest:
            yield Finding("file", str(name), "it is not the file that was written")


def in_lines(findings: Iterable[Finding]) -> list[str]:
    """Findings for people, one a line."""
    return [f"{one.kind:10} {one.where[:_SHOWN]}: {one.what}" for one in findings]
