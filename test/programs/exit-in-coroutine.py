# sys.exit inside a coroutine ends the program with its code after the other tasks were cancelled.
import asyncio
import sys


async def other():
    try:
        await asyncio.sleep(30)
    finally:
        print("other was cancelled")


async def main():
    asyncio.create_task(other())
    await asyncio.sleep(0)
    sys.exit(15)


asyncio.run(main())
