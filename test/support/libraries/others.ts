/** Libraries that show nothing of their own: what they do, and the files that they make. */
import { expect } from "vitest";
import { python } from "../python-source.ts";
import { expectSame, type LibraryCase } from "./library-case.ts";

export const others: LibraryCase[] = [
  {
    library: "scipy",
    does: "what an optimisation has found is the result",
    code: python`
      from scipy import optimize
      optimize.minimize_scalar(lambda x: (x - 2) ** 2 + 1)
    `,
    check({ json }) {
      expect(json["result"]).toMatch(/fun: 1\.0/);
      expect(json["result"]).toMatch(/success: True/);
    },
  },
  {
    library: "requests",
    does: "it asks a server of the run's own",
    code: python`
      import http.server, threading, requests
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
      http.server.BaseHTTPRequestHandler.log_message = lambda *_: None
      threading.Thread(target=server.serve_forever, daemon=True).start()
      with open("served.json", "w") as file:
          file.write('{"answer": 42}')
      answer = requests.get(f"http://127.0.0.1:{server.server_port}/served.json", timeout=10)
      server.shutdown()
      answer.status_code, answer.json()
    `,
    check({ json }) {
      expect(json["result"]).toBe("(200, {'answer': 42})");
    },
  },
  {
    library: "beautifulsoup4",
    does: "it finds what a page has",
    code: python`
      from bs4 import BeautifulSoup
      page = BeautifulSoup("<ul><li><a href='/u'>Ü</a><li><a href='/v'>V</a></ul>", "html.parser")
      display(page.find("a"))
      {link.text: link["href"] for link in page.find_all("a")}
    `,
    check({ json, displays: [link] }) {
      expect(link?.text).toBe('<a href="/u">Ü</a>');
      expect(json["result"]).toBe("{'Ü': '/u', 'V': '/v'}");
    },
  },
  {
    library: "openpyxl",
    does: "a workbook that it writes can be fetched",
    code: python`
      import openpyxl
      book = openpyxl.Workbook()
      book.active.append(["Größe", 3])
      book.save("book.xlsx")
      openpyxl.load_workbook("book.xlsx").active["A1"].value
    `,
    async check({ json, saved, read, listed }) {
      expect(json["result"]).toBe("'Größe'");
      // by name: which of the runs that go on at the same time in a folder tells of it, isn't settled
      const book = (await listed()).find(({ name }) => name === "book.xlsx");
      expect(book?.mimeType).toContain("spreadsheetml");
      expectSame(await read(book?.uri), saved("book.xlsx"));
    },
  },
  {
    library: "lxml",
    does: "it finds what a document has",
    code: python`
      from lxml import etree
      document = etree.fromstring("<r><i n='1'/><i n='2'/></r>")
      print(etree.tostring(document, pretty_print=True).decode(), end="")
      document.xpath("sum(//i/@n)")
    `,
    check({ json }) {
      expect(json.stdout).toBe('<r>\n  <i n="1"/>\n  <i n="2"/>\n</r>\n');
      expect(json["result"]).toBe("3.0");
    },
  },
  {
    library: "pydantic",
    does: "a model is its repr, and says what is wrong",
    code: python`
      import pydantic
      class Place(pydantic.BaseModel):
          name: str
          height: float
      try:
          Place(name="Zürich", height="high")
      except pydantic.ValidationError as error:
          print(error.errors()[0]["loc"])
      Place.model_validate_json('{"name": "Zürich", "height": "408"}')
    `,
    check({ json }) {
      expect(json.stdout).toBe("('height',)\n");
      expect(json["result"]).toBe("Place(name='Zürich', height=408.0)");
    },
  },
];
