/** Figures, charts and images: what comes back is what the library itself saves. */
import { expect } from "vitest";
import { python } from "../python-source.ts";
import { expectSame, type LibraryCase } from "./library-case.ts";

export const pictures: LibraryCase[] = [
  {
    library: "matplotlib",
    does: "a figure is the picture that it saves itself, and its data",
    code: python`
      import matplotlib.pyplot as plt
      figure, axes = plt.subplots(figsize=(5, 3), dpi=130, layout="constrained")
      axes.plot([1, 2, 3], [3, 1, 2], label="Größe")
      axes.set(title="Été à Zürich", xlabel="jour", ylabel="°C")
      axes.legend()
      figure.savefig("line.png")
    `,
    check({ displays: [figure], images: [image], saved }) {
      expectSame(image?.bytes, saved("line.png"));
      expect(image?.mimeType).toBe("image/png");
      expect(figure?.text).toContain('axes "Été à Zürich": line "Größe" (3); x: jour; y: °C');
      expect(figure?.chart).toMatchObject({
        width: 650,
        axes: [{ series: [{ type: "line", x: [1, 2, 3], y: [3, 1, 2] }] }],
      });
    },
  },
  {
    library: "matplotlib",
    does: "a large figure is scaled for the answer, and its address has what it saves itself",
    code: python`
      import matplotlib.pyplot as plt
      figure, axes = plt.subplots(figsize=(20, 10), dpi=150)
      axes.bar(["a", "b"], [1, 2])
      figure.savefig("large.png")
      plt.show()
    `,
    async check({ displays: [figure], images: [image], saved, read }) {
      const [width, height] = [16, 20].map((at) => image?.bytes.readUInt32BE(at) ?? 0);
      expect(Math.max(width ?? 0, height ?? 0)).toBeLessThanOrEqual(1568);
      expect(width).toBeGreaterThan(1500);
      expectSame(await read(figure?.artifact), saved("large.png"));
    },
  },
  {
    library: "seaborn",
    does: "a heatmap is the picture that matplotlib saves, and its cells",
    code: python`
      import matplotlib.pyplot as plt, pandas, seaborn
      frame = pandas.DataFrame([[1, 2], [3, 4]], index=["u", "v"], columns=["a", "b"])
      seaborn.heatmap(frame, annot=True)
      plt.savefig("heatmap.png")
      plt.show()
    `,
    check({ displays: [figure], images: [image], saved }) {
      expectSame(image?.bytes, saved("heatmap.png"));
      const chart = figure?.chart as { axes: { series: { values: number[] }[] }[] };
      expect(chart.axes[0]?.series[0]?.values.flat()).toEqual([1, 2, 3, 4]);
    },
  },
  {
    library: "altair",
    does: "a chart is the picture that it saves itself, and Vega-Lite",
    code: python`
      import altair, pandas
      frame = pandas.DataFrame({"city": ["Lyon", "Genève"], "sold": [3, 5]})
      chart = altair.Chart(frame).mark_bar().encode(x="city", y="sold")
      chart.save("altair.png")
      chart
    `,
    async check({ displays: [chart], images: [image], saved, read }) {
      expect(chart?.text).toBe("altair Chart: bar; x: city; y: sold; 2 rows");
      expectSame(image?.bytes, saved("altair.png"));
      const [vega = ""] = chart?.mime_types.filter((type) => type.includes("vegalite")) ?? [];
      const specification = JSON.parse(String(await read(chart?.artifacts?.[vega])));
      expect(specification.mark).toEqual({ type: "bar" });
    },
  },
  {
    library: "pillow",
    does: "an image is the picture that it saves itself",
    code: python`
      from PIL import Image, ImageDraw
      image = Image.new("RGB", (320, 200), "white")
      ImageDraw.Draw(image).ellipse((60, 20, 260, 180), fill="teal")
      image.save("ellipse.png")
      image
    `,
    check({ displays: [display], images, saved }) {
      expect(display).toMatchObject({ text: "PIL image, 320x200, mode RGB", image: 1 });
      expect(images).toHaveLength(1);
      expectSame(images[0]?.bytes, saved("ellipse.png"));
    },
  },
  {
    library: "networkx",
    does: "a graph that is drawn is the picture that matplotlib saves",
    code: python`
      import matplotlib.pyplot as plt, networkx
      graph = networkx.Graph([("a", "b"), ("b", "c"), ("c", "d"), ("a", "e"), ("e", "d")])
      print(networkx.shortest_path_length(graph, "a", "d"))
      networkx.draw_circular(graph, with_labels=True)
      plt.savefig("graph.png")
    `,
    check({ json, images: [image], saved }) {
      expect(json.stdout).toBe("2\n");
      expectSame(image?.bytes, saved("graph.png"));
    },
  },
];
