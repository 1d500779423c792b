"""Documents to Markdown: their words and tables come over, what is struck through does not, and what breaks a
converter breaks nothing else."""

from __future__ import annotations

import importlib.util
import resource
import zipfile
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation

from osler.authoring.scenarios import converting
from osler.authoring.scenarios.converting import Converted, convert
from osler.authoring.scenarios.converting_child import CPU_S
from osler.errors import BadInput
from tests.authoring.scenarios.source import BRIEF, ITEMS, NOTES, OLD_ITEM, STRUCK, write_source


def one(path: Path, raw: bytes | str) -> Converted:
    path.write_bytes(raw.encode() if isinstance(raw, str) else raw)
    (found,) = convert([path])
    return found


def write_slides(path: Path) -> None:
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = "Course"
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    for text, strike in (("old ", "sngStrike"), ("new", "noStrike")):
        run = paragraph.add_run()
        run.text = text
        run.font._element.set("strike", strike)
    slide.notes_slide.notes_text_frame.text = "Say nothing."
    slides.save(str(path))


def test_the_words_of_office_documents_come_over_without_what_is_struck(tmp_path: Path) -> None:
    """One call, since its child takes two seconds to import what it converts with."""
    folder = write_source(tmp_path)
    write_slides(folder / "a.pptx")
    names = ("brief and course.docx", "actor notes.pdf", "checklist.xlsx", "a.pptx")
    word, pdf, excel, course = (found.text for found in convert([folder / name for name in names]))
    assert "# Headache clinic" in word
    assert all(text in word for _, text, struck in BRIEF if not struck)
    assert all(line in pdf for line in NOTES)
    assert all(f"| {item} |" in excel for item in ITEMS)
    assert STRUCK not in word
    assert OLD_ITEM not in excel
    assert "# Course" in course
    assert "new" in course
    assert "old" not in course
    assert "Say nothing." in course


@pytest.mark.parametrize(
    ("name", "raw", "told", "gone"),
    [
        (
            "a.html",
            "<h1>Plan</h1><p>Ask <s>old</s><strike>older</strike> him</p><script>x1</script>",
            "# Plan",
            "old",
        ),
        (
            "a.html",
            "<p>a<span style='text-decoration:line-through'>old</span></p><script>x()</script>",
            "a",
            "x()",
        ),
        ("a.csv", "Item,Done\nAsks | listens,\n", "| Asks \\| listens |  |", "nothing"),
        ("a.csv", "Item;Done\nAsks;1\n", "| Asks | 1 |", ";"),
        ("a.md", "Ask him. ~~Old words.~~ Go on.", "Ask him.  Go on.", "Old"),
        ("a.txt", "caf\xe9".encode("cp1252"), "café", "�"),
        ("a.txt", "né".encode("utf-16"), "né", "�"),
    ],
)
def test_texts_and_tables(tmp_path: Path, name: str, raw: bytes | str, told: str, gone: str) -> None:
    found = one(tmp_path / name, raw)
    assert told in found.text
    assert gone not in found.text


def test_a_damaged_file_is_refused_in_words_and_the_next_is_read(tmp_path: Path) -> None:
    damaged = {"a.pdf": b"%PDF-1.7 and nothing else", "a.docx": b"PK\x05\x06" + bytes(18), "a.xlsx": b"PK"}
    fine = tmp_path / "b.txt"
    fine.write_text("fine")
    for name, raw in damaged.items():
        (tmp_path / name).write_bytes(raw)
    found = list(convert([path for name in damaged for path in (tmp_path / name, fine)]))
    for name, bad, good in zip(damaged, found[::2], found[1::2], strict=True):
        assert bad.reason, name
        assert "Traceback" not in bad.reason
        assert good.text == "fine\n"


def test_a_converter_that_never_ends_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-")
    monkeypatch.setattr(converting, "_CHILD", "tests.authoring.scenarios.stuck")
    (found,) = convert([tmp_path / "a.pdf"], time_s=0.2)
    assert found.reason == "took too long to convert"


@pytest.mark.slow
def test_tables_nested_without_end_cost_seconds_and_the_next_file_is_read(tmp_path: Path) -> None:
    """20,000 tables in one another are 3 kB; their converter would be busy for minutes."""
    depth, folder = 20_000, "http://schemas.openxmlformats.org/"
    cells = "<w:tbl><w:tr><w:tc>" * depth + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * depth
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{folder}package/2006/content-types"><Override'
        f' PartName="/word/document.xml" ContentType="{main}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{folder}package/2006/relationships"><Relationship Id="r"'
        f' Type="{folder}officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
        "</Relationships>",
        "word/document.xml": f'<w:document xmlns:w="{folder}wordprocessingml/2006/main"><w:body>{cells}'
        "</w:body></w:document>",
    }
    with zipfile.ZipFile(tmp_path / "a.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    (tmp_path / "b.html").write_text("<p>fine</p>")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    bad, good = convert([tmp_path / "a.docx", tmp_path / "b.html"])
    assert (bad.reason, good.text) == ("took too long to convert", "fine\n")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 2 * CPU_S


def test_without_the_extra_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec

    def without(name: str, *rest: Any) -> Any:
        return None if name == "markitdown" else real(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    (tmp_path / "a.pdf").write_bytes(b"%PDF-")
    (tmp_path / "a.txt").write_text("text needs nothing")
    with pytest.raises(BadInput, match=r"reading \.pdf files needs an extra.*pip install"):
        list(convert([tmp_path / "a.pdf"]))
    assert next(iter(convert([tmp_path / "a.txt"]))).text == "text needs nothing\n"
