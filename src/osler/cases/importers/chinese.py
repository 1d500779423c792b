"""Chinese clinical text: sentences and clauses, negation, topics, age and sex, and English names.

The text is kept verbatim; it is only split; a test gets an English name beside its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from osler.cases.importers.demographics import OLDEST, Age, age_of, sex_of
from osler.cases.importers.json_paths import clean, words_of
from osler.cases.importers.sentences import Statement, shortened
from osler.cases.model import Sex
from osler.knowledge.vocabulary import NOBODY, FindingKind, Topic
from osler.text.records.speech_ability import Voice

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
_SILENT: Final = re.compile(
    r"(?<!无)(?<!未)(?<!一过性)(?<!短暂)(?<!短暂性)(?<!阵发性)(?P<how>昏迷|不省人事|意识不清|意识丧失|神志不清|神志昏迷|失语|不能言语|不能说话|呼之不应|"
    r"气管插管|镇静状态)(?![^。；;]{0,12}(?:后清醒|后转清|后自行|后恢复|史|醒转|缓解|秒|分钟))"
)
_TURNED: Final = re.compile(r"(?:无|否认|未|一过性|短暂|曾|父亲|母亲|家族)[^。；;，,]{0,12}$")
_AWAKE: Final = re.compile(r"神志清楚|神志清|神清|意识清|清醒|恢复意识")
_TELLS: Final = re.compile(
    r"(?:家属|家人|妻子|丈夫|儿子|女儿|父亲|母亲|父母|邻居|同事)[^。；;]{0,10}(?:代诉|诉|发现|送|述|陪)"
)
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")


def text_of(value: object) -> str:
    """A leaf as text, keeping its line breaks."""
    if not isinstance(value, str) or not words_of(value):
        return words_of(value)
    return "\n".join(line for line in map(clean, value.splitlines()) if line)


def is_chinese(text: str) -> bool:
    """Whether a text holds any Chinese character."""
    return bool(_HAN.search(text))


def voice_of(text: str) -> Voice:
    """The speaker of a Chinese record, and the words for why the patient is not it."""
    for match in _SILENT.finditer(text):
        rest = text[match.end() :]
        if not _TURNED.search(text[: match.start()]) and (match["how"] == "失语" or not _AWAKE.search(rest)):
            return Voice("relative" if _TELLS.search(text) else NOBODY, match["how"])
    return Voice("patient")


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
    if match := _IN_YEARS.search(text) or _YOUNGER.search(text):
        unit = match["unit"].removeprefix("个")[0]
        years = round(float(match["n"]) * _YEARS_IN[unit], 4)
        return Age(years) if years <= OLDEST else Age(None)
    if match := _AGE_FIELD.search(text):
        return Age(float(match["n"])) if float(match["n"]) <= OLDEST else Age(None)
    return Age(0.0) if "新生儿" in text else age_of(text)


def years_in(history: str) -> Age:
    """The age in a history, where days and months refer to the illness: 35岁."""
    match = _IN_YEARS.search(history)
    return age_in(match[0]) if match else Age(None)


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


class Cue(NamedTuple):
    """A pattern that recognizes a finding in a text, with the finding's name, other names and kind."""

    words: re.Pattern[str]
    name: str
    aliases: tuple[str, ...] = ()
    kind: FindingKind = "test"


def cue(words: str, name: str, *aliases: str, kind: FindingKind = "test") -> Cue:
    """A cue with a case-insensitive pattern."""
    return Cue(re.compile(words, re.IGNORECASE), name, aliases, kind)


def grouped(pieces: list[str], cues: tuple[Cue, ...], default: Cue) -> dict[Cue, list[str]]:
    """Group pieces by the cue that matches first in each, else by the previous piece's cue; in order."""
    result: dict[Cue, list[str]] = {}
    now = default
    for piece in pieces:
        hits = [
            (hit.start(), -hit.end(), n) for n, one in enumerate(cues) if (hit := one.words.search(piece))
        ]
        now = cues[min(hits)[2]] if hits else now
        result.setdefault(now, []).append(piece)
    return result


def _cues(kind: FindingKind, *told: tuple[str, ...]) -> tuple[Cue, ...]:
    return tuple(cue(words, name, *aliases, kind=kind) for words, name, *aliases in told)


PHYSICAL: Final = cue("查体|体格检查", "体格检查", "Physical examination", kind="examination")
OTHER_TESTS: Final = cue("辅助检查", "辅助检查", "Investigations", "Tests")
EXAMINED: Final = _cues(
    "examination",
    (
        r"体温|脉搏|血压|呼吸\s?\d|\b[TPR]\s?[:：]?\s?\d|\bBP|\bSpO2|\bHR\b|mmHg|生命体征",
        "生命体征",
        "Vital signs",
    ),
    (
        r"神志|神清|意识|发育|营养|精神[可尚差欠]|面容|步入|推入|一般情况|体位|查体合作",
        "一般情况",
        "General examination",
    ),
    (r"皮肤|黏膜|粘膜|皮疹|黄染|出血点|瘀斑|蜘蛛痣|肝掌|紫癜|丘疹|水疱", "皮肤黏膜", "Skin examination"),
    (r"淋巴结", "淋巴结", "Lymph node examination"),
    (r"瞳孔|结膜|巩膜|角膜|眼睑|眼球|视力|眼底|双眼|左眼|右眼|眼压", "眼", "Eye examination"),
    (r"外耳|鼓膜|耳廓|听力|乳突|耳道", "耳", "Ear examination"),
    (r"鼻腔|鼻中隔|鼻窦|鼻翼|鼻黏膜|鼻粘膜|鼻甲", "鼻", "Nose examination"),
    (r"咽部|咽[充无红]|扁桃体|口腔|口唇|舌|牙龈|口咽|咽后壁", "口咽", "Mouth and throat examination"),
    (r"甲状腺|颈[软部抗静]|气管", "颈部", "Neck examination"),
    (r"乳房|乳腺|乳头", "乳房", "Breast examination"),
    (r"肺|呼吸音|啰音|罗音|胸廓|语颤|胸膜摩擦|叩诊清音|呼吸运动", "胸肺", "Respiratory examination"),
    (r"心[率律音界尖前脏]|杂音|律齐|心包摩擦|奔马律", "心脏", "Cardiovascular examination"),
    (
        r"腹|肝[脾区肋]|脾[肋脏大]|肠鸣|墨菲|Murphy|麦氏|移动性浊音|反跳痛|肾区|胃肠型",
        "腹部",
        "Abdominal examination",
    ),
    (r"直肠|肛门|肛周|指检|肛诊", "直肠肛门", "Rectal examination"),
    (r"外生殖器|阴茎|阴囊|睾丸|包皮", "外生殖器", "Genital examination"),
    (r"妇科|阴道|宫颈|子宫|附件区|外阴|宫高|胎心", "妇科检查", "Pelvic examination"),
    (
        r"神经系统|反射|巴氏征|巴宾斯基|Babinski|肌力|肌张力|脑膜刺激|克氏征|布氏征|感觉[正减]|共济|颅神经|病理征",
        "神经系统",
        "Neurological examination",
    ),
    (
        r"脊柱|四肢|关节|双下肢|下肢|上肢|水肿|棘突|直腿抬高|活动[受可自]",
        "脊柱四肢",
        "Musculoskeletal examination",
    ),
    (r"专科(?:情况|检查|体检|查体)", "专科检查", "Specialist examination", "Focused examination"),
)
TESTED: Final = (
    *_cues(
        "test",
        (r"血常规|白细胞|WBC|血红蛋白|血小板", "血常规", "Complete blood count"),
        (r"尿常规|尿检|尿蛋白|尿隐血", "尿常规", "Urinalysis"),
        (
            r"[大粪]便常规|便常规|便潜血|便隐血|大便隐血",
            "大便常规",
            "Stool microscopy",
            "Faecal occult blood test",
        ),
        (r"生化", "生化全套", "Comprehensive metabolic panel"),
        (r"肝功|转氨酶|ALT|谷丙|胆红素", "肝功能", "Liver function tests"),
        (r"肾功|肌酐|尿素氮", "肾功能", "Renal function", "Urea and electrolytes"),
        (r"电解质|血钾|血钠", "电解质", "Electrolytes"),
        (r"糖化血红蛋白|HbA1c", "糖化血红蛋白", "HbA1c"),
        (r"血糖", "血糖", "Glucose"),
        (r"血脂|胆固醇|甘油三酯", "血脂", "Lipid profile"),
        (r"凝血|PT\b|INR|APTT", "凝血功能", "Coagulation screen"),
        (r"D-?二聚体", "D-二聚体", "D-dimer"),
        (r"C反应蛋白|CRP|超敏C", "C反应蛋白", "C-reactive protein"),
        (r"血沉|ESR", "血沉", "Erythrocyte sedimentation rate"),
        (r"降钙素原|PCT", "降钙素原", "Procalcitonin"),
        (r"血气", "血气分析", "Arterial blood gas"),
        (r"心肌酶|CK-?MB|肌酸激酶", "心肌酶", "Cardiac enzymes"),
        (r"肌钙蛋白|cTn", "肌钙蛋白", "Troponin"),
        (r"脑钠肽|BNP|利钠肽", "脑钠肽", "Natriuretic peptide"),
        (r"淀粉酶|脂肪酶", "淀粉酶", "Amylase", "Pancreatic enzymes"),
        (r"甲功|甲状腺功能|TSH|FT[34]", "甲状腺功能", "Thyroid function tests"),
        (r"肿瘤标志|肿瘤标记|CEA|AFP|CA\s?-?\d{2,3}", "肿瘤标志物", "Tumour markers"),
        (r"乙肝|HBsAg", "乙肝五项", "Hepatitis B serology"),
        (r"丙肝", "丙肝抗体", "Hepatitis C antibodies"),
        (r"HIV|艾滋", "HIV抗体", "HIV test"),
        (r"梅毒|RPR|TPPA", "梅毒血清学", "Syphilis serology"),
        (r"自身抗体|抗核抗体|ANA\b", "抗核抗体", "Antinuclear antibodies"),
        (r"类风湿因子|RF\b", "类风湿因子", "Rheumatoid factor"),
        (r"HCG|妊娠试验", "人绒毛膜促性腺激素", "Pregnancy test", "hCG"),
        (r"结核菌素|PPD", "结核菌素试验", "Tuberculin skin test"),
        (r"血培养", "血培养", "Blood cultures"),
        (r"痰培养", "痰培养", "Sputum culture"),
        (r"痰涂片|抗酸杆菌", "痰涂片", "Sputum for acid-fast bacilli"),
        (r"脑脊液|腰穿|腰椎穿刺", "脑脊液检查", "Lumbar puncture"),
        (r"骨髓", "骨髓检查", "Bone marrow examination"),
        (r"胸水|胸腔积液检查", "胸水检查", "Pleural fluid analysis"),
        (r"动态心电图|Holter", "动态心电图", "Ambulatory ECG"),
        (r"心电图|ECG|EKG", "心电图", "Electrocardiogram"),
        (r"脑电图|EEG", "脑电图", "Electroencephalogram"),
        (r"肌电图", "肌电图", "Electromyography and nerve conduction studies"),
        (r"肺功能", "肺功能", "Pulmonary function tests"),
        (r"胃镜", "胃镜", "Upper gastrointestinal endoscopy"),
        (r"结肠镜|肠镜", "肠镜", "Colonoscopy"),
        (r"支气管镜|纤支镜", "支气管镜", "Bronchoscopy"),
        (r"喉镜", "喉镜", "Laryngoscopy"),
        (r"膀胱镜", "膀胱镜", "Cystoscopy"),
        (r"宫腔镜", "宫腔镜", "Hysteroscopy"),
        (r"病理|活检", "病理检查", "Biopsy", "Histology"),
        (r"基因", "基因检测", "Genetic testing"),
    ),
    *_cues(
        "image",
        (r"PET", "PET-CT", "PET scan"),
        (
            r"(?:头|颅|脑)[^，。；]{0,6}(?:CT|ＣＴ)|(?:CT|ＣＴ)[^，。；]{0,4}(?:头|颅|脑)",
            "头颅CT",
            "CT of the head",
        ),
        (
            r"(?:胸|肺)[^，。；]{0,6}(?:CT|ＣＴ)|(?:CT|ＣＴ)[^，。；]{0,4}(?:胸|肺)",
            "胸部CT",
            "CT of the chest",
        ),
        (r"腹[^，。；]{0,6}(?:CT|ＣＴ)|(?:CT|ＣＴ)[^，。；]{0,4}腹", "腹部CT", "CT of the abdomen"),
        (r"椎[^，。；]{0,6}(?:CT|ＣＴ)", "脊柱CT", "CT of the spine"),
        (r"CT|ＣＴ", "CT", "CT scan"),
        (r"(?:头|颅|脑)[^，。；]{0,6}(?:MRI?|磁共振|核磁)", "头颅MRI", "MRI of the brain"),
        (r"椎[^，。；]{0,6}(?:MRI?|磁共振|核磁)", "脊柱MRI", "MRI of the spine"),
        (r"MRI?\b|MRI|磁共振|核磁", "磁共振", "MRI scan"),
        (r"心脏彩超|超声心动|心脏超声|心彩超", "超声心动图", "Echocardiogram"),
        (r"甲状腺[^，。；]{0,4}(?:超|彩超)", "甲状腺超声", "Thyroid ultrasound"),
        (r"乳腺[^，。；]{0,4}(?:超|彩超)", "乳腺超声", "Breast ultrasound"),
        (r"(?:妇科|盆腔|子宫|阴道)[^，。；]{0,4}(?:超|彩超)", "妇科超声", "Pelvic ultrasound"),
        (r"(?:腹|肝|泌尿|肾)[^，。；]{0,8}(?:超|彩超)", "腹部超声", "Abdominal ultrasound"),
        (r"[BＢ]超|彩超|超声|彩色多普勒", "超声", "Ultrasound"),
        (r"胸片|胸部[XＸ]|胸部平片|胸部正", "胸片", "Chest X-ray"),
        (r"腹部?(?:立位)?平片|腹平片", "腹部平片", "Abdominal X-ray"),
        (r"[XＸ]线|[XＸ]光|平片|DR\b|摄片", "X线", "X-ray"),
        (r"造影", "造影", "Angiogram", "Contrast study"),
    ),
)
