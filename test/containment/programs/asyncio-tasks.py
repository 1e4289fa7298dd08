import asyncio


async def main():
    loop = asyncio.get_running_loop()
    assert await loop.run_in_executor(None, sum, range(10)) == 45
    assert await asyncio.gather(*(asyncio.sleep(0.01, number) for number in range(5))) == [0, 1, 2, 3, 4]


asyncio.run(main())
print("works")
