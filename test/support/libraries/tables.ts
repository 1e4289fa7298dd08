/** Tables and arrays. */
import { expect } from "vitest";
import { python } from "../python-source.ts";
import { expectSame, type LibraryCase } from "./library-case.ts";

export const tables: LibraryCase[] = [
  {
    library: "numpy",
    does: "an array is told by its shape, type and range",
    code: python`
      import numpy
      a, b = numpy.array([[3.0, 1.0], [1.0, 2.0]]), numpy.array([9.0, 8.0])
      print(numpy.linalg.solve(a, b))
      numpy.arange(2000.0).reshape(40, 50)
    `,
    check({ json, displays: [array] }) {
      expect(json.stdout).toBe("[2. 3.]\n");
      expect(array?.text).toMatch(/^ndarray \(40, 50\), float64; min 0; max 1999; mean 999\.5\n/);
      expect(array?.source).toBe("result");
    },
  },
  {
    library: "pandas",
    does: "a table is text with its types, and the CSV that it writes itself",
    code: python`
      import pandas
      sales = pandas.DataFrame({"city": ["Lyon", "Zürich", "Lyon"], "sold": [3, 5, 4]})
      totals = sales.groupby("city").agg(sold=("sold", "sum"))
      totals.to_csv("pandas.csv")
      totals
    `,
    async check({ displays: [table], saved, read }) {
      expect(table?.text).toMatch(/^pandas DataFrame, 2 rows x 1 columns\ntypes: sold: int64\n/);
      expectSame(await read(table?.artifact), saved("pandas.csv"));
    },
  },
  {
    library: "polars",
    does: "a table is text with its types, and the CSV that it writes itself",
    code: python`
      import polars
      sales = polars.DataFrame({"city": ["Lyon", "Zürich", "Lyon"], "sold": [3, 5, 4]})
      totals = sales.group_by("city").agg(polars.col("sold").sum()).sort("city")
      totals.write_csv("polars.csv")
      totals
    `,
    async check({ displays: [table], saved, read }) {
      expect(table?.text).toMatch(/^polars DataFrame, 2 rows x 2 columns\ntypes: city: String, /);
      expect(table?.text).toMatch(/│ Lyon +┆ 7 +│/);
      expectSame(await read(table?.artifact), saved("polars.csv"));
    },
  },
  {
    library: "pyarrow",
    does: "a table is text with its types, and the CSV that it writes itself",
    code: python`
      import pyarrow, pyarrow.compute, pyarrow.csv
      table = pyarrow.table({"n": range(40)})
      even = table.filter(pyarrow.compute.equal(pyarrow.compute.bit_wise_and(table["n"], 1), 0))
      pyarrow.csv.write_csv(even, "pyarrow.csv")
      even
    `,
    async check({ displays: [table], saved, read }) {
      expect(table?.text).toMatch(/^pyarrow Table, 20 rows x 1 columns\ntypes: n: int64\n/);
      expectSame(await read(table?.artifact), saved("pyarrow.csv"));
    },
  },
];
