# The error of a task that nobody awaits is logged when the task is freed.
import asyncio


async def fail():
    raise ValueError("nobody looks")


async def main():
    asyncio.create_task(fail())
    await asyncio.sleep(0.01)
    print("main ends")


asyncio.run(main())
print("after run")
