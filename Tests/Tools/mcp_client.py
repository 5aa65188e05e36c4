#!/usr/bin/env python3
"""Runs `histctl mcp` with the client of the Python package mcp, by a configuration for assistants.

    mcp_client.py CONFIGURATION STORE OUTSIDE

Calls each tool on STORE and compares its text with what the command writes. OUTSIDE is a store that the
server must not read.
"""

import json
import os
import subprocess
import sys

import anyio
from mcp import Client, StdioServerParameters

CALLS = [
    ("info", {}, ["info"]),
    ("log", {"limit": 5, "author": ["widget"]}, ["log", "-n", "5", "--author", "widget"]),
    ("show", {"token": "last"}, ["show", "last"]),
    ("diff", {"start": "last~9", "stat": True}, ["diff", "last~9", "--stat"]),
    ("object", {"object": "Trip/p7"}, ["object", "Trip/p7"]),
    ("blame", {"object": "Trip/p7"}, ["blame", "Trip/p7"]),
    ("recover", {"objects": ["BucketListItem/p3"]}, ["recover", "BucketListItem/p3"]),
    ("stats", {"by": "week", "top": 3}, ["stats", "--by", "week", "--top", "3"]),
    ("token_check", {"tokens": ["1", "last"]}, ["token", "check", "1", "last"]),
    ("bookmark_check", {}, ["bookmark", "check"]),
    ("verify", {}, ["verify"]),
]


def written(words, store):
    """What a command writes."""
    depth = 2 if words[0] in ("token", "bookmark") else 1
    line = ["histctl", *words[:depth], store, *words[depth:], "--json"]
    return subprocess.run(line, capture_output=True, encoding="utf-8").stdout


async def text(client, tool, arguments):
    """The text of a result, which a command without output has none of, and whether it is an error."""
    result = await client.call_tool(tool, arguments)
    return result.content[0].text if result.content else "", result.is_error


async def check(server, mode, store, outside):
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        assert client.server_info.name == "histctl"
        assert os.path.dirname(store) in client.instructions
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"find", *(name for name, _, _ in CALLS)}, tools
        for tool in tools.values():
            assert tool.title and tool.description and tool.annotations.read_only_hint
        for name, arguments, words in CALLS:
            found, failed = await text(client, name, {"store": store, **arguments})
            assert not failed and found == written(words, store), f"{name}: {found}"
        found, failed = await text(client, "find", {})
        assert not failed and [json.loads(line)["path"] for line in found.splitlines()] == [store]
        for arguments in ({"store": outside}, {"store": store, "archive": os.path.dirname(outside)}):
            found, failed = await text(client, "log", arguments)
            assert failed and json.loads(found)["kind"] == "refusedPath", found
        found, failed = await text(client, "log", {"store": store, "after": "1"})
        assert failed and json.loads(found)["kind"] == "historyTokenExpired", found
        return client.protocol_version


def main():
    configuration, store, outside = sys.argv[1:]
    store, outside = os.path.realpath(store), os.path.realpath(outside)
    with open(configuration, encoding="utf-8") as file:
        entry = json.load(file)["mcpServers"]["histctl"]
    arguments = [os.path.dirname(store) if word.startswith("/") else word for word in entry["args"]]
    server = StdioServerParameters(command=entry["command"], args=arguments)
    versions = [anyio.run(check, server, mode, store, outside) for mode in ("legacy", "auto")]
    assert versions == ["2025-11-25", "2026-07-28"], versions


main()
