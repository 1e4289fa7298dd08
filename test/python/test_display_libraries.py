"""What libraries have to show, in a run: tables, pictures, charts for browsers, IPython's own."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from display_process import each_shown, needs, pixels, shown

CHART = "application/vnd.py-executor.chart+json"
PARQUET = "application/vnd.apache.parquet"


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("library", "code"),
    [
        ("pandas", "import pandas\npandas.DataFrame({'a': range(30), 'b': ['x, \"y'] * 30})"),
        ("polars", "import polars\npolars.DataFrame({'a': range(30), 'b': ['x, \"y'] * 30})"),
        ("pyarrow", "import pyarrow\npyarrow.table({'a': range(30), 'b': ['x, \"y'] * 30})"),
    ],
)
def test_a_table_is_shown_as_text_and_csv(library: str, code: str, tmp_path: Path) -> None:
    needs(library)
    one = shown(code, folder=tmp_path).only
    lines = one["data"]["text/plain"].splitlines()
    assert f"{library} " in lines[0]
    assert "30 rows x 2 columns" in lines[0]
    assert lines[1].startswith("types: a: ")
    assert lines[-1] == "… 20 more rows"
    assert rows_of(one["data"]["text/csv"]) == [["a", "b"], *([str(n), 'x, "y'] for n in range(30))]
    assert one["metadata"]["text/csv"] == {"rows": 30, "of_rows": 30}
    assert PARQUET not in one["data"]


@pytest.mark.parametrize(
    ("library", "make"),
    [
        ("pandas", "import pandas, pyarrow\nt = pandas.DataFrame({'a': range(400_000), 'b': 'x'})"),
        (
            "polars",
            "import polars\nt = polars.DataFrame({'a': range(400_000), 'b': ['x'] * 400_000})",
        ),
        (
            "pyarrow",
            "import pyarrow\nt = pyarrow.table({'a': range(400_000), 'b': ['x'] * 400_000})",
        ),
    ],
)
def test_a_large_table_is_csv_up_to_a_row_and_parquet(
    library: str, make: str, tmp_path: Path
) -> None:
    needs(library, "pyarrow", "pandas")
    one = shown(f"{make}\nt", folder=tmp_path).only
    rows = rows_of(one["data"]["text/csv"])
    count = one["metadata"]["text/csv"]["rows"]
    assert rows[-1] == [str(count - 1), "x"]
    assert 500_000 < len(one["data"]["text/csv"]) <= 1024 * 1024
    assert one["notes"] == [f"The CSV has the first {count} of 400000 rows."]
    (tmp_path / "t.parquet").write_bytes(one["data"][PARQUET])
    check = "import pyarrow.parquet as p\nprint(p.read_table('t.parquet').num_rows)"
    assert shown(check, folder=tmp_path).stdout == "400000\n"


def test_an_index_that_says_something_is_in_the_csv(tmp_path: Path) -> None:
    needs("pandas")
    code = "import pandas\npandas.Series([1, 2], index=['u', 'v'], name='n')"
    one = shown(code, folder=tmp_path).only
    assert rows_of(one["data"]["text/csv"]) == [["", "n"], ["u", "1"], ["v", "2"]]
    assert one["data"]["text/plain"].startswith(
        "pandas Series, 2 rows x 1 columns\ntypes: n: int64\n"
    )


@pytest.mark.parametrize("rows", [0, 1])
def test_wide_and_empty_tables_are_bounded(rows: int, tmp_path: Path) -> None:
    needs("pandas")
    code = (
        f"import pandas\npandas.DataFrame({{f'c{{n}}': ['y' * 5000] * {rows} for n in range(500)}})"
    )
    one = shown(code, folder=tmp_path).only
    assert len(one["data"]["text/plain"]) < 6000
    assert f"{rows} rows x 500 columns" in one["data"]["text/plain"]


def test_a_table_that_can_t_be_csv_says_so(tmp_path: Path) -> None:
    needs("polars")
    one = shown("import polars\npolars.DataFrame({'a': [[1, 2]]})", folder=tmp_path).only
    assert "text/csv" not in one["data"]
    assert one["notes"][0].startswith("No CSV: ")
    assert PARQUET in one["data"]


def test_a_lazy_frame_is_its_repr(tmp_path: Path) -> None:
    needs("polars")
    assert shown("import polars\npolars.LazyFrame({'a': [1]})", folder=tmp_path).sent == []


def test_a_large_array_is_shown_by_shape_type_and_range(tmp_path: Path) -> None:
    needs("numpy")
    code = "import numpy\na = numpy.arange(6000.0).reshape(60, 100)\na[0, 0] = numpy.nan\na"
    text = shown(code, folder=tmp_path).only["data"]["text/plain"]
    first = "ndarray (60, 100), float64; 1 not finite; min 1; max 5999; mean 3000"
    assert text.splitlines()[0] == first
    assert shown("import numpy\nnumpy.zeros(9)", folder=tmp_path).sent == []
    code = "import numpy\nnumpy.zeros((500, 500, 3), dtype='uint8')"
    assert list(shown(code, folder=tmp_path).only["data"]) == ["text/plain"]


def test_pictures_of_pil_of_every_mode_are_shown_and_scaled(tmp_path: Path) -> None:
    needs("PIL")
    modes = ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I", "I;16", "F", "HSV")
    code = "from PIL import Image\nfor size in (40, 30), (2000, 1000): Image.new({!r}, size).show()"
    for run in each_shown(*(code.format(mode) for mode in modes), folder=tmp_path):
        small, large = run.displays
        assert pixels(small["data"]["image/png"]) == (40, 30)
        assert small["originals"] == {}
        assert pixels(large["data"]["image/png"]) == (1568, 784)
        assert pixels(large["originals"]["image/png"]) == (2000, 1000)


def test_numbers_are_shown_as_greys_over_their_range(tmp_path: Path) -> None:
    needs("PIL", "numpy")
    code = (
        "import numpy\nfrom PIL import Image\n"
        "Image.fromarray(numpy.array([[-1, 1], [0, 1]], dtype='float32')).show()"
    )
    one = shown(code, folder=tmp_path).only
    (tmp_path / "shown.png").write_bytes(one["data"]["image/png"])
    check = "from PIL import Image\nprint(list(Image.open('shown.png').tobytes()))"
    assert shown(check, folder=tmp_path).stdout == "[0, 255, 127, 255]\n"
    assert one["notes"] == ["Shown as greys: black is -1, white is 1."]


def test_a_picture_is_what_pil_saves(tmp_path: Path) -> None:
    needs("PIL")
    code = "from PIL import Image\ni = Image.linear_gradient('L')\ni.save('own.png')\ni"
    shown_png = shown(code, folder=tmp_path).only["data"]["image/png"]
    (tmp_path / "shown.png").write_bytes(shown_png)
    check = (
        "from PIL import Image, ImageChops\n"
        "print(ImageChops.difference(Image.open('own.png'), Image.open('shown.png')).getbbox())"
    )
    assert shown(check, folder=tmp_path).stdout == "None\n"


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF"])
def test_pictures_as_bytes_are_scaled_if_pil_is_there(form: str, tmp_path: Path) -> None:
    needs("PIL")
    method = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif"}[form]
    make = (
        f"import io\nfrom PIL import Image\nfile = io.BytesIO()\nImage.new('L', (2000, 500)).save(file, {form!r})\n"
        f"display({{{method!r}: file.getvalue()}}, raw=True)"
    )
    one = shown(make, folder=tmp_path).only
    assert one["originals"][method]
    [facts] = one["metadata"].values()
    assert (facts["width"], facts["height"], facts["original_width"], facts["scaled"]) == (
        *(1568, 392, 2000),
        True,
    )
    without = make.replace("display(", "import sys\nsys.modules['PIL'] = None\ndisplay(")
    one = shown(without, folder=tmp_path).only
    assert (one["originals"], one["metadata"][method]) == (
        {},
        {"width": 2000, "height": 500, "scaled": False},
    )
    assert "PIL is missing" in one["notes"][0]


@pytest.mark.parametrize("preloaded", [(), ("plotly.express", "plotly.io")])
def test_figures_of_plotly(preloaded: tuple[str, ...], tmp_path: Path) -> None:
    needs("plotly", "pandas")
    code = "import plotly.express as px\nf = px.line(x=[1, 2], y=[3, 4], title='T')\n"
    endings = ("f", "f.show()", "f.show(renderer='browser')", "import plotly.io\nplotly.io.show(f)")
    runs = each_shown(*(code + ending for ending in endings), folder=tmp_path, preloaded=preloaded)
    data = runs[0].only["data"]
    assert [sorted(run.only["data"]) for run in runs] == [sorted(data)] * 4
    assert json.loads(data["application/vnd.plotly.v1+json"])["layout"]["title"] == {"text": "T"}
    [one] = json.loads(data[CHART])["series"]
    assert (one["x"], one["y"]) == ([1, 2], [3, 4])
    assert "cdn." not in data["text/html"][:3000]
    assert data["text/plain"] == 'plotly figure "T": scatter (2); x: x; y: y'


def test_charts_of_altair(tmp_path: Path) -> None:
    needs("altair", "pandas")
    code = (
        "import altair, pandas\nd = pandas.DataFrame({'a': range(6000), 'b': range(6000)})\n"
        "c = altair.Chart(d).mark_point().encode(x='a', y='b')\n"
    )
    runs = each_shown(
        *(code + ending for ending in ("c", "c.show()", "c.display()")), folder=tmp_path
    )
    data = runs[0].only["data"]
    assert [run.only["data"] for run in runs] == [data] * 3
    [text] = [data[mime] for mime in data if mime.startswith("application/vnd.vegalite.")]
    assert json.loads(text)["mark"] == {"type": "point"}
    assert data["text/plain"] == "altair Chart: point; x: a; y: b; 6000 rows"
    needs("vl_convert")
    assert data["image/png"].startswith(b"\x89PNG")


@pytest.mark.parametrize("preloaded", [(), ("bokeh.plotting",)])
def test_figures_of_bokeh(preloaded: tuple[str, ...], tmp_path: Path) -> None:
    needs("bokeh")
    code = (
        "from bokeh.plotting import figure, show\np = figure(title='T')\np.line([1, 2], [3, 4])\n"
    )
    runs = each_shown(code + "p", code + "show(p)", folder=tmp_path, preloaded=preloaded)
    data = runs[0].only["data"]
    assert sorted(runs[1].only["data"]) == sorted(data)
    [figure] = json.loads(data[CHART])["figures"]
    assert figure["series"][0]["columns"] == {"x": [1, 2], "y": [3, 4]}
    assert "cdn.bokeh.org" not in data["text/html"][:3000]
    assert runs[0].stderr == ""


def test_bokeh_still_writes_the_file_that_was_named(tmp_path: Path) -> None:
    needs("bokeh")
    code = (
        "from bokeh.plotting import figure, show, output_file\noutput_file('p.html')\n"
        "p = figure()\np.line([1], [2])\nshow(p)"
    )
    assert "text/html" in shown(code, folder=tmp_path).only["data"]
    assert (tmp_path / "p.html").exists()


@pytest.mark.parametrize("preloaded", [(), ("IPython.display",)])
def test_display_of_ipython_shows_here(preloaded: tuple[str, ...], tmp_path: Path) -> None:
    needs("IPython")
    code = (
        "from IPython.display import HTML, Markdown, Image, display, update_display, publish_display_data\n"
        "from IPython import display as module\nimport base64\n"
        "display(HTML('<p>'))\nmodule.display(Markdown('*m*'))\n"
        "publish_display_data({'text/latex': '$x$'})\nhandle = display(1, display_id=True)\n"
        "handle.update(2)\nmodule.clear_output()\nHTML('last')"
    )
    run = shown(code, folder=tmp_path, preloaded=preloaded)
    told = [
        (kind, min(fields.get("data", {}).items()) if kind == "display" else None)
        for kind, fields in run.sent
    ]
    assert told == [
        ("display", ("text/html", "<p>")),
        ("display", ("text/markdown", "*m*")),
        ("display", ("text/latex", "$x$")),
        ("display", ("text/plain", "1")),
        ("clear", None),
        ("display", ("text/html", "last")),
    ]
    assert run.stdout == ""


def test_pictures_of_ipython_are_pictures(tmp_path: Path) -> None:
    needs("IPython", "PIL")
    code = (
        "from PIL import Image as P\nP.new('L', (7, 5)).save('a.png')\n"
        "from IPython.display import Image\nImage('a.png')"
    )
    one = shown(code, folder=tmp_path).only
    assert one["data"]["image/png"] == (tmp_path / "a.png").read_bytes()


def test_formulas_and_estimators_show_themselves(tmp_path: Path) -> None:
    needs("sympy", "sklearn")
    data = shown("import sympy\nsympy.Symbol('x') ** 2", folder=tmp_path).only["data"]
    assert data == {"text/latex": "$\\displaystyle x^{2}$", "text/plain": "x**2"}
    code = "from sklearn.linear_model import LinearRegression\nLinearRegression()"
    data = shown(code, folder=tmp_path).only["data"]
    assert data["text/plain"] == "LinearRegression()"
    assert "LinearRegression" in data["text/html"]
