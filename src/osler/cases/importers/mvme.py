"""Importer of AI Hospital's MVME patient records: Chinese sections, kept in Chinese and played in it.

The chief complaint is the opening; histories become facts under their section's topic; examinations and tests
become findings under their Chinese name with an English one beside it; the diagnosis, its rationale and the
treatment are withheld. The built-in matcher reads no Chinese, so a Chinese diagnosis is asked for as an open
question: the same words are right, and other words need a judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal, NamedTuple

from osler.cases.door_note import person_words
from osler.cases.importers import chinese
from osler.cases.importers.build_case import (
    TopicStatement,
    bounded,
    facts_of,
    findings_of,
    first_words,
    left_over,
    no_person,
    valid_case,
)
from osler.cases.importers.chinese import EXAMINED, OTHER_TESTS, PHYSICAL, TESTED, Cue, grouped
from osler.cases.importers.demographics import PARENT_SPEAKS_UNDER_YEARS, Age
from osler.cases.importers.findings import SourceResult
from osler.cases.importers.json_paths import (
    Leaf,
    below,
    children,
    clean,
    last_key,
    leaves_of,
    readable,
    words_of,
)
from osler.cases.importers.reading import each_record
from osler.cases.importers.report import Rejected
from osler.cases.importers.sentences import Statement, sentences, statements
from osler.cases.model import Case, Diagnosis, Opening, Provenance, Sex, Task, Withheld
from osler.errors import BadCase
from osler.knowledge.vocabulary import NOBODY, Topic
from osler.text.records.missing import is_missing, is_missing_key
from osler.text.records.speech_ability import Voice, speaks_for, voice_of
from osler.text.topics import topic_of_statement

Part = Literal["hidden", "diagnosis", "complaint", "patient", "tests", "examination", "about"]


class Section(NamedTuple):
    """The part of the case a section goes to, and the topic of its statements."""

    part: Part
    topic: Topic = "other"


# The first pattern found in a key wins. Keys are compared without spaces, underscores and brackets.
_SECTIONS: Final = tuple(
    (re.compile(words), section)
    for words, section in (
        (
            r"依据|鉴别|治疗|诊治|诊疗|处理|处置|医嘱|分析|总结|讨论|转归|预后|随访|建议|手术记录|basis|grounds|"
            r"differential|treat|manag|plan$|discussion|analysis|summary",
            Section("hidden"),
        ),
        (r"诊断|diagnos", Section("diagnosis")),
        (r"主诉|chief|complaint", Section("complaint")),
        (r"现病|present|^hpi$", Section("patient", "course")),
        (r"过敏|allerg", Section("patient", "allergies")),
        (r"家族|遗传|family", Section("patient", "family")),
        (r"月经|menstru", Section("patient", "gynaecological")),
        (r"孕产|生育|obstet", Section("patient", "gynaecological")),
        (r"接种|疫苗|immuni|vaccin", Section("patient", "immunization")),
        (r"出生|喂养|生长|发育|birth|develop", Section("patient", "birth")),
        (r"用药|药物|medication|drughistory", Section("patient", "medications")),
        (r"手术史|外伤史|surg", Section("patient", "past_surgical")),
        (r"既往|past", Section("patient", "past_medical")),
        (r"系统回顾|reviewof", Section("patient", "systems")),
        (r"婚育|婚姻|个人|社会|生活史|personal|social|marital", Section("patient", "home")),
        (
            r"辅助|辅检|实验室|化验|影像|检验|检查结果|特殊检查|auxiliary|lab|imaging|test|investigation",
            Section("tests"),
        ),
        (r"查体|体格|体检|生命体征|专科|physical|exam|vital", Section("examination")),
        (
            r"一般资料|一般情况|基本|患者信息|病人信息|姓名|年龄|性别|职业|profile|general|basic|demograph|^name$|"
            r"^age$|^sex$|^gender$",
            Section("about", "identity"),
        ),
    )
)


def section_of(key: str) -> Section | None:
    """The meaning of a key of a record; `None` where no rule knows it."""
    bare = re.sub(r"[\s_\-【】\[\]()（）:：<>#*]+", "", key).lower()
    return next((section for words, section in _SECTIONS if words.search(bare)), None)


NAME: Final = "mvme"
LOOKS_LIKE: Final = re.compile(rb'"(?:medical_record|dialog_history)"')
CHINESE: Final = "zh"
QUESTION: Final = "最可能的诊断是什么？"
ENGLISH_QUESTION: Final = "What is the most likely diagnosis?"
_MAX_DEPTH: Final = 40
_SHORTEST_ANSWER: Final = 2

_FINAL: Final = re.compile(r"结果|最后|最终|出院|确定|确诊|主要|final|principal")
_FIRST: Final = re.compile(r"初步|入院|门诊|preliminary|initial|admission")
_NUMBERED: Final = re.compile(r"(?:^|[\s；;，,。、])[（(]?\d{1,2}[)）.、．:：]\s*(?!\d)")
_BRACKETED: Final = re.compile(r"\s*[（(][^（）()]{1,60}[)）]")
_IDENTIFIES: Final = re.compile(
    r"姓名|电话|手机|身份证|住院号|病历号|门诊号|床号|地址|住址|联系|(?:^|\b)name\b|phone|address",
    re.IGNORECASE,
)
# A key such as 年龄 is part of the statement; 一般资料 and profile are only headings.
_SAID_WITH_KEY: Final = re.compile(r"年龄|性别|姓名|职业|^(?:age|sex|gender|name)$", re.IGNORECASE)
_TOLD_FIRST: Final = re.compile(r"\s*主诉\s*[:：]\s*(?P<what>.+)", re.DOTALL)


class Parts:
    """A record sorted by holder, filled while its sections are read."""

    def __init__(self) -> None:
        self.complaint: list[Leaf] = []
        self.about: list[str] = []
        self.told: list[TopicStatement] = []
        self.found: list[SourceResult] = []
        self.diagnoses: list[tuple[int, str]] = []
        self.history: list[tuple[object, str, Topic]] = []
        self.person: list[tuple[object, str]] = []
        self.hidden: list[Withheld] = []
        self.flags: list[str] = []


def read(path: Path, prefix: str) -> Iterator[Case | Rejected]:
    """Read each record of a file as a case, or reject it with a reason."""
    return each_record(path, lambda record: import_record(record.value, record.number, path.name, prefix))


def import_record(record: Mapping[str, object], number: int, origin: str, prefix: str = NAME) -> Case:
    """One record as a case with the id `<prefix>-<number>`. Raises BadCase, saying why, if it is not one."""
    if "dialog_history" in record:
        raise BadCase("it is a dialogue, not a patient's record: name the file of patients")
    leaves = bounded(record)
    body = record.get("medical_record", record)
    if not isinstance(body, Mapping) or not body:
        raise BadCase("medical_record must be an object of sections")
    parts = Parts()
    _sort(body, "medical_record" if "medical_record" in record else "", parts, 0)
    if "medical_record" in record and record.get("profile"):
        parts.person.append((record["profile"], "profile"))
    if not parts.diagnoses:
        raise BadCase("it has no diagnosis")
    answer, accepts = _answer(parts)
    _tell(parts, answer, accepts)
    return _case(
        parts, leaves, answer, accepts, number, Provenance(origin=origin, record=str(number)), prefix
    )


def _sort(body: Mapping[str, object], path: str, parts: Parts, depth: int) -> None:
    """Sort every section into its part; a key that no rule knows is opened if it holds sections."""
    for key, value in body.items():
        place = below(path, key)
        section = section_of(key)
        if section is None:
            if isinstance(value, Mapping) and depth < _MAX_DEPTH:
                _sort(value, place, parts, depth + 1)
        elif section.part == "diagnosis":
            rank = 0 if _FINAL.search(key) else 2 if _FIRST.search(key) else 1
            parts.diagnoses += [
                (rank, text) for leaf in leaves_of(value) if not is_missing(text := _said(leaf), named=False)
            ]
        elif section.part == "complaint":
            parts.complaint += [leaf for leaf in leaves_of(value, place) if _said(leaf)]
        elif section.part == "patient":
            parts.history.append((value, place, section.topic))
        elif section.part == "tests":
            parts.found += _findings(value, place, TESTED, OTHER_TESTS, depth)
        elif section.part == "examination":
            default = next((cue for cue in EXAMINED if cue.words.search(key)), PHYSICAL)
            parts.found += _findings(value, place, EXAMINED, default, depth)
        elif section.part == "about":
            parts.person.append((value, place))


def _said(leaf: Leaf) -> str:
    text = chinese.text_of(leaf.value)
    return "" if chinese.says_nothing(text) else text


def _findings(
    value: object, path: str, cues: tuple[Cue, ...], default: Cue, depth: int
) -> Iterator[SourceResult]:
    """The findings of a section: prose split by its cues, an object by its keys."""
    if isinstance(value, (Mapping, list)):
        for key, child in children(value) if depth < _MAX_DEPTH else ():
            place = below(path, key)
            cue = _named(str(key), cues) if isinstance(key, str) else None
            if cue is None:
                yield from _findings(child, place, cues, default, depth + 1)
            elif (text := readable(child)) and any(words_of(leaf.value) for leaf in leaves_of(child)):
                others = tuple(name for name in (cue.name, *cue.aliases) if name != key)
                yield SourceResult(place, cue.kind, clean(str(key)), others, text)
        return
    text = chinese.text_of(value)
    if not chinese.says_nothing(text):
        pieces = chinese.clauses(text) if chinese.is_chinese(text) else list(sentences(text))
        for found, told in grouped(pieces, cues, default).items():
            result = ("" if chinese.is_chinese(text) else " ").join(told).rstrip("，,；;")
            yield SourceResult(path, found.kind, found.name, found.aliases, result)


def _named(key: str, cues: tuple[Cue, ...]) -> Cue | None:
    """The cue for a key of an examination or test section; `None` where the key is only a container."""
    if is_missing_key(key):
        return None
    known = next((cue for cue in cues if cue.words.search(key)), None)
    if known is None and section_of(key) is None:
        return Cue(OTHER_TESTS.words, key, (), "examination" if cues is EXAMINED else "test")
    return known


def _answer(parts: Parts) -> tuple[str, tuple[str, ...]]:
    """The answer: the first diagnosis of the highest-ranking section, and other wordings of it."""
    _, text = min(parts.diagnoses, key=lambda told: told[0])
    pieces = [piece.strip(" 。；;，,、?？") for piece in _NUMBERED.split(text)]
    if len(pieces) < 2:
        pieces = [piece.strip(" 。；;，,、?？") for piece in re.split(r"[；;\n]", text)]
    named = [piece for piece in pieces if piece]
    if not named:
        raise BadCase("it has no diagnosis")
    if len(named) + len(parts.diagnoses) > 2:
        parts.flags.append("note: there are several diagnoses; the first is taken as the answer")
    bare = _BRACKETED.sub("", named[0]).strip()
    wordings = dict.fromkeys(word for word in (bare, text.strip()) if word and word != named[0])
    return named[0], tuple(wordings)


def _tell(parts: Parts, answer: str, accepts: tuple[str, ...]) -> None:
    """Add what the patient knows, except sentences that name the diagnosis."""
    names = tuple(name for name in (answer, *accepts) if len(name) >= _SHORTEST_ANSWER)
    for value, path in parts.person:
        for leaf in leaves_of(value, path):
            _tell_of_person(leaf, path, parts, names)
    for value, path, topic in parts.history:
        for leaf in leaves_of(value, path):
            own = section_of(last_key(leaf.path, path))
            heading = own.topic if own and own.part == "patient" else topic
            for n, said in enumerate(_statements(_said(leaf)), start=1):
                if not said.absent and any(name in said.text for name in names):
                    _hide(parts, said.text, f"{leaf.path}[sentence {n}]")
                    continue
                about = _about(said.text, heading)
                parts.told.append(
                    TopicStatement(said.text, about, leaf.path, said.absent, key=topic == "course")
                )
    if any(name in words_of(leaf.value) for leaf in parts.complaint for name in names):
        parts.flags.append("note: the chief complaint names the diagnosis and is withheld")
        parts.complaint = []
    for found in parts.found:
        if any(name in found.result for name in names):
            parts.flags.insert(0, f"leak: diagnosis named in {found.path}")


def _statements(text: str) -> Iterator[Statement]:
    return chinese.statements(text) if chinese.is_chinese(text) else statements(text)


def _about(text: str, heading: Topic) -> Topic:
    return chinese.topic_of(text, heading) if chinese.is_chinese(text) else topic_of_statement(text, heading)


def _tell_of_person(leaf: Leaf, path: str, parts: Parts, names: tuple[str, ...]) -> None:
    text = _said(leaf)
    if not text:
        return
    own = path.rpartition(".")[2]
    key = last_key(leaf.path, path) or (own if section_of(own) else "")
    heading = f"{key}：" if _SAID_WITH_KEY.search(key) else ""
    parts.about.append(f"{heading}{text}")
    for n, clause in enumerate(chinese.clauses(text), start=1):
        complaint = _TOLD_FIRST.match(clause)
        if any(name in clause for name in names) or _IDENTIFIES.search(f"{heading}{clause}"):
            _hide(parts, clause, f"{leaf.path}[sentence {n}]")
        elif complaint and not parts.complaint:
            parts.complaint.append(Leaf(f"{leaf.path}[sentence {n}]", complaint["what"]))
        else:
            said = f"{heading}{clause}".rstrip("，,")
            about = chinese.topic_of(said, "other")
            topic: Topic = "identity" if about == "other" else about
            parts.told.append(TopicStatement(said, topic, leaf.path, chinese.is_negative(clause)))


def _hide(parts: Parts, text: str, path: str) -> None:
    parts.hidden.append(Withheld(text=text, source=path))


def _person(parts: Parts, leaves: tuple[Leaf, ...]) -> tuple[Age, Sex | None]:
    """Age and sex, as the record states them or else as its history tells."""
    about = " ".join(parts.about)
    history = " ".join(text for leaf in leaves if (text := _history(leaf)))
    age = chinese.age_in(about)
    if age.years is None:
        age = chinese.years_in(history)
    return age, chinese.sex_in(about) or chinese.sex_in(history)


def _voice(parts: Parts, age: Age) -> Voice:
    """The voice that tells the history: a parent's for a child, else the one in which it is written."""
    if age.years is not None and age.years < PARENT_SPEAKS_UNDER_YEARS:
        return Voice("parent")
    told = "。".join((*(words_of(leaf.value) for leaf in parts.complaint), *(one.text for one in parts.told)))
    return chinese.voice_of(told) if chinese.is_chinese(told) else voice_of(told)


def _case(
    parts: Parts,
    leaves: tuple[Leaf, ...],
    answer: str,
    accepts: tuple[str, ...],
    number: int,
    provenance: Provenance,
    prefix: str,
) -> Case:
    age, sex = _person(parts, leaves)
    speaks = _voice(parts, age)
    speaker = speaks.speaker
    if not parts.complaint and not parts.told:
        raise BadCase("it says nothing of the patient")
    facts, findings = facts_of(parts.told, speaker), findings_of(parts.found)
    in_chinese = chinese.is_chinese(answer)
    opening = Opening(
        door_note=_door_note(age, sex) if in_chinese else person_words(age.years, sex),
        words=_first_words(parts.complaint, speaker, in_chinese),
        sources=tuple(leaf.path for leaf in parts.complaint),
    )
    flags = [
        *parts.flags,
        *speaks_for(speaks),
        *(["note: an answer in other words than the record's needs a judge"] if in_chinese else []),
        *no_person(age, sex),
        *(["note: no chief complaint"] if not parts.complaint else []),
        *([f"note: {len(parts.hidden)} sentences are withheld"] if parts.hidden else []),
    ]
    held = {*opening.sources, *(fact.source or "" for fact in facts), *(one.source or "" for one in findings)}
    return valid_case(
        id=f"{prefix}-{number:04d}",
        task=Task(
            kind="open" if in_chinese else "diagnosis",
            question=QUESTION if in_chinese else ENGLISH_QUESTION,
            answer=answer,
            accepts=accepts,
        ),
        age_years=age.years,
        sex=sex,
        language=CHINESE if in_chinese else None,
        speaker=speaker,
        opening=opening,
        facts=facts,
        findings=findings,
        diagnosis=Diagnosis(name=answer, synonyms=accepts),
        withheld=(*parts.hidden, *left_over(leaves, held)),
        provenance=provenance.model_copy(update={"flags": tuple(flags)}),
    )


def _history(leaf: Leaf) -> str:
    """The text of a leaf that may state the patient's age, which a family history does not."""
    text = words_of(leaf.value)
    return text if re.search(r"现病|病案|介绍|主诉|present|complaint", leaf.path) else ""


def _door_note(age: Age, sex: Sex | None) -> str:
    told = []
    if age.years is not None:
        told.append(f"{int(age.years)}岁" if age.years >= 2 else f"{round(age.years * 12)}个月")
    if sex:
        told.append("女性" if sex == "female" else "男性")
    return f"{'，'.join(told) or '一位患者'}，等候就诊。"


def _first_words(complaint: list[Leaf], speaker: str, in_chinese: bool) -> str:
    if not in_chinese:
        return first_words("; ".join(words_of(leaf.value).rstrip(". ") for leaf in complaint), speaker)
    if speaker == NOBODY:
        return "（病人没有回答，也没有人能代他说。）"
    if not complaint:
        return (
            "医生，孩子不太舒服，想请您看一看。"
            if speaker == "parent"
            else "医生，我不太舒服，想请您看一看。"
            if speaker == "patient"
            else "医生，病人情况不好，想请您看一看。"
        )
    text = "；".join(words_of(leaf.value).rstrip("。；;，, ") for leaf in complaint)
    who = {"parent": "孩子", "patient": "我"}.get(speaker, "病人")
    return f"医生，{who}这次来是因为：{text}。"
