"""Tables of pandas, polars and pyarrow: compact text, CSV, and Parquet where CSV has to be cut."""

from __future__ import annotations

import sys

from . import limits, shown
from .grid import grid
from .own import library

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any, Callable

    from .part import Part

PARQUET = "application/vnd.apache.parquet"
#: Tables up to this many rows are shown in full, of longer ones the head.
FULL_ROWS = 20
HEAD_ROWS = 10
MAX_COLUMNS = 20
MAX_CELL_CHARS = 60
#: Columns whose type is told.
MAX_TYPES = 60


def add_nothing(part: Part, value: object) -> None:
    """For values that are their repr."""


def add_pandas(part: Part, value: Any) -> None:  # noqa: ANN401
    """A DataFrame or Series of pandas."""
    is_series = value.ndim == 1
    name = value.name if is_series else None
    frame: Any = value.to_frame("value" if name is None else name) if is_series else value
    rows = len(frame)
    types = [(str(label), str(kind)) for label, kind in zip(frame.columns, frame.dtypes)]
    head = frame.iloc[: _rows_of_text(rows)]
    text = head.to_string(max_cols=MAX_COLUMNS, max_colwidth=MAX_CELL_CHARS)
    _describe(part, f"pandas {type(value).__name__}", rows, types, text)
    # an index that merely counts says nothing
    has_index = type(frame.index).__name__ != "RangeIndex" or frame.index.name is not None
    _add_csv(
        part,
        rows,
        lambda start, stop: frame.iloc[start:stop].to_csv(index=has_index, header=start == 0),
    )
    if part.metadata["text/csv"]["rows"] < rows and "pyarrow" in sys.modules:
        size = int(frame.memory_usage(index=True, deep=False).sum())
        _add_parquet(part, size, lambda file: frame.to_parquet(file))


def add_polars(part: Part, value: Any) -> None:  # noqa: ANN401
    """A DataFrame or Series of polars."""
    polars: Any = sys.modules["polars"]
    frame: Any = value if hasattr(value, "columns") else value.to_frame()
    rows: int = frame.height
    types = [(str(name), str(kind)) for name, kind in frame.schema.items()]
    count = _rows_of_text(rows)
    with polars.Config(
        tbl_rows=count,
        tbl_cols=MAX_COLUMNS,
        tbl_hide_dataframe_shape=True,
        tbl_hide_column_data_types=True,
        fmt_str_lengths=MAX_CELL_CHARS,
    ):
        text = str(frame.head(count))
    _describe(part, f"polars {type(value).__name__}", rows, types, text)
    _add_csv(
        part,
        rows,
        lambda start, stop: frame.slice(start, stop - start).write_csv(include_header=start == 0),
    )
    if "text/csv" not in part.data or part.metadata["text/csv"]["rows"] < rows:
        _add_parquet(part, int(frame.estimated_size()), frame.write_parquet)


def add_arrow(part: Part, value: Any) -> None:  # noqa: ANN401
    """A Table or RecordBatch of pyarrow."""
    rows: int = value.num_rows
    types = [(str(field.name), str(field.type)) for field in value.schema]
    head = value.slice(0, _rows_of_text(rows))
    columns = [
        [field.name, *head.column(number).to_pylist()]
        for number, field in enumerate(value.schema)
        if number < MAX_COLUMNS
    ]
    text = grid(columns, MAX_CELL_CHARS)
    if value.num_columns > MAX_COLUMNS:
        text += f"\n… {value.num_columns - MAX_COLUMNS} more columns"
    _describe(part, f"pyarrow {type(value).__name__}", rows, types, text)
    _add_csv(
        part, rows, lambda start, stop: _arrow_csv(value.slice(start, stop - start), start == 0)
    )
    if "text/csv" not in part.data or part.metadata["text/csv"]["rows"] < rows:
        _add_parquet(part, int(value.nbytes), lambda file: _write_arrow_parquet(value, file))


def _arrow_csv(value: Any, header: bool) -> str:  # noqa: ANN401
    import io

    arrow_csv = library("pyarrow.csv")
    file = io.BytesIO()
    arrow_csv.write_csv(value, file, arrow_csv.WriteOptions(include_header=header))
    return file.getvalue().decode()


def _write_arrow_parquet(value: Any, file: Any) -> None:  # noqa: ANN401
    is_batch = not hasattr(value, "combine_chunks")
    table: Any = library("pyarrow").Table.from_batches([value]) if is_batch else value
    library("pyarrow.parquet").write_table(table, file)


def _rows_of_text(rows: int) -> int:
    return rows if rows <= FULL_ROWS else HEAD_ROWS


def _describe(part: Part, kind: str, rows: int, types: list[tuple[str, str]], text: str) -> None:
    known = ", ".join(
        f"{name[:MAX_CELL_CHARS]}: {dtype[:MAX_CELL_CHARS]}" for name, dtype in types[:MAX_TYPES]
    )
    if len(types) > MAX_TYPES:
        known += f", … {len(types) - MAX_TYPES} more"
    lines = [f"{kind}, {rows} rows x {len(types)} columns", f"types: {known}", text]
    left = rows - _rows_of_text(rows)
    if left:
        lines.append(f"… {left} more rows")
    whole = "\n".join(lines)
    part.data["text/plain"] = whole[: limits.TEXT_CHARS]
    part.describe("text/plain", shape=[rows, len(types)])


def _add_csv(part: Part, rows: int, write: Callable[[int, int], str]) -> None:
    """Adds as many rows as fit, written in larger and larger pieces.

    Args:
        write: the rows from a number up to another as text, with a header if it begins with the first.
    """
    pieces: list[str] = []
    size = start = 0
    count = min(rows, HEAD_ROWS)
    try:
        while True:
            piece = write(start, start + count)
            length = len(piece.encode("utf-8", "backslashreplace"))
            if size + length > limits.CSV_BYTES:
                if count <= 1:
                    break
                count //= 2
                continue
            pieces.append(piece)
            size += length
            start += count
            if start >= rows:
                break
            fitting = (limits.CSV_BYTES - size) * start // max(size, 1)
            count = max(1, min(rows - start, int(fitting * 0.9)))
    except Exception as error:
        part.note(f"No CSV: {shown.describe(error)}")
        part.describe("text/csv", rows=0, of_rows=rows)
        return
    part.data["text/csv"] = "".join(pieces)
    part.describe("text/csv", rows=start, of_rows=rows)
    if start < rows:
        part.note(f"The CSV has the first {start} of {rows} rows.")


def _add_parquet(part: Part, size: int, write: Callable[[Any], object]) -> None:
    if size > limits.PARQUET_SOURCE_BYTES:
        return
    import io

    file = io.BytesIO()
    try:
        write(file)
    except Exception as error:
        part.note(f"No Parquet: {shown.describe(error)}")
        return
    part.data[PARQUET] = file.getvalue()
