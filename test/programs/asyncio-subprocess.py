# asyncio starts a child, reads its lines and gets its code.
import asyncio
import sys


async def main():
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "print('from child'); raise SystemExit(5)", stdout=asyncio.subprocess.PIPE
    )
    output, _ = await child.communicate()
    print(output, child.returncode)


asyncio.run(main())
