"""The tutor's output contract: every well-formed text is read back as it was, every breach is named."""

from __future__ import annotations

import ast
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.protocols.ward_round.monologue import (
    Breach,
    Thought,
    Turn,
    inert,
    parse,
    parse_statement,
    parse_thought,
    render,
    render_thought,
)

# Colons, quotes and angle brackets are words like others, as long as they make no tag.
WORDS = st.text(string.ascii_letters + string.digits + " .,:;'\"<>=/éß中", min_size=1, max_size=20).filter(
    lambda text: text.strip() and "think" not in text.lower() and "<" not in text[-1:]
)
NAMES = st.lists(
    st.from_regex(r"[A-Z][a-z]{1,9}(?: [A-Z][a-z]{1,9})?", fullmatch=True),
    min_size=1,
    max_size=4,
    unique=True,
)
STATEMENT = WORDS.map(str.strip)


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    names = draw(NAMES)
    students = tuple((name, draw(WORDS)) for name in names)
    image = draw(st.none() | WORDS)
    return Turn(Thought(draw(WORDS), draw(WORDS), students, draw(WORDS), image), draw(STATEMENT))


def names_of(turn: Turn) -> list[str]:
    return [name for name, _ in turn.thought.students]


def shown(breach: Breach) -> str:
    """The excerpt that a breach shows, as it stands in the text."""
    return str(ast.literal_eval(breach.found.removesuffix("...")))


def read(text: str, turn: Turn) -> Turn:
    return parse(text, names_of(turn), has_images=turn.thought.image is not None)


def tags_of(turn: Turn) -> list[str]:
    tags = ["<think_history>", "<think_question>"]
    tags += [f'<think_student student_id="{name}">' for name in names_of(turn)]
    return [*tags, "<think_group>", *(["<think_image>"] if turn.thought.image is not None else [])]


def closing(tag: str) -> str:
    return f"</{tag[1:].split()[0].rstrip('>')}>"


@given(turns())
def test_a_well_formed_text_is_read_back_as_it_was(turn: Turn) -> None:
    assert read(render(turn), turn) == turn
    assert render(read(render(turn), turn)) == render(turn)
    assert parse_thought(
        render_thought(turn.thought), names_of(turn), has_images=turn.thought.image is not None
    ) == (turn.thought)
    assert parse_statement(turn.guidance) == turn.guidance


@given(turns(), st.sampled_from(["", "\n", " \n\n\t"]))
def test_white_space_between_blocks_is_free(turn: Turn, space: str) -> None:
    text = render(turn)
    for tag in tags_of(turn)[1:]:
        text = text.replace(f"\n{tag}", f"{space}{tag}")
    assert read(text, turn) == turn


@given(turns(), st.data())
def test_a_lost_opening_tag_is_named(turn: Turn, data: st.DataObject) -> None:
    tag = data.draw(st.sampled_from(tags_of(turn)))
    with pytest.raises(Breach) as breach:
        read(render(turn).replace(tag, "", 1), turn)
    assert breach.value.expected == tag
    assert f"expected {tag}, found " in str(breach.value)


@given(turns(), st.data())
def test_an_unclosed_tag_is_named(turn: Turn, data: st.DataObject) -> None:
    tag = data.draw(st.sampled_from(tags_of(turn)))
    text = render(turn)
    at = text.index(closing(tag), text.index(tag))
    with pytest.raises(Breach) as breach:
        read(text[:at] + text[at + len(closing(tag)) :], turn)
    assert breach.value.expected == closing(tag)


@given(turns(), st.data())
def test_two_blocks_in_the_wrong_order_are_named(turn: Turn, data: st.DataObject) -> None:
    tags = tags_of(turn)
    k = data.draw(st.integers(0, len(tags) - 2))
    lines = render_thought(turn.thought).split("\n")
    lines[k], lines[k + 1] = lines[k + 1], lines[k]
    with pytest.raises(Breach) as breach:
        read("\n".join(lines) + "\n\n" + turn.guidance, turn)
    assert breach.value.expected == tags[k]
    assert shown(breach.value).startswith(tags[k + 1])


@given(turns(), st.data())
def test_a_doubled_block_is_named(turn: Turn, data: st.DataObject) -> None:
    tags = tags_of(turn)
    k = data.draw(st.integers(0, len(tags) - 1))
    lines = render_thought(turn.thought).split("\n")
    with pytest.raises(Breach) as breach:
        read("\n".join([*lines[: k + 1], *lines[k:]]) + "\n\n" + turn.guidance, turn)
    wanted = tags[k + 1] if k + 1 < len(tags) else "a guiding statement without tags"
    assert breach.value.expected == wanted


@given(turns(), st.data())
def test_a_block_without_words_is_named(turn: Turn, data: st.DataObject) -> None:
    tag = data.draw(st.sampled_from(tags_of(turn)))
    text = render(turn)
    start = text.index(tag) + len(tag)
    with pytest.raises(Breach) as breach:
        read(text[:start] + " \n" + text[text.index(closing(tag), start) :], turn)
    assert str(breach.value) == f"at character {start}: expected words after {tag}, found nothing"


@given(turns(), st.data())
def test_a_wrong_name_is_named_beside_the_right_one(turn: Turn, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(names_of(turn)))
    wrong = data.draw(st.sampled_from([f"{name}x", name.lower(), "Nobody", ""]))
    with pytest.raises(Breach) as breach:
        read(render(turn).replace(f'student_id="{name}"', f'student_id="{wrong}"', 1), turn)
    assert breach.value.expected == f'<think_student student_id="{name}">'
    assert shown(breach.value).startswith(f'<think_student student_id="{wrong}">')


@given(turns())
def test_a_missing_student_and_a_strange_one_are_named(turn: Turn) -> None:
    names = names_of(turn)
    with pytest.raises(Breach, match='student_id="Zed"'):
        parse(render(turn), [*names, "Zed"], has_images=turn.thought.image is not None)
    with pytest.raises(Breach) as breach:
        parse(render(turn), names[:-1], has_images=turn.thought.image is not None)
    assert breach.value.expected == "<think_group>"


@given(turns())
def test_an_image_is_thought_of_if_and_only_if_there_is_one(turn: Turn) -> None:
    has = turn.thought.image is not None
    with pytest.raises(Breach) as breach:
        parse(render(turn), names_of(turn), has_images=not has)
    assert breach.value.expected == ("a guiding statement without tags" if has else "<think_image>")
    assert "<think_image>" in str(breach.value)


@given(turns(), st.data(), WORDS.map(str.strip))
def test_words_between_blocks_are_named(turn: Turn, data: st.DataObject, stray: str) -> None:
    tags = tags_of(turn)
    tag = data.draw(st.sampled_from(tags))
    with pytest.raises(Breach) as breach:
        read(render(turn).replace(tag, f"{stray}\n{tag}", 1), turn)
    assert breach.value.expected == tag
    assert shown(breach.value).startswith(stray)


@given(turns(), st.sampled_from(["", " ", "\n\n"]))
def test_no_guidance_is_named(turn: Turn, nothing: str) -> None:
    with pytest.raises(Breach, match="expected a guiding statement, found the end"):
        read(render_thought(turn.thought) + nothing, turn)


@given(turns(), st.sampled_from(["\n\n", "\n \n", "\n\n\n"]))
def test_a_second_statement_is_named(turn: Turn, gap: str) -> None:
    text = f"{render(turn)}{gap}And this."
    with pytest.raises(Breach) as breach:
        read(text, turn)
    assert breach.value.expected == "one guiding statement"
    assert text[breach.value.position :] == "And this."


@pytest.mark.parametrize(
    "tag", ["<think_group>", "</think_group>", "<THINK_image>", "<thinking>", "< think >", "<think"]
)
def test_a_tag_in_the_guidance_is_named(tag: str) -> None:
    with pytest.raises(Breach) as breach:
        parse_statement(f"What now? {tag} done")
    assert breach.value.position == 10
    assert breach.value.expected == "a guiding statement without tags"


@pytest.mark.parametrize(
    "opening",
    [
        "<think_student student_id='Ann'>",
        "<think_student student_id=Ann>",
        '<think_student  student_id="Ann">',
        '<think_student id="Ann">',
        '<think_student student_id=\\"Ann\\">',
        '<THINK_STUDENT student_id="Ann">',
        "<think_student>",
        "Ann: ",
    ],
)
def test_an_opening_tag_is_written_in_one_way_only(opening: str) -> None:
    """A word before a colon is no student, and a tag that is nearly right is not right."""
    text = render(Turn(Thought("h", "q", (("Ann", "words"),), "g"), "What now?"))
    with pytest.raises(Breach) as breach:
        parse(text.replace('<think_student student_id="Ann">', opening), ["Ann"], has_images=False)
    assert breach.value.expected == '<think_student student_id="Ann">'
    assert shown(breach.value).startswith(opening.rstrip())


def test_colons_in_a_thought_name_no_student() -> None:
    turn = Turn(Thought("Note: x", "Goal: y", (("Ann", "Ben: not here"),), "Plan: z"), "Now: what?")
    assert parse(render(turn), ["Ann"], has_images=False) == turn


@given(st.text(max_size=300), st.booleans())
def test_any_text_is_read_or_refused_by_name(text: str, has_images: bool) -> None:
    try:
        found: Turn | Breach = parse(text, ["Ann", "Ben"], has_images=has_images)
    except Breach as breach:
        found = breach
    if isinstance(found, Breach):
        assert 0 <= found.position <= len(text)
        assert found.expected
        assert found.found
    else:
        assert found.guidance


@given(st.text(max_size=200))
def test_words_of_others_made_inert_break_nothing(text: str) -> None:
    quiet = inert(text)
    assert "\n" not in quiet
    if quiet:
        turn = Turn(Thought(quiet, quiet, (("Ann", quiet),), quiet), quiet)
        assert parse(render(turn), ["Ann"], has_images=False) == turn
