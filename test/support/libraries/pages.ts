/** What is shown as HTML, LaTeX or data. */
import { expect } from "vitest";
import { python } from "../python-source.ts";
import type { LibraryCase } from "./library-case.ts";

export const pages: LibraryCase[] = [
  {
    library: "plotly",
    does: "a figure is its JSON, a page that needs no network, and its data",
    code: python`
      import plotly.graph_objects as go
      figure = go.Figure(go.Bar(x=["a", "b"], y=[3, 4]), layout={"title": {"text": "T"}})
      figure.write_json("plotly.json")
      figure.show()
    `,
    async check({ displays: [figure], saved, read }) {
      expect(figure?.text).toBe('plotly figure "T": bar (2)');
      expect(figure?.chart).toMatchObject({ series: [{ type: "bar", x: ["a", "b"], y: [3, 4] }] });
      const own = figure?.artifacts?.["application/vnd.plotly.v1+json"];
      expect(JSON.parse(String(await read(own)))).toEqual(JSON.parse(String(saved("plotly.json"))));
      const page = String(await read(figure?.artifacts?.["text/html"]));
      expect(page).toContain("Plotly.newPlot");
      expect(page).not.toMatch(/<script[^>]+src=/);
    },
  },
  {
    library: "bokeh",
    does: "a figure is a page that needs no network, and its data",
    code: python`
      from bokeh.plotting import figure, show
      plot = figure(title="T")
      plot.line([1, 2], [3, 4])
      show(plot)
    `,
    async check({ displays: [figure], read }) {
      expect(figure?.chart).toMatchObject({
        figures: [{ title: "T", series: [{ columns: { x: [1, 2], y: [3, 4] } }] }],
      });
      const page = String(await read(figure?.artifacts?.["text/html"] ?? figure?.artifact));
      expect(page).not.toMatch(/<script[^>]+src=/);
    },
  },
  {
    library: "scikit-learn",
    does: "a fitted model is its repr, and its own HTML",
    code: python`
      from sklearn.datasets import load_iris
      from sklearn.linear_model import LogisticRegression
      flowers = load_iris()
      model = LogisticRegression(max_iter=500).fit(flowers.data, flowers.target)
      print(model.score(flowers.data, flowers.target) > 0.9)
      model
    `,
    async check({ json, displays: [model], read }) {
      expect(json.stdout).toBe("True\n");
      expect(model?.text).toBe("LogisticRegression(max_iter=500)");
      expect(String(await read(model?.artifact))).toContain("sk-estimator");
    },
  },
  {
    library: "sympy",
    does: "an expression is LaTeX",
    code: python`
      import sympy
      x = sympy.symbols("x")
      sympy.integrate(sympy.sin(x) ** 2, x)
    `,
    check({ json, displays: [expression] }) {
      expect(json["result"]).toBe("x/2 - sin(x)*cos(x)/2");
      expect(expression?.mime_types).toContain("text/latex");
      expect(expression?.text).toMatch(/\\frac\{x\}\{2\}/);
    },
  },
  {
    library: "ipython",
    does: "its display functions show without a notebook",
    code: python`
      from IPython.display import HTML, Image, Latex, Markdown, SVG, display
      handle = display(Markdown("*one*"), display_id=True)
      display(HTML("<b>two</b>"), Latex("$x^2$"), SVG("<svg xmlns='http://www.w3.org/2000/svg'/>"))
      handle.update(Markdown("*last*"))
    `,
    check({ displays }) {
      expect(displays.map(({ text }) => text).slice(0, 3)).toEqual([
        "*last*",
        "<b>two</b>",
        "$x^2$",
      ]);
      expect(displays[3]?.mime_types).toContain("image/svg+xml");
    },
  },
];
