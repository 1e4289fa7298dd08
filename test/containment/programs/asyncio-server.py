import asyncio


async def answer(reader, writer):
    writer.write((await reader.readline()).upper())
    writer.close()


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"question\n")
    assert await reader.read() == b"QUESTION\n"
    process = await asyncio.create_subprocess_exec("echo", "child", stdout=asyncio.subprocess.PIPE)
    assert (await process.communicate())[0] == b"child\n"
    unix = await asyncio.start_unix_server(answer, "/tmp/socket")
    reader, writer = await asyncio.open_unix_connection("/tmp/socket")
    writer.write(b"path\n")
    assert await reader.read() == b"PATH\n"
    server.close()
    unix.close()


asyncio.run(main())
print("works")
