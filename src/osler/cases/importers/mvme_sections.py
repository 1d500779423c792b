"""The meaning of section names in Chinese patient records, and of their English variants."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from osler.knowledge.vocabulary import Topic

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
