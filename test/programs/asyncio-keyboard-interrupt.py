# SIGINT while the loop runs ends the program by SIGINT after the tasks were cancelled.
import asyncio
import os
import signal
import sys


async def main():
    try:
        asyncio.get_running_loop().call_later(0.02, os.kill, os.getpid(), signal.SIGINT)
        await asyncio.sleep(30)
    finally:
        print("cancelled cleanly")


sys.tracebacklimit = 0
asyncio.run(main())
