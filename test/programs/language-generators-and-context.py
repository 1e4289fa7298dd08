# yield from, send, throw, close and async generators.
import asyncio


def inner():
    received = yield "first"
    print("received", received)
    try:
        yield "second"
    except KeyError as error:
        yield f"caught {error}"
    return "result"


def outer():
    print("inner returned", (yield from inner()))


generator = outer()
print(next(generator), generator.send(5), generator.throw(KeyError("k")))
print(next(generator, "exhausted"))


async def ticks():
    for tick in range(3):
        yield tick


async def main():
    return [tick async for tick in ticks()]


print(asyncio.run(main()))
