"""Pictures: those of PIL, and those that come as the bytes of a file."""

from __future__ import annotations

from . import limits, shown
from .own import library

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

    from .part import Part

#: What a PNG can hold as it is. See https://pillow.readthedocs.io/en/stable/handbook/concepts.html#modes.
_PNG_MODES = ("1", "L", "LA", "I;16", "P", "RGB", "RGBA")
#: Above this many pixels zlib's usual level takes long (about a second for 10 million), and the lowest doesn't.
_QUICK_PIXELS = 1_000_000
#: Of JPEG, from one that shows no difference to one that shows little.
_QUALITIES = (85, 70, 50, 30)
_FORMATS = {"image/jpeg": "JPEG"}


def scaled_size(width: int, height: int) -> tuple[int, int] | None:
    """The size in which a picture's longest side is not too long; None if it isn't anyway."""
    longest = max(width, height)
    if longest <= limits.PICTURE_SIDE:
        return None
    factor = limits.PICTURE_SIDE / longest
    return max(1, round(width * factor)), max(1, round(height * factor))


def add_image(part: Part, image: Any) -> None:  # noqa: ANN401
    """Shows a PIL image: as PNG, and in its own size too if that is too large."""
    width, height = image.size
    part.data["text/plain"] = f"PIL image, {width}x{height}, mode {image.mode}"
    if width == 0 or height == 0:
        return
    if image.mode in ("I", "F"):
        image = _greys(part, image)
    elif image.mode not in _PNG_MODES:
        image = image.convert("RGB")
        part.note("Shown as RGB, since PNG has no such mode.")
    target = scaled_size(width, height)
    if target is None:
        part.data["image/png"] = _encoded(image, "PNG")
        part.describe("image/png", width=width, height=height, scaled=False)
        return
    part.data["image/png"] = _encoded(_resized(image, target), "PNG")
    _describe_scaled(part, "image/png", target, (width, height))
    if width * height <= limits.PICTURE_PIXELS:
        part.originals["image/png"] = _encoded(image, "PNG")
    else:
        part.note("Too large to be kept in its own size: save it to a file.")


def fit(part: Part, mime: str) -> None:
    """Scales a picture that is there as the bytes of a file, if it is too large and PIL is there; tells its size."""
    content: bytes = part.data[mime]
    size = size_of(content)
    if size is None:
        part.describe(mime, scaled=False)
        return
    width, height = size
    target = scaled_size(width, height)
    part.describe(mime, width=width, height=height, scaled=False)
    if target is None:
        return
    try:
        import io

        image: Any = library("PIL.Image").open(io.BytesIO(content))
        if image.mode not in _PNG_MODES:
            image = image.convert("RGB")
        picture = _encoded(_resized(image, target), _FORMATS.get(mime, "PNG"))
    except Exception as error:
        part.note(f"Larger than models read well ({width}x{height}), and {_why_as_it_is(error)}.")
        return
    part.originals[mime] = content
    if mime in _FORMATS or mime == "image/png":
        part.data[mime] = picture
    else:
        del part.data[mime]
        part.metadata.pop(mime, None)
        mime = "image/png"
        part.data[mime] = picture
    _describe_scaled(part, mime, target, size)


def lighten(part: Part) -> None:
    """Adds a JPEG for a PNG that is too large to be handed to a model, if PIL is there."""
    content: bytes = part.data.get("image/png", b"")
    if len(content) <= limits.LIGHT_BYTES or "image/jpeg" in part.data:
        return
    try:
        import io

        image: Any = library("PIL.Image").open(io.BytesIO(content)).convert("RGBA")
        ground: Any = library("PIL.Image").new("RGB", image.size, "white")
        ground.paste(image, mask=image)
        file = io.BytesIO()
        for quality in _QUALITIES:
            file = io.BytesIO()
            ground.save(file, "JPEG", quality=quality)
            if file.tell() <= limits.LIGHT_BYTES:
                break
    except Exception as error:
        part.note(f"Too large to be handed over, and {_why_as_it_is(error)}.")
        return
    part.data["image/jpeg"] = file.getvalue()
    width, height = ground.size
    part.describe("image/jpeg", width=width, height=height, scaled=True)


def _why_as_it_is(error: Exception) -> str:
    if isinstance(error, ImportError):
        return "PIL is missing to make it smaller"
    return f"PIL can't make it smaller: {shown.describe(error)}"


def size_of(content: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG, JPEG or GIF in pixels, as its header has them; None for anything else."""
    if content[:8] == b"\x89PNG\r\n\x1a\n" and content[12:16] == b"IHDR":
        return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    if content[:6] in (b"GIF87a", b"GIF89a"):
        return int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")
    if content[:2] == b"\xff\xd8":
        return _size_of_jpeg(content)
    return None


def _size_of_jpeg(content: bytes) -> tuple[int, int] | None:
    """From the first frame header (ITU-T T.81, B.2.2): markers SOF0 to SOF15, but for DHT, JPG and DAC."""
    position = 2
    while position + 9 <= len(content) and content[position] == 0xFF:
        marker = content[position + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height = int.from_bytes(content[position + 5 : position + 7], "big")
            return int.from_bytes(content[position + 7 : position + 9], "big"), height
        position += (
            1 if marker == 0xFF else 2 + int.from_bytes(content[position + 2 : position + 4], "big")
        )
    return None


def _greys(part: Part, image: Any) -> Any:  # noqa: ANN401
    """Pixels that are any numbers, as greys over the range that they have."""
    low, high = image.getextrema()
    part.note(f"Shown as greys: black is {low:.6g}, white is {high:.6g}.")
    scale = 255 / (high - low) if high > low else 0

    def grey(value: Any) -> Any:  # noqa: ANN401
        return value * scale + -low * scale

    return image.convert("F").point(grey).convert("L")


def _resized(image: Any, size: tuple[int, int]) -> Any:  # noqa: ANN401
    if image.mode == "P":  # a mean of two numbers of colours is no colour
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    elif image.mode == "1":
        image = image.convert("L")
    if image.mode.startswith("I;16"):
        return (
            image.convert("I").resize(size, 4).convert("I;16")
        )  # BOX: LANCZOS may leave the range
    # an intermediate size makes LANCZOS quick
    return image.resize(size, 1, reducing_gap=2.0)


def _encoded(image: Any, form: str) -> bytes:  # noqa: ANN401
    import io

    file = io.BytesIO()
    if form == "PNG":
        is_large = image.size[0] * image.size[1] > _QUICK_PIXELS
        image.save(file, "PNG", compress_level=1 if is_large else 6)
    else:
        image.save(file, form, quality=90)
    return file.getvalue()


def _describe_scaled(
    part: Part, mime: str, size: tuple[int, int], original: tuple[int, int]
) -> None:
    part.describe(
        mime,
        width=size[0],
        height=size[1],
        original_width=original[0],
        original_height=original[1],
        scaled=True,
    )
