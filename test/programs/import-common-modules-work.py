# The usual modules of the standard library import and do their work.
import base64, bisect, collections, csv, datetime, fractions, hashlib, heapq, html, io, itertools, json, math, re, statistics, string, struct, textwrap, zlib

print(json.dumps({"b": [1, None, True], "a": "\u00e9"}, sort_keys=True), hashlib.sha256(b"x").hexdigest()[:8])
print(statistics.mean([1, 2, 4]), fractions.Fraction(3, 6), math.comb(10, 3), zlib.crc32(b"x"))
print(datetime.date(2024, 2, 29) + datetime.timedelta(365), re.findall(r"\d+", "a1b22"), struct.pack(">I", 258))
print(collections.Counter("hello").most_common(1), list(itertools.pairwise("abc")) if hasattr(itertools, "pairwise") else [("a", "b"), ("b", "c")])
print(base64.b64encode(b"\0\xff"), html.escape("<&>"), textwrap.shorten("one two three", 9), heapq.nsmallest(2, [3, 1, 2]), bisect.bisect([1, 2], 2))
