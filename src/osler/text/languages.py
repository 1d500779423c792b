"""Languages that an encounter can be played in, by ISO 639-1 code, and the rule for which one it is.

Language models can play in any of them. What works by English words, built-in players, the rules of judges
and the analyses of talk, serves English alone.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, NamedTuple

from pydantic import AfterValidator, Field

from osler.errors import BadInput

ENGLISH: Final = "en"
NOT_ENGLISH: Final = "not_english"
"""The reason why a score that rests on English words is not given."""


class Language(NamedTuple):
    """A language: its English name, and its own."""

    name: str
    own: str


LANGUAGES: Final = {
    "ar": Language("Arabic", "العربية"),
    "bn": Language("Bengali", "বাংলা"),
    "cs": Language("Czech", "čeština"),
    "da": Language("Danish", "dansk"),
    "de": Language("German", "Deutsch"),
    "el": Language("Greek", "ελληνικά"),
    ENGLISH: Language("English", "English"),
    "es": Language("Spanish", "español"),
    "fa": Language("Persian", "فارسی"),
    "fi": Language("Finnish", "suomi"),
    "fr": Language("French", "français"),
    "he": Language("Hebrew", "עברית"),
    "hi": Language("Hindi", "हिन्दी"),
    "hu": Language("Hungarian", "magyar"),
    "id": Language("Indonesian", "Bahasa Indonesia"),
    "it": Language("Italian", "italiano"),
    "ja": Language("Japanese", "日本語"),
    "ko": Language("Korean", "한국어"),
    "nl": Language("Dutch", "Nederlands"),
    "no": Language("Norwegian", "norsk"),
    "pl": Language("Polish", "polski"),
    "pt": Language("Portuguese", "português"),
    "ro": Language("Romanian", "română"),
    "ru": Language("Russian", "русский"),
    "sv": Language("Swedish", "svenska"),
    "sw": Language("Swahili", "Kiswahili"),
    "ta": Language("Tamil", "தமிழ்"),
    "th": Language("Thai", "ไทย"),
    "tr": Language("Turkish", "Türkçe"),
    "uk": Language("Ukrainian", "українська"),
    "ur": Language("Urdu", "اردو"),
    "vi": Language("Vietnamese", "Tiếng Việt"),
    "zh": Language("Chinese", "中文"),
}
_BY_NAME: Final = {
    name.casefold(): code for code, one in LANGUAGES.items() for name in (code, one.name, one.own)
}


def code_of(name: str) -> str:
    """The code of a language by its code or name ("zh", "Chinese", "中文"). Raises BadInput for any other."""
    result = _BY_NAME.get(name.strip().casefold())
    if result is None:
        text = ", ".join(f"{one.name} ({code})" for code, one in LANGUAGES.items())
        raise BadInput(f"no language is called {name[:40]!r}", where="--language", hint=f"known: {text}")
    return result


def _of_settings(name: str | None) -> str | None:
    if name is None:
        return None
    try:
        return code_of(name)
    except BadInput as error:
        raise ValueError(str(error)) from None


PlayedIn = Annotated[str | None, AfterValidator(_of_settings)]
"""A setting: the language of play by code or name; the case's own if `None`."""
THE_CASES: Final[Any] = Field(default=None, exclude_if=lambda code: code is None)
"""The default of that setting; left out of JSON, so that a run without it keeps its key."""


def played_in(settings: Any, case: Any) -> str:
    """The code of the language that a case is played in: the settings', else the case's own, else English."""
    return getattr(settings, "language", None) or language_of(case)


def language_of(case: Any) -> str:
    """The code of the language that a case is written in; English where it names none."""
    return getattr(case, "language", None) or ENGLISH


def shown(code: str) -> str:
    """A language in words: "Chinese (中文)"; an unlisted code as it is."""
    one = LANGUAGES.get(code)
    return code if one is None else one.name if one.name == one.own else f"{one.name} ({one.own})"


def instruction(code: str) -> str:
    """The rule for a language model that plays in a language; empty for English, that of the prompts."""
    if code == ENGLISH:
        return ""
    return (
        f"Language: {shown(code)}. Whatever others will hear or read, write in {shown(code)}, in whatever"
        " language these rules, the case or the others' words are. Names of fields, ids, letters of options,"
        " tags and words that a field allows stay exactly as they are given."
    )


def notice_to_judge(code: str) -> str:
    """The line that tells a judge the language of play; empty for English."""
    if code == ENGLISH:
        return ""
    return (
        f"The encounter was held in {shown(code)}: judge what was meant, as somebody at home in that language"
        " would; quote in the language of the record, and write the rest in English."
    )
