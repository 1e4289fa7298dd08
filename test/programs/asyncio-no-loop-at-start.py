# There is no running loop in a fresh program, and run cannot be nested.
import asyncio

try:
    asyncio.get_running_loop()
except RuntimeError as error:
    print(error)


async def main():
    inner = asyncio.sleep(0)
    try:
        asyncio.run(inner)
    except RuntimeError as error:
        print(error)
    inner.close()


asyncio.run(main())
