"""The base rate: what is scored without looking at a case."""

from __future__ import annotations

from osler.cases.model import Case, Task
from osler.studies.trivial_baselines import blind
from osler.testing.cases import small_case


def asking(number: int, answer: str, options: dict[str, str] | None = None) -> Case:
    kind = "choice" if options else "diagnosis"
    task = Task.model_validate(
        {"kind": kind, "question": "What is it?", "answer": answer, "options": options}
    )
    return small_case(id=f"test-{number}", task=task, diagnosis=None)


def test_the_commonest_answer_is_named_and_of_several_always_the_same() -> None:
    cases = {
        str(n): asking(n, answer) for n, answer in enumerate(("Gout", "Asthma", "gout.", "Asthma", "Flu"))
    }
    turned = dict(reversed(cases.items()))
    found = blind(cases, options_shown=False)
    assert found == {"0": [0.0], "1": [1.0], "2": [0.0], "3": [1.0], "4": [0.0]}
    assert blind(turned, options_shown=False) == found


def test_options_are_guessed_at_where_they_are_shown_and_named_in_words_where_not() -> None:
    one = asking(1, "A", {"A": "Gout", "B": "Asthma"})
    other = asking(2, "B", {"A": "Flu", "B": "Gout", "C": "Gout", "D": "Asthma"})
    cases = {"one": one, "other": other}
    assert blind(cases, options_shown=True) == {"one": [0.5], "other": [0.5]}, "two options say the same"
    assert blind(cases, options_shown=False) == {"one": [1.0], "other": [1.0]}, "both answers are gout"
    assert blind({}, options_shown=True) == {}
