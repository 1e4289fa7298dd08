"""Which function shows the values of a library's type. Libraries are known by name, and none is imported for it."""

from __future__ import annotations

#: By top-level package and class: the module here and its function, which is called with a part and the value. A value of a
#: subclass is shown as one of the class.
_FORMATTERS: dict[tuple[str, str], tuple[str, str]] = {
    ("matplotlib", "Figure"): ("figures", "add_figure"),
    ("PIL", "Image"): ("pictures", "add_image"),
    ("numpy", "ndarray"): ("arrays", "add_array"),
    ("pandas", "DataFrame"): ("tables", "add_pandas"),
    ("pandas", "Series"): ("tables", "add_pandas"),
    ("polars", "DataFrame"): ("tables", "add_polars"),
    ("polars", "Series"): ("tables", "add_polars"),
    # whose HTML starts a program to draw its plan
    ("polars", "LazyFrame"): ("tables", "add_nothing"),
    ("pyarrow", "Table"): ("tables", "add_arrow"),
    ("pyarrow", "RecordBatch"): ("tables", "add_arrow"),
    # these open a browser when they are asked to display themselves
    ("plotly", "BaseFigure"): ("interactive", "add_plotly"),
    ("altair", "TopLevelMixin"): ("interactive", "add_altair"),
    ("bokeh", "UIElement"): ("interactive", "add_bokeh"),
}
_PACKAGES = frozenset(package for package, _ in _FORMATTERS)


def find_formatter(kind: type) -> tuple[str, str] | None:
    """The module and function for values of a type; None if its own conventions are to be used."""
    for ancestor in kind.__mro__:
        package = str(ancestor.__module__).partition(".")[0]
        if package in _PACKAGES:
            formatter = _FORMATTERS.get((package, ancestor.__name__))
            if formatter is not None:
                return formatter
    return None
