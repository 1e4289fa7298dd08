import os
import sqlite3

for mode in ("delete", "wal"):
    database = sqlite3.connect(f"data-{mode}.db")
    assert database.execute(f"pragma journal_mode={mode}").fetchone() == (mode,)
    database.execute("create table if not exists notes (text)")
    with database:
        database.executemany("insert into notes values (?)", [("one",), ("two",)])
    reader = sqlite3.connect(f"data-{mode}.db")
    assert reader.execute("select count(*) from notes").fetchone()[0] >= 2
    reader.close()
    database.close()
    os.unlink(f"data-{mode}.db")
print("works")
