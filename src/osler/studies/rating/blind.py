"""Blinding of an episode for a rater: what was said, ordered, found and concluded, but not who played.

The lines are those a model judge is given, so that people and model rate the same words: no names of players,
no rationale, differential or confidence, nothing the table says, no time it took, no score. Masked is what
players say of themselves: names after a title or an introduction, names of models and their makers, that one
is a machine, a human or a student, addresses. What keyboards and models write differently (quotation marks,
dashes, emphasis, headings, emoji, a small letter at the beginning) is written in one way for all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Any, Final

from osler.cases.answers import reference_of
from osler.cases.case_lines import case_lines
from osler.cases.model import Case
from osler.cases.scenarios.model import Scenario
from osler.core.protocol import Protocol
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.lines import JudgedLine, Source, lines_said, transcript_of
from osler.studies.rating.scales import Part

Hide = Callable[[str], str]
NOTHING_CONCLUDED: Final = "conclusion: none was given"
_LABELS: Final[dict[Source, str]] = {
    "doctor": "doctor",
    "patient": "patient",
    "order": "ordered",
    "result": "result",
    "consultant": "consultant",
    "diagnosis": "conclusion",
    "evidence": "grounds",
    "plan": "plan",
    "follow_up": "follow-up",
}
_NAME: Final = r"(?!I['’])[A-ZÀ-Þ][\w'’-]+(?: (?!I['’])[A-ZÀ-Þ][\w'’-]+){0,2}"
_ROLE: Final = (
    r"(?:your|one of the|the doctor|an? (?:[\w-]+ ){0,4}"
    r"(?:doctor|physician|registrar|resident|intern|trainee|nurse|student)\b)"
)
_ONE_WAY: Final = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("“”„‟″", "'"),
        **dict.fromkeys("‐‑‒–—―", "-"),
        "…": "...",
        "\N{NO-BREAK SPACE}": " ",
        "\N{NARROW NO-BREAK SPACE}": " ",
    }
)
_EMPHASIS: Final = re.compile(r"(?<![\w*])(\*{1,3}|_{2,3})(?=\S)(.{1,2000}?)(?<=\S)\1(?![\w*])")
_MARKS: Final = re.compile(r"^(?:#{1,6}|[-*+>])\s+|(?<=\s)#{1,6}\s+|(?<=\s)[=-]{3,}(?=\s)")
_BULLETS: Final = re.compile("[\u2022\u25aa\u25cf]")
_BEGINS: Final = re.compile(r"[a-zà-þ]+(?=[\s,.;:!?']|$)")
_PICTURES: Final = re.compile("[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]+")
_RULES: Final = (
    (re.compile(r"\b(?:https?|wss?)://\S+|\bwww\.\S+"), "(address)"),
    (re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"), "(address)"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"), "(address)"),
    (re.compile(r"\b(?:localhost|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}):\d{2,5}\b"), "(address)"),
    (re.compile(rf"\b(Dr\.?|Doctor|Prof\.?|Professor|Mr\.?|Mrs\.?|Ms\.?|Miss) {_NAME}"), r"\1 (name)"),
    (re.compile(rf"\b((?i:my name is|my name's|I am called|I'm called)) {_NAME}"), r"\1 (name)"),
    (re.compile(rf"\b((?i:I am|I'm)) {_NAME}(?=, {_ROLE})"), r"\1 (name)"),
    (
        re.compile(
            r"\b((?i:I am|I'm|as)(?: \(name\),)?) (?:(?i:just|only|still) )?(?:an? )?(?:[\w-]+[- ]year )?"
            r"(?i:medical|med|nursing) (?i:student)\b"
        ),
        r"\1 (player)",
    ),
    (
        re.compile(
            r"\b((?i:I am|I'm|as)) an? (?i:(?:real |actual )person|human(?: being| doctor)?|(?:chat)?bot|"
            r"machine|computer(?: program)?|program)\b"
        ),
        r"\1 (player)",
    ),
    (re.compile(r"(我叫|我的名字是|我姓)[\u4e00-\u9fff]{1,4}"), r"\1(name)"),
    (
        re.compile(
            r"\b(?:chat-?gpt|(?:med|bio|clinical-?|open-?)?(?:gpt|llama|gemma|gemini|qwen|mistral|mixtral|"
            r"deepseek|claude|grok|meditron|med-?palm)|openai|anthropic|deepmind|alibaba cloud|mistral ai|"
            r"meta ai|hugging ?face)(?![a-z])[\w.:/-]*(?<![.:/-])",
            re.IGNORECASE,
        ),
        "(model)",
    ),
    (
        re.compile(
            r"\b(?:a |an )?(?:large )?(?:language model|artificial intelligence)\b|\b[Aa]n AI\b|"
            r"\bAI (?:assistant|model|doctor|system)\b"
        ),
        "(player)",
    ),
)


def hide(manifests: Iterable[dict[str, Any]]) -> Hide:
    """Return a function that masks what would identify the player in a text, such as these runs' models."""
    parts = {part for manifest in manifests for model in _models(manifest) for part in _parts(model)}
    rules = list(_RULES)
    if parts:
        longest_first = sorted(parts, key=lambda name: (-len(name), name))
        words = "|".join(map(re.escape, longest_first))
        rules.insert(0, (re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE), "(model)"))

    def hidden(text: str) -> str:
        for pattern, stand_in in rules:
            text = pattern.sub(stand_in, text)
        return text

    return hidden


def transcript_text(case: Any, trace: Trace, protocol: Protocol, hidden: Hide, *, turns: bool = False) -> str:
    """Return the episode, one line for each thing said or done, with `turns` after the number of its turn. No
    text can start a new line by itself."""
    transcript = transcript_of(trace, protocol)
    lines = [
        *((label, line.text) for label, text in _opening(case) for line in lines_said("result", text)),
        *((_when(line, turns) + _LABELS.get(line.source, line.source), line.text) for line in transcript),
    ]
    told = [f"{label}: {hidden(one_way(text))}" for label, text in lines]
    open_ended = protocol.conclusion is not None and not any(True for _ in protocol.conclusion(trace))
    return "\n".join([*told, NOTHING_CONCLUDED] if open_ended else told)


def one_way(text: str) -> str:
    """Return a line's text as everybody's is written, so that the signs in it do not tell who wrote it."""
    plain = _BULLETS.sub("-", _PICTURES.sub(" ", text.translate(_ONE_WAY)))
    plain = " ".join(_EMPHASIS.sub(r"\2", _MARKS.sub("", plain.strip())).split())
    return plain[:1].upper() + plain[1:] if _BEGINS.match(plain) else plain


def reference_text(case: Any, parts: Iterable[Part], hidden: Hide) -> str:
    """Return the parts of the ground truth that a scale shows, one line each. Raises BadInput if it shows
    any and this is not a case that has such parts."""
    parts = tuple(parts)
    if parts and not isinstance(case, Case):
        what = f"the scale shows raters a case's {parts[0]}, and what was played here has none"
        raise BadInput(what, where="--scale", hint="leave reference out of your scale")
    return "\n".join(
        f"{label}: {hidden(line.text)}"
        for part in parts
        for label, text in _REFERENCE[part](case)
        for line in lines_said("result", text)
    )


def _when(line: JudgedLine, turns: bool) -> str:
    return f"turn {line.turn}, " if turns and line.turn else ""


def _opening(case: Any) -> Iterator[tuple[str, str]]:
    """Yield what the seat under test knew before the first word."""
    if isinstance(case, Case):
        yield "on the door", case.opening.door_note
    elif isinstance(case, Scenario):
        yield "task", case.packet.examinee if case.packet else case.instructions
        yield "setting", case.setting
        yield "at the door", case.opening


def fingerprint(text: str) -> str:
    """Return 16 hex digits that hash the plain letters and digits of a text, which any spreadsheet keeps."""
    kept = "".join(char for char in text if char.isascii() and char.isalnum())
    return blake2b(kept.encode(), digest_size=8).hexdigest()


def _models(manifest: dict[str, Any]) -> Iterator[str]:
    yield from (str(model) for model in manifest["configuration"].get("models", {}).values())


def _parts(model: str) -> Iterator[str]:
    """Yield a model's name, and its last part unless that is an everyday word."""
    model = model.partition(" with extra ")[0]
    last = re.split(r"[/:]", model)[-1]
    for part in (model, last):
        if len(part) > 3 and re.search(r"[\d/_-]", part):
            yield part


def _case(case: Case) -> Iterator[tuple[str, str]]:
    yield from ((line.label, line.text) for line in case_lines(case))


def _diagnosis(case: Case) -> Iterator[tuple[str, str]]:
    answer, accepted = reference_of(case)
    if case.task.kind != "diagnosis":
        options = (f"{key}: {text}" for key, text in (case.task.options or {}).items())
        yield "question", " ".join([case.task.question, *options])
    yield "right answer", "; or ".join([answer, *accepted])
    if case.diagnosis is not None and case.diagnosis.name != answer:
        yield "diagnosis", case.diagnosis.name


def _steps(case: Case) -> Iterator[tuple[str, str]]:
    for n, step in enumerate(case.teaching.steps if case.teaching else (), 1):
        yield f"step {n}", f"{step.key_question} {step.summary}"


def _plan(case: Case) -> Iterator[tuple[str, str]]:
    if case.management is None:
        return
    for feature in case.management.key_features:
        yield "a good plan", f"{feature.what} ({feature.dose})" if feature.dose else feature.what
    yield "goes to", case.management.disposition
    yield from (("watches for", sign) for sign in case.management.safety_net)


def _harm(case: Case) -> Iterator[tuple[str, str]]:
    for section in (case.workup, case.management):
        for harm in section.contraindicated if section is not None else ():
            yield "would harm", f"{harm.name}: {harm.why}"


_REFERENCE: Final[dict[Part, Callable[[Case], Iterator[tuple[str, str]]]]] = {
    "case": _case,
    "diagnosis": _diagnosis,
    "plan": _plan,
    "harm": _harm,
    "steps": _steps,
}
