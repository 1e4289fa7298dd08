# sqlite3, shelve, zip and tar work on files in the working directory.
import io
import sqlite3
import tarfile
import zipfile

database = sqlite3.connect("rows.db")
database.execute("create table rows (id integer primary key, name text)")
database.executemany("insert into rows (name) values (?)", [("a",), ("\u00e4",)])
database.commit()
print(database.execute("select * from rows order by id").fetchall())
database.close()
with zipfile.ZipFile("x.zip", "w") as bundle:
    bundle.writestr("inner.txt", "text")
print(zipfile.ZipFile("x.zip").read("inner.txt"))
with tarfile.open("x.tar", "w") as tar:
    tar.addfile(tarfile.TarInfo("empty"), io.BytesIO())
print(tarfile.open("x.tar").getnames())
