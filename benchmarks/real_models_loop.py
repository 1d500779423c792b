"""AgentClinic's published loop (`agentclinic.py`, as it is) with a scripted doctor, on any endpoint.

Its patient, measurement reader and moderator ask the model with its own prompts, limits and temperature,
0.05. Only the way to the model is replaced, the waiting between turns, and the doctor by the script.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import time
import types
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

RECORDS: Final = "agentclinic_medqa.jsonl"
TIMEOUT_S: Final = 900
_SPOKEN: Final = re.compile(r"^(Doctor|Patient|Measurement) \[\d+%\]: ?(.*)$", re.MULTILINE)
_REFUSES: Final = re.compile(
    r"\bI (?:can ?not|can't|am unable to|am not able to|will not|won't) (?:\w+ ){0,2}?"
    r"(?:continue|assist|help|comply|fulfil\w*|provide|participate|play|engage|answer|respond)\b"
    r"|\bas an? (?:AI|artificial|language model)\b|\bI(?:'m| am) an? (?:AI|language model|assistant)\b"
    r"|\bhow (?:can|may) I (?:help|assist) you\b|\bI(?:'m| am) (?:here|happy) to (?:help|assist)\b",
    re.IGNORECASE,
)


def is_answer(text: str, question: str) -> bool:
    """Whether a patient's or a service's words answer at all: neither empty, nor the question again (of four
    words or more, four fifths stand in it), nor a refusal, nor an AI that speaks of itself or offers its
    help. The same for Osler's seats and the loop's."""
    words, asked = (re.findall(r"\w+", each.lower()) for each in (text, question))
    echoes = len(words) >= 4 and sum(word in asked for word in words) >= 0.8 * len(words)
    return bool(words) and not echoes and not _REFUSES.search(text.replace("’", "'"))


def play(
    folder: Path, base_url: str, model: str, script: Sequence[str], number: int, key: str = ""
) -> dict[str, Any]:
    """Play one of the records in a folder, counted from 0, and return its figures."""
    asked: list[tuple[int, int, int, str]] = []
    loop = _loaded(folder, _completion(base_url, model, key, asked))
    loop.DoctorAgent = _scripted(loop, script)
    loop.ScenarioLoaderMedQA = _loader(loop, (folder / RECORDS).read_text().splitlines()[number])
    began, printed = time.monotonic(), io.StringIO()
    with contextlib.redirect_stdout(printed):
        # key, replicate's, LLM doctor, two biases, four models, scenarios, data set, images, turns
        loop.main("key", None, "llm", "None", "None", *["gpt4"] * 4, 1, "MedQA", False, len(script) + 1)
    return figures(number, printed.getvalue(), asked, time.monotonic() - began)


def figures(
    number: int, printed: str, asked: Sequence[tuple[int, int, int, str]], seconds: float
) -> dict[str, Any]:
    """The figures of one case, from what the loop printed and what was asked of the model."""
    answers, question = list[dict[str, Any]](), ""
    for who, text in _SPOKEN.findall(printed):
        if who == "Doctor":
            question = text
        else:
            answered = is_answer(text, question)
            answers.append({"by": who.lower(), "text": text.strip(), "answered": answered})
    return {
        "case": number,
        "calls": len(asked),
        "sent": sum(one[0] for one in asked),
        "fresh": sum(one[1] for one in asked),
        "generated": sum(one[2] for one in asked),
        "cut": sum(one[3] == "length" for one in asked),
        "diagnosed": printed.count("The diagnosis was"),
        "seconds": round(seconds, 1),
        "answers": answers,
    }


def _completion(base_url: str, model: str, key: str, asked: list[tuple[int, int, int, str]]) -> type:
    class Completion:
        @staticmethod
        def create(model: str, messages: Any, temperature: float, max_tokens: int, _as: str = model) -> Any:
            body = {"model": _as, "messages": messages, "temperature": temperature, "max_tokens": max_tokens}
            headers = {
                "content-type": "application/json",
                **({"authorization": f"Bearer {key}"} if key else {}),
            }
            url = f"{base_url}/chat/completions"
            request = urllib.request.Request(url, json.dumps({**body, "seed": 1}).encode(), headers)
            answer = json.load(urllib.request.urlopen(request, timeout=TIMEOUT_S))
            usage = answer["usage"]
            cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
            sent, written = usage["prompt_tokens"], usage["completion_tokens"]
            asked.append((sent, sent - cached, written, answer["choices"][0]["finish_reason"]))
            return answer

    return Completion


def _loaded(folder: Path, completion: type) -> Any:
    """The published module, with nothing but our client behind the libraries it imports."""
    for name in ("anthropic", "replicate", "transformers", "openai"):
        sys.modules[name] = types.ModuleType(name)
    vars(sys.modules["transformers"])["pipeline"] = None
    vars(sys.modules["openai"])["ChatCompletion"] = completion
    loop = types.ModuleType("agentclinic")
    source = (folder / "agentclinic.py").read_text()
    exec(compile(source, "agentclinic.py", "exec", dont_inherit=True), vars(loop))
    vars(loop)["time"] = types.SimpleNamespace(sleep=lambda seconds: None)
    return loop


def _loader(loop: Any, record: str) -> type:
    class Loader:
        num_scenarios = 1

        def get_scenario(self, id: int) -> Any:
            return loop.ScenarioMedQA(json.loads(record))

    return Loader


def _scripted(loop: Any, script: Sequence[str]) -> type:
    base: Any = loop.DoctorAgent

    class Doctor(base):  # type: ignore[misc]
        def inference_doctor(self, question: str, image_requested: bool = False) -> str:
            self.infs += 1
            line: str = script[min(int(self.infs), len(script)) - 1]
            return line

    return Doctor


def key_of(variable: str | None) -> str:
    """The endpoint's key, from the environment."""
    return os.environ.get(variable, "") if variable else ""
