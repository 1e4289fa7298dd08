# asyncio.run returns the result; gather keeps order; sleeping tasks interleave by time.
import asyncio


async def work(name, delay):
    print("start", name)
    await asyncio.sleep(delay)
    print("end", name)
    return name


async def main():
    return await asyncio.gather(work("slow", 0.06), work("fast", 0.01), work("none", 0))


print(asyncio.run(main()))
