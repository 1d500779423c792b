"""The words of error answers: what providers and servers say for the same few things.

Each pattern lists wordings of OpenAI, Azure, Anthropic, Gemini, Mistral, OpenRouter, DeepSeek, DashScope,
vLLM, SGLang, TGI, llama.cpp, Ollama, LM Studio and TabbyAPI. All are matched against lower case.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

_NO_MODEL: Final = re.compile(
    r"model_not_found|not_found_error model:|no endpoints found for |pinned to"
    r"|(?:no such|unknown|invalid|not a valid) model"
    r"|\bmodel\b.{0,200}(?:not found|not exist|no access|unavailable|not loaded)"
)
_NO_CREDIT: Final = re.compile(
    r"insufficient_quota|insufficient (?:credit|balance|funds)|credit balance|out of credits"
    r"|billing_not_active|arrearage|payment required"
)
_FILTERED: Final = re.compile(
    r"content[_ ]filter|content management policy|content[_ ]policy|responsible ?ai|prohibited_content"
    r"|data_inspection_failed|inappropriate content|content exists risk|(?:was|been|were|is) flagged"
    r"|requires moderation|guardrail|safety (?:system|filter|setting|reason|polic)|usage polic"
    r"|blocked.{0,40}(?:safety|content|policy)"
)
_ACCOUNT: Final = re.compile(r"\b(?:account|organi[sz]ation|api[_ ]key|suspended|deactivated|terminated)\b")
_CONTEXT: Final = re.compile(
    r"exceed_context_size|context_length_exceeded|string_above_max_length"
    r"|context[\s_-]{0,3}(?:length|window|size|limit).{0,120}"
    r"(?:exceed|longer|larger|greater|too (?:long|large|many|big)|overflow|beyond|only|reduce|requested)"
    r"|(?:exceed|longer|larger|greater|too (?:long|large|many|big)|overflow|beyond|max).{0,120}"
    r"context[\s_-]{0,3}(?:length|window|size|limit)"
    r"|\b(?:prompt|inputs?|messages?|(?:input|prompt) (?:length|tokens?|token count))\b.{0,100}"
    r"(?:exceed|longer than|larger than|greater than|too (?:long|large|many)|must have less than)"
    r".{0,60}(?:token|length|len\b)|token count.{0,60}only supports"
    r"|too many tokens|(?:prompt|input) (?:is )?too long|max_model_len|max_seq_len|max_input_len"
    r"|maximum (?:prompt|input|sequence|model|session) length|session length|range of input length"
    r"|`?inputs`? tokens \+ `?max_new_tokens|reduce the length of the (?:messages|prompt|input)"
    r"|exceeds? max(?:imum)? (?:input |prompt |sequence )?length|request (?:is )?too long"
)
_PER_TIME: Final = re.compile(r"per[_ ](?:minute|hour|day|second)|\btpm\b|\brpm\b|rate[_ ]limit")
_PROMPT_ALONE: Final = re.compile(
    r"messages? resulted in|(?:prompt|input)s? (?:is |are )?too long|input \(\d|input tokens? exceed"
    r"|model_context_window_exceeded|request_too_large"
    r"|input token count|context[ _]size|exceed context window|input length .{0,30}exceed"
)
_NO_ROUTE: Final = re.compile(r"no endpoints (?:found|available)")
_REFUSES: Final = re.compile(
    r"unsupported|deprecated|(?:not|n't) (?:be |both )?(?:supported?|allowed|permitted|accepted?|specified)"
    r"|may only be|only the default|unrecognized|unknown|extra inputs"
)
_SAMPLING: Final = ("top_p", "temperature", "stop")
_OF_ANOTHER_FIELD: Final = re.compile(
    r"\bseed\b|max_(?:completion_|output_|new_)?tokens|temperature|top_[pk]\b|penalty|reasoning|thinking"
    r"|\bmessages\b|\bimages?\b|image_url|system (?:role|message|prompt|instruction)|\broles?\b"
    r"|api[_ ]key|polic|privacy|guardrail|prefill"
)
_ASKED_TOO_MUCH: Final = re.compile(r"too large: (\d+).{0,80}maximum context length is (\d+)")


def names_no_model(words: str) -> bool:
    """Whether an error says that the model is not served."""
    return _NO_MODEL.search(words) is not None


def names_no_credit(words: str) -> bool:
    """Whether an error says that the account is used up."""
    return _NO_CREDIT.search(words) is not None


def names_filter(words: str) -> bool:
    """Whether an error says that a filter refused this request: not the account that sent it."""
    return _FILTERED.search(words) is not None and not _ACCOUNT.search(words)


def names_context(words: str) -> bool:
    """Whether an error says that the prompt does not fit the model's context: not that the answer asked for
    would not fit any prompt, nor that a limit of tokens per minute is exceeded."""
    match = _ASKED_TOO_MUCH.search(words)
    if match and int(match[1]) >= int(match[2]):
        return False
    return _CONTEXT.search(words) is not None and not _PER_TIME.search(words)


def names_no_route(words: str) -> bool:
    """Whether a gateway says that nobody behind it takes the request as it is."""
    return _NO_ROUTE.search(words) is not None


def names_another_field(words: str) -> bool:
    """Whether a refusal names a part of the request other than the form of the answer."""
    return _OF_ANOTHER_FIELD.search(words) is not None


def refused_sampling(words: str) -> tuple[str, ...]:
    """The fields of sampling that a refusal names, in the order in which to leave them out."""
    named = tuple(name for name in _SAMPLING if re.search(rf"\b{name}\b", words))
    return named if _REFUSES.search(words) else ()


def names_the_prompt_alone(words: str) -> bool:
    """Whether an error about the context counts the prompt only, and not the answer asked for."""
    return _PROMPT_ALONE.search(words) is not None


def error_words(body: bytes) -> tuple[str, str]:
    """The codes and the message in an error body of any shape; the start of the text if it has none."""
    text = body[:20_000].decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return "", text
    while isinstance(value, list) and value:
        value = value[0]
    error = value.get("error", value) if isinstance(value, dict) else value
    if not isinstance(error, dict):
        return "", str(error)
    inner = error.get("innererror")
    codes: list[Any] = [error.get(name) for name in ("code", "type", "param", "status")]
    codes.append(inner.get("code") if isinstance(inner, dict) else None)
    said = str(error.get("message") or error.get("detail") or text)
    metadata = error.get("metadata")  # of a gateway: what the provider behind it said
    if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str):
        said = f"{said}: {metadata['raw']}"
    return " ".join(str(code) for code in codes if code), said
