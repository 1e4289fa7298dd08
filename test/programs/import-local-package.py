# A package of one's own with relative imports.
import os

os.makedirs("parcel/inner")
for path, text in {
    "parcel/__init__.py": "from .inner import deep\nprint('init', __name__, __package__)\n",
    "parcel/inner/__init__.py": "",
    "parcel/inner/deep.py": "from .. import side\nvalue = side.value + 1\n",
    "parcel/side.py": "value = 41\n",
}.items():
    with open(path, "w") as file:
        file.write(text)
import importlib

importlib.invalidate_caches()
import parcel

print(parcel.deep.value, parcel.inner.deep.__name__)
