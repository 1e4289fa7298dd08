# Blocking work runs in a thread of the loop's executor.
import asyncio
import threading


def block():
    return threading.current_thread() is threading.main_thread()


async def main():
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, block), await asyncio.to_thread(sum, [1, 2]))


asyncio.run(main())
