"""matplotlib's figures in a run: shown as the library itself saves them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from display_process import each_shown, needs, pixels, shown

CHART = "application/vnd.py-executor.chart+json"
PLOT = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 3, 2], label='a')\n"


@pytest.fixture(autouse=True)
def matplotlib() -> None:
    needs("matplotlib")


def series_of(code: str, folder: Path) -> list[dict[str, Any]]:
    run = shown(f"import matplotlib.pyplot as plt\n{code}", folder=folder)
    return json.loads(run.only["data"][CHART])["axes"][0]["series"]


@pytest.mark.parametrize("preloaded", [(), ("matplotlib",), ("matplotlib.pyplot",)])
def test_a_figure_is_shown_once_as_it_is_saved(preloaded: tuple[str, ...], tmp_path: Path) -> None:
    endings = ("", "plt.show()", "fig.show()", "fig", "display(fig)", "plt.savefig('x.png')")
    codes = [f"{PLOT}fig.savefig('own.png')\n{ending}" for ending in endings]
    runs = each_shown(*codes, folder=tmp_path, preloaded=preloaded, session=True)
    own = (tmp_path / "own.png").read_bytes()
    for run in runs:
        assert run.only["data"]["image/png"] == own
        assert run.only["metadata"]["image/png"] == {"width": 640, "height": 480, "scaled": False}
    assert runs[0].stderr == ""


def test_what_was_drawn_before_an_error_is_shown(tmp_path: Path) -> None:
    assert shown(f"{PLOT}1/0", folder=tmp_path, fails=True).only["source"] == "figure"


def test_a_closed_figure_and_an_empty_one_are_not_shown(tmp_path: Path) -> None:
    assert (
        shown(
            f"{PLOT}plt.savefig('a.png')\nplt.close()\nempty = plt.figure()", folder=tmp_path
        ).sent
        == []
    )


def test_show_closes_what_it_has_shown_as_a_window_does(tmp_path: Path) -> None:
    code = f"{PLOT}plt.show()\nprint(plt.get_fignums())\nplt.plot([1])\nplt.show()"
    run = shown(code, folder=tmp_path)
    counts = [len(json.loads(one["data"][CHART])["axes"][0]["series"]) for one in run.displays]
    assert (run.stdout, counts) == ("[]\n", [1, 1])


def test_a_figure_that_goes_on_is_shown_as_it_begins_and_as_it_ends(tmp_path: Path) -> None:
    code = "import matplotlib.pyplot as plt\nfor n in range(4):\n    plt.plot([n])\n    plt.pause(0.001)"
    run = shown(code, folder=tmp_path)
    counts = [len(json.loads(one["data"][CHART])["axes"][0]["series"]) for one in run.displays]
    assert counts == [1, 4]


def test_a_figure_is_shown_again_if_it_has_changed(tmp_path: Path) -> None:
    assert len(shown(f"{PLOT}display(fig)\nax.set_title('t')", folder=tmp_path).displays) == 2
    assert len(shown(f"{PLOT}display(fig)\nplt.savefig('x.png')", folder=tmp_path).displays) == 1


def test_cells_of_a_session_begin_without_the_figures_of_earlier_ones(tmp_path: Path) -> None:
    cell = "import matplotlib.pyplot as plt\nplt.plot([1])"
    run = shown(cell, cell, folder=tmp_path, session=True)
    counts = [len(json.loads(one["data"][CHART])["axes"][0]["series"]) for one in run.displays]
    assert counts == [1, 1]


@pytest.mark.parametrize(
    ("before", "env", "backend"),
    [
        ("", {}, "agg"),
        ("", {"MPLBACKEND": "svg"}, "svg"),
        ("import matplotlib\nmatplotlib.use('pdf')\n", {}, "pdf"),
        ("import matplotlib\nmatplotlib.use('Agg')\n", {}, "agg"),
        ("", {"MPLBACKEND": "svg", "DISPLAY": ":99"}, "svg"),
        ("", {"DISPLAY": ":99"}, "agg"),
    ],
)
def test_the_backend_is_agg_unless_another_was_chosen(
    before: str, env: dict[str, str], backend: str, tmp_path: Path
) -> None:
    run = shown(f"{before}{PLOT}plt.show()\nprint(plt.get_backend())", folder=tmp_path, env=env)
    assert (run.stdout.lower(), run.stderr) == (f"{backend}\n", "")
    assert pixels(run.only["data"]["image/png"]) == (640, 480)


@pytest.mark.parametrize("preloaded", [(), ("matplotlib",)])
def test_no_toolkit_is_tried(preloaded: tuple[str, ...], tmp_path: Path) -> None:
    code = "import matplotlib\nprint(dict.__getitem__(matplotlib.rcParams, 'backend'))"
    assert shown(code, folder=tmp_path, preloaded=preloaded).stdout == "agg\n"


def test_a_large_figure_is_drawn_smaller_too(tmp_path: Path) -> None:
    code = "import matplotlib.pyplot as plt\nplt.figure(figsize=(20, 5), dpi=150)\nplt.plot([1])\nplt.gcf().savefig('own.png')"
    one = shown(code, folder=tmp_path).only
    assert one["originals"]["image/png"] == (tmp_path / "own.png").read_bytes()
    width, height = pixels(one["data"]["image/png"])
    assert 1560 <= width <= 1568
    assert abs(height - width / 4) <= 1
    facts = one["metadata"]["image/png"]
    assert facts["scaled"] is True
    assert (facts["original_width"], facts["original_height"]) == (3000, 750)


def test_what_sticks_out_of_a_figure_is_shown(tmp_path: Path) -> None:
    one = shown(f"{PLOT}ax.legend(loc='upper left', bbox_to_anchor=(1.1, 1))", folder=tmp_path).only
    assert pixels(one["data"]["image/png"])[0] > 660


def test_letters_that_no_font_has_are_noted(tmp_path: Path) -> None:
    run = shown(f"{PLOT}ax.set_title('caf\\u00e9 \\U0001fae0')", folder=tmp_path)
    assert run.stderr == ""
    notes = run.only["notes"]
    assert len(notes) == 1
    assert "missing from" in notes[0]


@pytest.mark.parametrize("dpi", [50, 100, 250])
def test_what_a_canvas_has_drawn_is_there_after_saving(dpi: int, tmp_path: Path) -> None:
    code = (
        f"{PLOT}plt.savefig('a.png', dpi={dpi})\nimport numpy\npixels = numpy.asarray(fig.canvas.buffer_rgba())\n"
        "fig.canvas.draw()\nprint(pixels.shape, (pixels == numpy.asarray(fig.canvas.buffer_rgba())).all(), pixels.min())"
    )
    assert shown(code, folder=tmp_path).stdout == "(480, 640, 4) True 0\n"


#: What draws a chart, and its data.
CHARTS: list[tuple[str, dict[str, Any]]] = [
    (
        "plt.plot([1, 2], [3, float('nan')], label='a')",
        {"type": "line", "label": "a", "count": 2, "x": [1, 2], "y": [3, None]},
    ),
    ("plt.scatter([1, 2], [3, 4])", {"type": "scatter", "count": 2, "x": [1, 2], "y": [3, 4]}),
    (
        "plt.bar(['u', 'v'], [3, 4])",
        {"type": "bar", "count": 2, "categories": ["u", "v"], "values": [3, 4]},
    ),
    (
        "plt.barh(['u', 'v'], [3, 4])",
        {"type": "bar", "count": 2, "categories": ["u", "v"], "values": [3, 4]},
    ),
    (
        "plt.hist([1, 1, 3], bins=2)",
        {"type": "bar", "count": 2, "positions": [1.5, 2.5], "widths": [1, 1], "values": [2, 1]},
    ),
    (
        "plt.pie([1, 3], labels=['u', 'v'])",
        {"type": "pie", "count": 2, "categories": ["u", "v"], "shares": [0.25, 0.75]},
    ),
    (
        "plt.imshow([[1, 2], [3, 4]])",
        {"type": "image", "shape": [2, 2], "min": 1, "max": 4, "values": [[1, 2], [3, 4]]},
    ),
    (
        "import datetime as d\nplt.plot([d.date(2024, 1, 2)], [1])",
        {"type": "line", "count": 1, "x": ["2024-01-02"], "y": [1]},
    ),
]


def test_the_data_of_charts_can_be_read(tmp_path: Path) -> None:
    codes = [f"import matplotlib.pyplot as plt\n{code}" for code, _ in CHARTS]
    runs = each_shown(*codes, folder=tmp_path, session=True)
    read = [json.loads(run.only["data"][CHART])["axes"][0]["series"] for run in runs]
    assert read == [[expected] for _, expected in CHARTS]


def test_data_of_charts_is_bounded(tmp_path: Path) -> None:
    [one] = series_of("plt.plot(range(100_000))", tmp_path)
    assert (one["count"], len(one["x"]), one["x"][0], one["x"][-1]) == (100_000, 200, 0, 99_999)
    many = series_of("for n in range(100): plt.plot([n])", tmp_path)
    assert len(many) == 20


def test_labels_are_in_the_data_and_in_the_text(tmp_path: Path) -> None:
    code = (
        f"{PLOT}ax.set(title='T', xlabel='time', ylabel='value', yscale='log')\nfig.suptitle('S')"
    )
    data = shown(code, folder=tmp_path).only["data"]
    chart = json.loads(data[CHART])
    axes = {key: chart["axes"][0][key] for key in ("title", "x_label", "y_label", "y_scale")}
    assert (chart["title"], axes) == (
        "S",
        {"title": "T", "x_label": "time", "y_label": "value", "y_scale": "log"},
    )
    assert data["text/plain"] == 'Figure 640x480 "S"\naxes "T": line "a" (3); x: time; y: value'


def test_figures_of_seaborn_are_shown(tmp_path: Path) -> None:
    needs("seaborn", "pandas")
    code = "import seaborn, pandas\nseaborn.heatmap(pandas.DataFrame([[1, 2], [3, 4]]))"
    chart = json.loads(shown(code, folder=tmp_path).only["data"][CHART])
    [axes] = chart["axes"]  # and none for the scale of colours
    assert axes["series"][0]["values"] in ([[1, 2], [3, 4]], [1, 2, 3, 4])
    code = "import seaborn.objects as so\nso.Plot(x=[1, 2], y=[3, 4]).add(so.Line())"
    assert "image/png" in shown(code, folder=tmp_path).only["data"]


def test_a_figure_that_takes_too_long_to_draw_is_not_tried_again_by_the_next_cell(
    tmp_path: Path,
) -> None:
    slow = f"{PLOT}def interrupt(*_, **__): raise KeyboardInterrupt\nfig.savefig = interrupt\n"
    codes = (slow, "import matplotlib.pyplot as plt\ndisplay(plt.get_fignums())")
    first, second = each_shown(*codes, folder=tmp_path, session=True)
    assert first.sent == [
        ("note", {"text": "Open figures could not be shown: KeyboardInterrupt: "})
    ]
    assert second.only["data"]["text/plain"] == "[]"


def test_numbers_that_json_lacks_are_none_in_the_data(tmp_path: Path) -> None:
    [one] = series_of("plt.plot([1, float('nan'), float('inf'), 10**400 * 0])", tmp_path)
    assert one["y"] == [1, None, None, 0]
