"""The official Python SDK as a client, over HTTP and over `cairn mcp`, in the newest protocol and with the old handshake.

Usage: mcp_client.py http URL KEY REVIEWERS-KEY | mcp_client.py stdio PROGRAM URL KEY | mcp_client.py away PROGRAM
"""

import asyncio
import os
import sys
import time

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

TOOLS = {
    "checkpoint", "complete_task", "context", "forget", "get_memory", "recall",
    "related_code", "remember", "report_stale", "resume_task", "start_task",
}


def over_http(url, key):
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=30)
    return streamable_http_client(f"{url}/mcp", http_client=http)


def over_stdio(program, url=None, key=None):
    env = {name: value for name, value in {"CAIRN_URL": url, "CAIRN_KEY": key, "HOME": os.environ["HOME"]}.items() if value}
    return StdioServerParameters(command=program, args=["mcp"], env=env)


async def done(client, tool, **arguments):
    """What a tool answered; the SDK has checked it against the tool's output schema."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, (tool, result.content)
    assert result.structured_content is not None, tool
    return result.structured_content, result.content[0].text


async def walk(client, name):
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(listed) == TOOLS, sorted(listed)
    assert listed["recall"].annotations.read_only_hint and not listed["remember"].annotations.read_only_hint

    made, _ = await done(client, "remember", content=f"Stone {name} lies on the others", kind="discovery", tags=["stone"],
                         anchors=[{"path": f"{name}.py", "symbol": "lay"}])
    found, text = await done(client, "recall", query=f"where does stone {name} lie?", kinds=["discovery"])
    ids = [item["memory_id"] for item in found["items"]]
    assert made["memory_id"] in ids and "get_memory" in text, text
    read, text = await done(client, "get_memory", memory_ids=[made["memory_id"]])
    assert f"Stone {name} lies" in text and read["memories"][0]["version"] == 1
    related, _ = await done(client, "related_code", path=f"{name}.py")
    assert [item["memory_id"] for item in related["memories"]["items"]] == [made["memory_id"]]
    await done(client, "context", token_budget=500)
    stale, _ = await done(client, "report_stale", memory_id=made["memory_id"])
    assert stale["freshness"]["state"] == "suspect"

    task = f"lay-{name}"
    begun, _ = await done(client, "start_task", key=task, title="Lay the stones")
    kept, _ = await done(client, "checkpoint", session_id=begun["session_id"], text="[x] lay the first\n[ ] lay the second\nNEXT: the second")
    assert kept["next_step"] and len(kept["progress"]) == 2, kept
    resumed, _ = await done(client, "resume_task", key=task)
    assert resumed["completed"][0]["item"] == "lay the first", resumed
    await done(client, "complete_task", key=task)
    asked, _ = await done(client, "forget", memory_ids=[made["memory_id"]], reason="a test")
    assert asked["state"] == "pending"

    refused = await client.call_tool("get_memory", {"memory_ids": ["0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa"]})
    assert refused.is_error and "not_found" in refused.content[0].text, refused
    wrong = await client.call_tool("recall", {"query": "x", "limit": 0})
    assert wrong.is_error and "limit" in wrong.content[0].text, wrong

    uri = f"cairn://memory/{made['memory_id']}"
    assert uri in [str(one.uri) for one in (await client.list_resources()).resources]
    assert f"Stone {name} lies" in (await client.read_resource(uri)).contents[0].text
    assert (await client.list_resource_templates()).resource_templates[0].uri_template == "cairn://memory/{id}"
    try:
        await client.read_resource("cairn://memory/nothing")
        raise AssertionError("there is nothing to read")
    except MCPError as error:
        assert "no such memory" in str(error), error
    prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
    assert prompts == {"session_start", "before_compaction"}, prompts
    brief = await client.get_prompt("session_start", {})
    assert "What this team knows" in brief.messages[0].content.text

    answers = await asyncio.gather(*(client.call_tool("recall", {"query": f"stone {n}"}) for n in range(40)))
    assert all(not answer.is_error for answer in answers)
    return made["memory_id"]


async def walk_all(server):
    # Old and new: with the handshake, and without.
    for mode in ("auto", "legacy"):
        started = time.monotonic()
        async with Client(server(), mode=mode) as client:
            doubted = await walk(client, f"{mode}-{sys.argv[1]}")
        print(f"{sys.argv[1]} {mode}: {time.monotonic() - started:.1f} s")
    return doubted


async def walk_http(url, key, reviewer):
    doubted = await walk_all(lambda: over_http(url, key))
    async with Client(over_http(url, reviewer)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS | {"verify_memory"}
        verified, text = await done(client, "verify_memory", memory_id=doubted, note="looked at the stone")
        assert verified["freshness"]["state"] == "fresh" and verified["version"] == 2 and "fresh" in text, verified


async def away(program):
    """Without a server the client starts, shows its tools, and its model hears what is wrong."""
    for mode in ("auto", "legacy"):
        async with Client(over_stdio(program, "http://127.0.0.1:9", "cairn_k_s"), mode=mode) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
            assert (await client.list_resources()).resources == []
            assert {prompt.name for prompt in (await client.list_prompts()).prompts} == {"session_start", "before_compaction"}
            told = await client.call_tool("recall", {"query": "anybody?"})
            assert told.is_error and "is away" in told.content[0].text, told
    async with Client(over_stdio(program)) as client:
        told = await client.call_tool("recall", {"query": "anybody?"})
        assert told.is_error and "cairn login" in told.content[0].text, told
    print("away: said so")


match sys.argv[1:]:
    case ["http", url, key, reviewer]:
        asyncio.run(walk_http(url, key, reviewer))
    case ["stdio", program, url, key]:
        asyncio.run(walk_all(lambda: over_stdio(program, url, key)))
    case ["away", program]:
        asyncio.run(away(program))
    case _:
        sys.exit(__doc__)
