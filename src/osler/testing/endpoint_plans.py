"""Configuration of the fake endpoint: a fault plan, and a script of answers.

Both are plain files (JSON or YAML) written by users, so both are validated and refused with a readable
reason.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args

import yaml
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from osler.core.events import Frozen
from osler.errors import BadInput, in_words

Fault = Literal[
    "timeout",  # reads the request and never answers
    "reset",  # drops the connection with a TCP reset
    "429",
    "429-retry-after",
    "500",
    "503",  # a proxy's page, in HTML
    "truncated",  # states a length, sends half of it, closes
    "empty",  # an answer without words
    "refused",  # the model declines
    "filtered",  # a content filter removed the answer
    "bad-json",  # the answer breaks off in the middle of an object
    "schema-violation",  # an object, but not the one asked for
    "wrong-model",  # 404: there is no such model
    "other-model",  # the answer names another model
    "slow-body",  # the body arrives in small chunks
]
FAULTS: Final[tuple[Fault, ...]] = get_args(Fault)
OF_ANY_ANSWER: Final[frozenset[Fault]] = frozenset(
    {"timeout", "reset", "429", "429-retry-after", "500", "503", "truncated", "wrong-model", "slow-body"}
)
"""Faults independent of the content of a chat answer; embeddings get only these."""
_MOST_REMEMBERED: Final = 100_000

T = TypeVar("T")


class FaultPlan(Frozen):
    """The share of requests that fail, and how. `rate` is per attempt; `kinds` weights the faults.

    With `until`, no more than that many faults occur. `slow_body_s` is the duration of a slow body in
    seconds, and `retry_after_s` the wait that a 429 asks for.
    """

    seed: int = 0
    rate: float = Field(default=1.0, ge=0, le=1)
    kinds: dict[Fault, float] = Field(default_factory=lambda: dict.fromkeys(FAULTS, 1.0))
    until: int | None = Field(default=None, ge=0)
    slow_body_s: float = Field(default=1.0, ge=0)
    retry_after_s: int = Field(default=1, ge=0)

    def draw(self, digest: str, attempt: int, among: Collection[Fault] = FAULTS) -> Fault | None:
        """The fault for this attempt at this content, or `None`. The same in every process."""
        rng = blake2b(f"{self.seed}\x1f{digest}\x1f{attempt}".encode(), digest_size=16).digest()
        if int.from_bytes(rng[:8]) / 2**64 >= self.rate:
            return None
        weights = {kind: weight for kind, weight in self.kinds.items() if kind in among and weight > 0}
        point = int.from_bytes(rng[8:]) / 2**64 * sum(weights.values())
        for kind, weight in weights.items():
            point -= weight
            if point < 0:
                return kind
        return None


class Faults:
    """The state of a fault plan: counts of attempts at the same content and of faults so far."""

    def __init__(self, plan: FaultPlan) -> None:
        self.plan = plan
        self.done = 0
        self._attempts: OrderedDict[str, int] = OrderedDict()

    def next(self, digest: str, among: Collection[Fault] = FAULTS) -> Fault | None:
        """The fault for this request, or `None`."""
        attempt = self._attempts.pop(digest, 0)
        self._attempts[digest] = attempt + 1
        if len(self._attempts) > _MOST_REMEMBERED:
            self._attempts.popitem(last=False)
        if self.plan.until is not None and self.done >= self.plan.until:
            return None
        fault = self.plan.draw(digest, attempt, among)
        self.done += fault is not None
        return fault


class Match(Frozen):
    """The conditions on a request. `contains` looks in the last message, `anywhere` in all of them.

    `seat` is the asking seat as the endpoint recognizes it, `schema_name` the name in `response_format`,
    `format` the requested answer format. `nth` counts from 1 the requests that match all other conditions.
    """

    model: str | None = None
    contains: str | None = None
    anywhere: str | None = None
    seat: str | None = None
    schema_name: str | None = None
    format: Literal["text", "json_object", "json_schema"] | None = None
    nth: int | None = Field(default=None, ge=1)


class Rule(Frozen):
    """The answer to requests that match: a text, an object (sent as JSON), or null for no content.

    Without `reply` the template answers, with `fields` in the place of its own properties. A `status` other
    than 200 answers with an error whose message is `reply`. `usage` overrides the usual counts; `delay_ms`
    replaces the endpoint's latency.
    """

    match: Match = Match()
    reply: str | dict[str, object] | list[object] | None = None
    fields: dict[str, Any] = Field(default_factory=dict)
    status: int = Field(default=200, ge=200, le=599)
    finish_reason: str = "stop"
    usage: dict[str, object] | None = None
    delay_ms: float | None = Field(default=None, ge=0)

    @cached_property
    def is_scripted(self) -> bool:
        """Whether the rule specifies the answer; an explicit null does."""
        return "reply" in self.model_fields_set

    @cached_property
    def text(self) -> str | None:
        """The answer's content as it is sent."""
        return self.reply if isinstance(self.reply, str | None) else json.dumps(self.reply)


RULES: Final = TypeAdapter(tuple[Rule, ...])
PLAN: Final = TypeAdapter(FaultPlan)


class Script:
    """The state of a list of rules: the first match answers, and each rule's matches are counted."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._seen: Counter[int] = Counter()

    def find(self, asked: Mapping[str, str], texts: Sequence[str]) -> Rule | None:
        """The rule for a request. `asked` holds model, seat, schema_name and format; `texts` the messages."""
        for number, rule in enumerate(self._rules):
            if not _meets(rule.match, asked, texts):
                continue
            self._seen[number] += 1
            if rule.match.nth in (None, self._seen[number]):
                return rule
        return None


def _meets(match: Match, asked: Mapping[str, str], texts: Sequence[str]) -> bool:
    said = {
        "model": match.model,
        "seat": match.seat,
        "schema_name": match.schema_name,
        "format": match.format,
    }
    if any(want is not None and want != asked[name] for name, want in said.items()):
        return False
    if match.contains is not None and match.contains not in texts[-1]:
        return False
    return match.anywhere is None or any(match.anywhere in text for text in texts)


def plan_of(plan: FaultPlan | Mapping[str, object] | Path | str | None) -> FaultPlan | None:
    """A fault plan from a file, a mapping or itself. Raises BadInput."""
    return plan if plan is None or isinstance(plan, FaultPlan) else _checked(PLAN, plan)


def rules_of(given: Sequence[Rule | Mapping[str, object]] | Path | str | None) -> tuple[Rule, ...]:
    """Rules from a file or a list. Raises BadInput."""
    if given is None:
        return ()
    if isinstance(given, Path | str):
        return _checked(RULES, given)
    return tuple(rule if isinstance(rule, Rule) else _checked(TypeAdapter(Rule), rule) for rule in given)


def _checked(kind: TypeAdapter[T], given: object) -> T:
    where = str(given) if isinstance(given, Path | str) else ""
    try:
        value = _read(Path(given)) if isinstance(given, Path | str) else given
        return kind.validate_python(value)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", where=where) from None
    except (UnicodeDecodeError, json.JSONDecodeError, yaml.YAMLError, RecursionError) as error:
        raise BadInput(f"is neither JSON nor YAML: {str(error)[:200]}", where=where) from None
    except ValidationError as error:
        raise BadInput(in_words(error, "the whole"), where=where) from None


def _read(path: Path) -> object:
    text = path.read_text(encoding="utf-8")
    # The YAML parser is slow and forbids tabs, so JSON is parsed separately.
    value: object = json.loads(text) if path.suffix.lower() == ".json" else yaml.safe_load(text)
    return value


def plain(plan: BaseModel) -> dict[str, object]:
    """A plan or rule as a mapping to write to a file; unset fields stay unset."""
    return plan.model_dump(mode="json", exclude_unset=True)
