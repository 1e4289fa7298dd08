"""How much a run may show."""

#: Displays of one run; of what comes after them only the number is told.
DISPLAYS = 50
#: All displays of a run together.
RUN_BYTES = 48 * 1024 * 1024
#: One representation of a value: HTML with its scripts, JSON, Parquet …
TYPE_BYTES = 8 * 1024 * 1024
#: Representations of one value.
TYPES = 20
#: One picture.
PICTURE_BYTES = 20 * 1024 * 1024
#: Characters of `text/plain`.
TEXT_CHARS = 20_000
#: CSV of one table; what is longer is cut after a row.
CSV_BYTES = 1024 * 1024
#: A table up to this size in memory is also kept as Parquet when its CSV is cut.
PARQUET_SOURCE_BYTES = 64 * 1024 * 1024
#: A picture above this is also kept as a JPEG below it, which models can be handed.
LIGHT_BYTES = 3 * 512 * 1024
#: The longest side of a picture that models see as it is, in pixels.
PICTURE_SIDE = 1568
#: Pictures above this are not encoded in their own size, since that takes seconds.
PICTURE_PIXELS = 24_000_000
#: Metadata of one display: MIME types, and characters of JSON for each.
METADATA_TYPES = 20
METADATA_CHARS = 2_000
#: Notes of one display, and characters of one note.
NOTES = 10
NOTE_CHARS = 500
#: Charts: axes of a figure, series of axes, points of a series.
CHART_AXES = 20
CHART_SERIES = 20
CHART_POINTS = 200
