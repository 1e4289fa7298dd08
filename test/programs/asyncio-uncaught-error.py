# An error in the main coroutine comes out of asyncio.run with the frames of the library.
import asyncio


async def fail():
    await asyncio.sleep(0)
    raise ValueError("in a coroutine")


async def main():
    await fail()


asyncio.run(main())
