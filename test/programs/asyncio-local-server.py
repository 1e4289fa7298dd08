# A server and a client talk over a Unix socket in the working directory.
import asyncio


async def answer(reader, writer):
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_unix_server(answer, "s.sock")
    reader, writer = await asyncio.open_unix_connection("s.sock")
    writer.write(b"hello\n")
    print(await reader.read())
    writer.close()
    server.close()


asyncio.run(main())
