"""The registry of judges by `--judge` name: a protocol's own, its model judge, and those of plug-ins.

A plug-in is a package with an entry point in the group `osler.judges`: a `Judge`, or a callable that opens a
model judge from a `JudgeModel` and has two attributes, `protocols` and `scores`. Its verdict must be complete
and named, or nothing is scored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Final

from pydantic_core import from_json, to_json

from osler.core.judge import Judge, ModelJudge, Verdict, verdict
from osler.core.lazy import load
from osler.core.measure import Measure
from osler.core.protocol import Protocol
from osler.core.trace import Trace
from osler.errors import BadInput, InfrastructureFault, OslerError
from osler.judging.opening import JudgeModel, OpensJudge
from osler.judging.scores import UNSCORED, Score
from osler.plugins import Plugin, plugins

GROUP: Final = "osler.judges"
BUILT_IN_JUDGE: Final = "baseline"
"""The alias of every protocol's first judge."""
MODEL: Final = "model"
INCOMPLETE: Final = "judge_incomplete"
_NO_VERSION: Final = "unknown"
_TELL: Final = "tell the package's author, or see docs/python.md"


def judge_named(text: str, protocol: Protocol) -> Judge | OpensJudge:
    """Resolve NAME, model:ENDPOINT or NAME:ENDPOINT to a judge for episodes of a protocol.

    Raises BadInput for one that is unknown, that is for other protocols, or that cannot be imported.
    """
    name, colon, endpoint = text.partition(":")
    if name == MODEL and endpoint and protocol.model_judge is not None:
        return load(protocol.model_judge.opens)
    if not colon:
        own = {BUILT_IN_JUDGE: protocol.judges[0]} | {judge.name: judge for judge in protocol.judges}
        if name in own:
            return own[name]
    result = next((plugin for plugin in plugins(GROUP) if plugin.name == name), None)
    if result is None or name == MODEL:
        hint = ", ".join(judge_names(protocol))
        raise BadInput(f"there is no judge {text!r}", where="--judge", hint=hint)
    judge = plugged(result, protocol)
    if isinstance(judge, Judge) == bool(colon):
        hint = f"write {name}" if colon else f"write {name}:NAME with an endpoint of osler.toml"
        raise BadInput(f"{text!r} is not a judge", where="--judge", hint=hint)
    return judge


def judge_names(protocol: Protocol) -> list[str]:
    """The names of judges available for a protocol's episodes, without importing those of plug-ins."""
    own = [BUILT_IN_JUDGE, *(judge.name for judge in protocol.judges)]
    model = ["model:NAME"] if protocol.model_judge is not None else []
    return list(dict.fromkeys((*own, *model, *(plugin.name for plugin in plugins(GROUP)))))


def endpoint_of(text: str) -> str:
    """The endpoint in a judge's name, "" if it has none."""
    return text.partition(":")[2]


def plugged(plugin: Plugin, protocol: Protocol | None = None) -> Judge | OpensJudge:
    """Load a plug-in judge, wrapped so that its verdicts are complete. Raises BadInput if it cannot be
    imported, is not a judge, or is not for the protocol."""
    result: Any = plugin.loaded()
    if not (isinstance(result, Judge) or callable(result)):
        raise BadInput(f"{plugin.value} is not a Judge and does not open one", where=plugin.where, hint=_TELL)
    protocols: Any = getattr(result, "protocols", None)
    scores: Any = getattr(result, "scores", None)
    if not _texts(protocols):
        raise BadInput("it does not say which protocols it is for", where=plugin.where, hint=_TELL)
    if not (isinstance(scores, tuple) and scores and all(isinstance(one, Measure) for one in scores)):
        raise BadInput("it does not name its scores as measures", where=plugin.where, hint=_TELL)
    if protocol is not None and protocol.name not in protocols:
        raise BadInput(
            f"it judges {', '.join(protocols)}, not {protocol.many}", where=plugin.where, hint="name another"
        )
    if isinstance(result, Judge):
        _check_graders(plugin, result.graders)
        return replace(result, judge=_held(result))
    return _opening(result, plugin, scores)


def _check_graders(plugin: Plugin, graders: Any) -> None:
    """Raise BadInput if a plug-in's verdicts would be stored under another judge's name."""
    if not _texts(graders) or any(each.partition(":")[0] != plugin.name for each in graders):
        raise BadInput(
            f"its verdicts must be stored as {plugin.name} or {plugin.name}:...",
            where=plugin.where,
            hint=_TELL,
        )


def _held(judge: Judge) -> Callable[[Any, Trace], Verdict]:
    def judged(episode: Any, trace: Trace) -> Verdict:
        try:
            verdict: object = judge.judge(episode, trace)
        except Exception as error:  # third-party code: whatever it raises leaves the episode unscored
            reason = f"judge_failed: {type(error).__name__}"
            return _unscored(judge.graders[0], _NO_VERSION, judge.scores, reason)
        return _complete(verdict, judge.graders, judge.scores, trace)

    return judged


@dataclass(frozen=True)
class _HeldModel:
    """A plug-in's model judge, wrapped so that its verdicts are complete."""

    inner: ModelJudge
    grader: str
    scores: tuple[Measure, ...]
    where: str

    def version_of(self, episode: Any) -> str:
        """The inner judge's version. Raises BadInput if it gives none."""
        try:
            version: object = self.inner.version_of(episode)
        except Exception as error:
            raise BadInput(
                f"it gives no version: {type(error).__name__}: {error}", where=self.where, hint=_TELL
            ) from error
        if not (isinstance(version, str) and version):
            raise BadInput("it gives no version", where=self.where, hint=_TELL)
        return version

    async def judge(self, episode: Any, trace: Trace) -> Verdict:
        version = self.version_of(episode)
        if trace.outcome.status in UNSCORED:
            return _unscored(self.grader, version, self.scores, str(trace.outcome.status))
        try:
            result: object = await self.inner.judge(episode, trace)
        except InfrastructureFault:
            raise
        except Exception as error:
            reason = f"judge_failed: {type(error).__name__}"
            return _unscored(self.grader, version, self.scores, reason)
        verdict = _complete(result, (self.grader,), self.scores, trace)
        if verdict.version != version:  # stored under another version, it would be requested again and again
            return _unscored(self.grader, version, self.scores, INCOMPLETE)
        return verdict


def _opening(opens: Callable[[JudgeModel], Any], plugin: Plugin, scores: tuple[Measure, ...]) -> OpensJudge:
    def opened(model: JudgeModel) -> ModelJudge:
        try:
            inner = opens(model)
            grader = inner.grader
        except OslerError:
            raise
        except Exception as error:
            raise BadInput(
                f"it cannot be opened: {type(error).__name__}: {error}", where=plugin.where, hint=_TELL
            ) from error
        _check_graders(plugin, (grader,))
        return _HeldModel(inner, grader, scores, plugin.where)

    return opened


def _complete(found: object, graders: Sequence[str], scores: tuple[Measure, ...], trace: Trace) -> Verdict:
    """The verdict, if it is complete and the simulation did not fail; else one that scores nothing and says
    why."""
    verdict = _read(found, graders, {measure.name for measure in scores})
    if verdict is None:
        version = found.version if isinstance(found, Verdict) and _texts((found.version,)) else _NO_VERSION
        return _unscored(graders[0], version, scores, INCOMPLETE)
    spoilt = trace.outcome.status in UNSCORED
    if spoilt and any(score["value"] is not None for score in from_json(verdict.body)["scores"].values()):
        return _unscored(verdict.grader, verdict.version, scores, str(trace.outcome.status))
    return verdict


def _read(found: object, graders: Sequence[str], names: set[str]) -> Verdict | None:
    """A verdict with its body as compact JSON, or `None` if it is not complete and named."""
    if not (isinstance(found, Verdict) and found.grader in graders and _texts(found)):
        return None
    try:
        body = from_json(found.body, allow_inf_nan=False)
        if (body["grader"], body["version"]) != (found.grader, found.version):
            return None
        if body["scores"].keys() != names or not all(map(_sound, body["scores"].values())):
            return None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return found._replace(body=to_json(body).decode())


def _sound(score: Any) -> bool:
    """Whether a score is a finite number, or null with a reason."""
    value, reason, evidence = score["value"], score.get("reason", ""), score.get("evidence", [])
    if not (isinstance(reason, str) and isinstance(evidence, list)):
        return False
    if not all(isinstance(quote, str) for quote in evidence):
        return False
    if value is None:
        return bool(reason)
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _unscored(grader: str, version: str, scores: tuple[Measure, ...], reason: str) -> Verdict:
    return verdict(grader, version, {measure.name: Score(None, reason) for measure in scores})


def _texts(found: Any) -> bool:
    """Whether it is a non-empty tuple of non-empty strings."""
    return isinstance(found, tuple) and bool(found) and all(isinstance(one, str) and one for one in found)
