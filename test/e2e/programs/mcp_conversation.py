"""Talks to an MCP server over stdio with the official Python client, whichever generation is installed.

    python mcp_conversation.py SERVER_COMMAND…

Prints what came of it as one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

try:
    from mcp import Client  # 2.x
except ImportError:
    Client = None

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

QUOTES = """print("Hello 'world' with \\"quotes\\" and $variables")"""


@asynccontextmanager
async def connected(server: StdioServerParameters) -> AsyncIterator[tuple[Any, str]]:
    """Yields a client, and the version of the protocol that it and the server agreed on."""
    if Client is not None:
        async with Client(server) as client:
            yield client, client.protocol_version
    else:
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            yield session, (await session.initialize()).protocolVersion


async def call(
    client: Any,  # noqa: ANN401 -- the generations have no type in common
    tool: str,
    **arguments: object,
) -> object:
    """Calls a tool; returns the JSON of its answer."""
    answer = await client.call_tool(tool, arguments)
    return json.loads(answer.content[0].text)


async def converse(server: StdioServerParameters) -> dict[str, object]:
    """Holds the whole conversation."""
    async with connected(server) as (client, protocol):
        return {
            "protocol": protocol,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "run": await call(client, "run_python", code=QUOTES),
            "batch": await call(client, "run_python_batch", codes=["print(1)", "print(2)"]),
            "refused": await call(client, "run_python", code="print(1)", cwd="missing"),
        }


command, *args = sys.argv[1:]
environment = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
parameters = StdioServerParameters(command=command, args=args, env=environment)
print(json.dumps(asyncio.run(converse(parameters))))
