"""Converting one file to Markdown, by its suffix; real converters run only in the child process.

markitdown's converters are called one by one, never through its main entry point, which fetches URLs, guesses
formats with a network and reads archives. Struck-through text is removed where the format marks it: Word,
PowerPoint, Excel and HTML; a PDF only draws a line.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from osler.authoring.scenarios.markdown import joined, table
from osler.authoring.scenarios.ruled_pages import ruled_markdown
from osler.authoring.scenarios.web_tables import html_markdown
from osler.models.secret import sanitized
from osler.models.types import encodable
from osler.text.safe_csv import rows_of
from osler.text.struck_text import without_struck

MAX_CELLS: Final = 200_000
MAX_CHARS: Final = 2_000_000
_ENCODINGS: Final = ("utf-8-sig", "cp1252")


def converted(path: Path) -> dict[str, str]:
    """The Markdown of a file under `text`, or the reason why there is none under `reason`."""
    try:
        text = encodable(_markdown_of(path))
    except MemoryError:
        return {"reason": "needs more memory than is given to it"}
    except ImportError as error:
        return {"reason": f"its converter is not installed ({sanitized(str(error))})"}
    except RecursionError:
        return {"reason": "is nested too deeply"}
    except Exception as error:  # converters raise whatever their parsers raise
        return {"reason": f"cannot be converted: {sanitized(str(error)) or type(error).__name__}"}
    if len(text) > MAX_CHARS:
        return {"reason": f"holds more than {MAX_CHARS:,} characters of text"}
    return {"text": text} if text.strip() else {"reason": "holds no text"}


def _markdown_of(path: Path) -> str:
    suffix = path.suffix.lower()
    raw = path.read_bytes()
    result = _CONVERTERS.get(suffix, _text)(raw)
    lines = (line.rstrip() for line in without_struck(result).replace("\0", "").splitlines())
    return "\n".join(lines).strip("\n") + "\n"


def _text(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16")
    for encoding in _ENCODINGS:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise ValueError("its characters cannot be read: save it as UTF-8")


def _csv(raw: bytes) -> str:
    return table([*rows_of(_text(raw))])


def _html(raw: bytes) -> str:
    return html_markdown(_text(raw))


def _docx(raw: bytes) -> str:
    import mammoth  # type: ignore[import-untyped]  # noqa: PLC0415 - optional
    from markitdown.converter_utils.docx.pre_process import pre_process_docx  # noqa: PLC0415 - optional

    # As markitdown reads Word, but the tables are read from the HTML: Markdown's have no merged cells.
    return html_markdown(mammoth.convert_to_html(pre_process_docx(io.BytesIO(raw)), style_map="u => u").value)


def _pdf(raw: bytes) -> str:
    from markitdown.converters import PdfConverter  # noqa: PLC0415 - optional

    text = ruled_markdown(raw) or _markdown(PdfConverter, raw, ".pdf")
    if not text.strip():
        raise ValueError("holds no text: a scan? give its text as a file")
    return text.replace("\f", "\n\n")


def _pptx(raw: bytes) -> str:
    from markitdown.converters import PptxConverter  # noqa: PLC0415 - optional
    from pptx import Presentation  # noqa: PLC0415 - optional

    slides = Presentation(io.BytesIO(raw))
    for part in (part for slide in slides.slides for part in _parts(slide)):
        for properties in part.xpath(".//*[local-name()='rPr'][@strike and @strike != 'noStrike']"):
            run = properties.getparent()
            run.getparent().remove(run)
    kept = io.BytesIO()
    slides.save(kept)
    return _markdown(PptxConverter, kept.getvalue(), ".pptx")


def _markdown(converter: Any, raw: bytes, suffix: str) -> str:
    from markitdown import StreamInfo  # noqa: PLC0415 - optional

    return str(converter().convert(io.BytesIO(raw), StreamInfo(extension=suffix)).markdown)


def _parts(slide: Any) -> Iterator[Any]:
    yield slide.element
    if slide.has_notes_slide:
        yield slide.notes_slide.element


def _xlsx(raw: bytes) -> str:
    """Convert sheet by sheet: markitdown's converter writes NaN into empty cells and loses strikethrough."""
    from openpyxl import load_workbook  # type: ignore[import-untyped]  # noqa: PLC0415 - optional

    book = load_workbook(io.BytesIO(raw), data_only=True, rich_text=True, keep_links=False)
    parts: list[str] = []
    cells = 0
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            continue
        cells += sheet.max_row * sheet.max_column
        if cells > MAX_CELLS:
            raise ValueError(f"holds more than {MAX_CELLS:,} cells")
        below = _merged_below(sheet)
        rows = (
            [None if (cell.row, cell.column) in below else _cell(cell) for cell in row]
            for row in sheet.iter_rows()
        )
        if text := table(list(rows)):
            parts += [f"## {' '.join(str(sheet.title).split())}", text]
    return joined(parts)


def _merged_below(sheet: Any) -> set[tuple[int, int]]:
    """The places (row, column) of a sheet whose cells are merged with the one above."""
    return {
        (row, held.min_col)
        for held in sheet.merged_cells.ranges
        for row in range(held.min_row + 1, min(held.max_row, sheet.max_row) + 1)
    }


def _cell(cell: Any) -> str:
    """A cell's text without its struck-through parts."""
    value = cell.value
    if value is None or (cell.font is not None and cell.font.strike):
        return ""
    if isinstance(value, str | int | float | bool) or not isinstance(value, list):
        return str(value)
    values = (
        part if isinstance(part, str) else part.text
        for part in value
        if isinstance(part, str) or not part.font.strike
    )
    return "".join(values)


_CONVERTERS: Final[dict[str, Callable[[bytes], str]]] = {
    ".docx": _docx,
    ".pptx": _pptx,
    ".pdf": _pdf,
    ".xlsx": _xlsx,
    ".csv": _csv,
    ".tsv": _csv,
    ".html": _html,
    ".htm": _html,
}
NEED_EXTRA: Final = frozenset({".docx", ".pptx", ".pdf", ".xlsx", ".html", ".htm"})
