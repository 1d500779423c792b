"""Chinese clinical text: sentences and clauses, negation, topics, age and sex.

The text is kept verbatim; it is only split.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from osler.cases.importers.demographics import OLDEST, Age, age_of, sex_of
from osler.cases.importers.json_paths import clean, words_of
from osler.cases.importers.sentences import Statement, shortened
from osler.cases.model import Sex
from osler.knowledge.vocabulary import Topic

_SENTENCE: Final = re.compile(r"[^。；;！？!?\n]+[。；;！？!?\n]*|[。；;！？!?\n]+")
# A comma between digits belongs to the number.
_CLAUSE: Final = re.compile(r"(?<=[，,])(?![0-9])")
_DENIES: Final = re.compile(
    r"\s*(?:均|也|亦|且|并|但)?(?:否认|无|没有|未|不伴|不吸|不饮|不喝|不嗜|从不|从未|从无|非)"
)
# After a negation these begin an assertion; anything else may still be negated.
_ASSERTS: Final = re.compile(
    r"\s*(?:但|有|曾|自|近|伴|出现|后|现|于|可|偶|间断|因|给予|予|入院|就诊|门诊|食欲|饮食|睡眠|精神|神志|大小便|二便|"
    r"小便|大便|体重|患者|病程|发病|其|父|母|[0-9一二三四五六七八九十])"
)
_IN_YEARS: Final = re.compile(r"(?P<n>\d{1,3}(?:\.\d{1,2})?)\s{0,2}周?(?P<unit>岁)")
_YOUNGER: Final = re.compile(
    r"(?P<n>\d{1,3}(?:\.\d{1,2})?)\s{0,2}(?P<unit>个?月(?!前|后|经|余)|天(?!前|后)|日龄|小时(?!前|后))"
)
_AGE_FIELD: Final = re.compile(r"年龄\s{0,2}[:：]?\s{0,2}(?P<n>\d{1,3})(?!\s{0,2}(?:个?月|天|日|小时|岁))")
_YEARS_IN: Final = {"岁": 1.0, "月": 1 / 12, "天": 1 / 365.25, "日": 1 / 365.25, "小": 1 / 8766}
_FEMALE: Final = re.compile(
    r"女性|女婴|女童|女孩|性别\s{0,2}[:：]?\s{0,2}女|(?:^|[\s，,。；;/、（(])女(?=$|[\s，,。；;/、）)])"
)
_MALE: Final = re.compile(
    r"男性|男婴|男童|男孩|性别\s{0,2}[:：]?\s{0,2}男|(?:^|[\s，,。；;/、（(])男(?=$|[\s，,。；;/、）)])"
)
_NOTHING: Final = re.compile(
    r"[\s。.；;，,]*(?:不详|未提供|未提及|未记录|缺如|暂缺|未诉|空|略)?[\s。.；;，,]*"
)
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")


def text_of(value: object) -> str:
    """A leaf as text, keeping its line breaks."""
    if not isinstance(value, str):
        return words_of(value)
    return "\n".join(line for line in map(clean, value.splitlines()) if line)


def is_chinese(text: str) -> bool:
    """Whether a text holds any Chinese character."""
    return bool(_HAN.search(text))


def says_nothing(text: str) -> bool:
    """Whether a text only says that nothing is recorded. A bare 无 does not: it states an absence."""
    return len(text) < 40 and bool(_NOTHING.fullmatch(text))


def sentences(text: str) -> Iterator[str]:
    """Split a text into sentences and at semicolons; joined, they give it back but for surrounding spaces."""
    return (piece.strip() for piece in _SENTENCE.findall(text) if piece.strip())


def clauses(text: str) -> list[str]:
    """The clauses between commas and full stops, each with its closing mark."""
    return [part.strip() for piece in sentences(text) for part in _CLAUSE.split(piece) if part.strip()]


def is_negative(text: str) -> bool:
    """Whether a statement is negated: something is denied or absent."""
    return bool(_DENIES.match(text))


def statements(text: str) -> Iterator[Statement]:
    """The statements of a text in order: its sentences, split where negation begins or ends."""
    for sentence in sentences(text):
        run: list[str] = []
        denied = False
        for clause in _CLAUSE.split(sentence):
            turns = not denied if is_negative(clause) else denied and bool(_ASSERTS.match(clause))
            if run and turns:
                yield from _told(run, denied)
                run = []
            denied = denied != turns
            run.append(clause)
        yield from _told(run, denied)


def _told(run: list[str], denied: bool) -> Iterator[Statement]:
    return (Statement(piece, denied) for piece in shortened("".join(run).strip().rstrip("，,")) if piece)


def age_in(text: str) -> Age:
    """The age in a description: 35岁, 8个月, 3天, 年龄：35; otherwise as in English text."""
    if found := _IN_YEARS.search(text) or _YOUNGER.search(text):
        unit = found["unit"].removeprefix("个")[0]
        years = round(float(found["n"]) * _YEARS_IN[unit], 4)
        return Age(years) if years <= OLDEST else Age(None)
    if found := _AGE_FIELD.search(text):
        return Age(float(found["n"])) if float(found["n"]) <= OLDEST else Age(None)
    return Age(0.0) if "新生儿" in text else age_of(text)


def years_in(history: str) -> Age:
    """The age in a history, where days and months refer to the illness: 35岁."""
    found = _IN_YEARS.search(history)
    return age_in(found[0]) if found else Age(None)


def sex_in(text: str) -> Sex | None:
    """The first sex named in a description; `None` where there is none."""
    female, male = _FEMALE.search(text), _MALE.search(text)
    if female and (not male or female.start() < male.start()):
        return "female"
    return "male" if male else sex_of(text)


# A statement is about the first of these that it mentions.
_TOPIC_WORDS: Final[tuple[tuple[str, Topic], ...]] = (
    (r"过敏", "allergies"),
    (r"预防接种|疫苗|接种史", "immunization"),
    (r"手术|外伤|输血", "past_surgical"),
    (r"吸烟|抽烟|烟龄|戒烟|烟酒", "tobacco"),
    (r"[饮喝][^，。；]{0,4}酒|嗜酒|酗酒|戒酒", "alcohol"),
    (r"吸毒|毒品|麻醉品", "drugs"),
    (r"疫区|疫水|旅居|旅行|外地|出国", "travel"),
    (r"毒物|粉尘|放射|化学物|动物接触|接触史|不洁饮食", "exposure"),
    (r"冶游|性生活|性病|性伴", "sexual"),
    (r"月经|初潮|绝经|末次|孕|产|流产|避孕", "gynaecological"),
    (r"父亲|母亲|父母|兄弟|姐妹|家族|遗传", "family"),
    (r"职业|从事|工人|农民|退休|工作", "occupation"),
    (r"已婚|未婚|离异|丧偶|居住|独居|配偶|子女|育有|出生于|生于|原籍", "home"),
    (r"服用|口服|长期用药|药物治疗|用药", "medications"),
)
_TOPICS: Final = tuple((re.compile(words), topic) for words, topic in _TOPIC_WORDS)
# Under these headings a statement may turn to another topic; under the others the heading decides.
_OPEN_HEADINGS: Final = frozenset(("past_medical", "home", "other"))


def topic_of(text: str, heading: Topic) -> Topic:
    """The topic of a statement under a heading."""
    if heading in _OPEN_HEADINGS:
        return next((topic for words, topic in _TOPICS if words.search(text)), heading)
    return heading
