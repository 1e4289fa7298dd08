# Timeouts and cancels reach the coroutine, whose finally block runs; tasks left at the end are cancelled.
import asyncio


async def endless(name):
    try:
        await asyncio.sleep(60)
    finally:
        print("cleanup", name)


async def main():
    try:
        await asyncio.wait_for(endless("timed"), 0.02)
    except asyncio.TimeoutError:
        print("timeout")
    task = asyncio.create_task(endless("left behind"), name="left")
    await asyncio.sleep(0)
    print(task.get_name(), task.done(), asyncio.current_task().get_name())


asyncio.run(main())
