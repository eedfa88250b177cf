"""The official Python SDK, unchanged but for `base_url` and `api_key`, walks every method of the Memory Stores API.

Usage: memory_stores.py URL WRITER_KEY REVIEWER_KEY READER_KEY PERSONS_TOKEN LIMITED_URL LIMITED_KEY
"""

import asyncio
import hashlib
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import anthropic
from anthropic import Anthropic, AsyncAnthropic
from anthropic.resources.beta.memory_stores import Memories, MemoryStores, MemoryVersions

NOBODY = "0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa"


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def refused(error, call, kind, **more):
    """The exception's class, and the error that it carries."""
    try:
        call()
    except anthropic.APIStatusError as told:
        assert type(told) is error, (type(told), told)
        said = told.body["error"]
        assert told.body["type"] == "error" and said["type"] == kind and said["message"], told.body
        assert told.body["request_id"] == told.request_id, (told.body, told.request_id)
        assert all(said[name] == value for name, value in more.items()), said
        return said
    raise AssertionError(f"not refused: {kind}")


def walk_stores(writer, reader):
    stores = writer.beta.memory_stores
    begun = datetime.now(timezone.utc) - timedelta(minutes=1)
    made = stores.create(name="Preferences", description="what user 42 likes", metadata={"user": "42", "tier": "gold"}, betas=["agent-memory-2026-07-22"])
    assert made.type == "memory_store" and made.id.startswith("memstore_") and made.archived_at is None, made
    assert stores.retrieve(made.id) == made and reader.beta.memory_stores.retrieve(made.id) == made
    changed = stores.update(made.id, description="", metadata={"tier": None, "plan": "x"})
    assert (changed.name, changed.description, changed.metadata) == ("Preferences", "", {"user": "42", "plan": "x"}), changed
    assert changed.updated_at > made.updated_at and changed.created_at == made.created_at
    assert stores.update(made.id, name="Preferences") == changed, "a change that changes nothing"
    for n in range(24):
        stores.create(name=f"Store {n}")
    names = [store.name for store in stores.list(limit=7)]
    assert names == [*[f"Store {n}" for n in reversed(range(24))], "Preferences", "main"], names
    assert len(stores.list().data) == 20
    assert len(list(stores.list(created_at_gte=begun, created_at_lte=datetime.now(timezone.utc)))) == 26
    assert list(stores.list(created_at_lte=begun)) == []
    archived = stores.archive(made.id)
    assert archived.archived_at and made.id not in [store.id for store in stores.list()]
    assert made.id in [store.id for store in stores.list(include_archived=True)]
    for store in list(stores.list()):
        if store.name.startswith("Store"):
            gone = stores.delete(store.id)
            assert (gone.id, gone.type) == (store.id, "memory_store_deleted")
            refused(anthropic.NotFoundError, lambda store=store: stores.retrieve(store.id), "not_found_error")
    assert [store.name for store in stores.list()] == ["main"]


def walk_memories(writer, reader):
    stores = writer.beta.memory_stores
    memories, store = stores.memories, stores.create(name="Memories")
    made = memories.create(store.id, path="/notes/todo.md", content="buy stones\n")
    assert made.type == "memory" and made.content is None and made.memory_store_id == store.id, made
    assert (made.content_sha256, made.content_size_bytes) == (sha("buy stones\n"), 11)
    assert memories.create(store.id, path="/empty", content="", view="full").content == ""
    read = memories.retrieve(made.id, memory_store_id=store.id)
    assert read.content == "buy stones\n" and reader.beta.memory_stores.memories.retrieve(made.id, memory_store_id=store.id, view="basic") == made
    changed = memories.update(made.id, memory_store_id=store.id, content="buy more stones\n", view="full")
    assert changed.content == "buy more stones\n" and changed.memory_version_id != made.memory_version_id
    moved = memories.update(made.id, memory_store_id=store.id, path="/notes/done.md")
    assert moved.path == "/notes/done.md" and moved.content_sha256 == changed.content_sha256
    held = {"type": "content_sha256", "content_sha256": sha("buy more stones\n")}
    both = memories.update(made.id, memory_store_id=store.id, content="bought", path="/done.md", precondition=held)
    assert (both.path, both.content_sha256) == ("/done.md", sha("bought"))
    same = memories.update(made.id, memory_store_id=store.id, content="bought", precondition=held)
    assert same == both, "it is so already, whatever was expected"
    gone = memories.delete(made.id, memory_store_id=store.id, expected_content_sha256=sha("bought"))
    assert (gone.id, gone.type) == (made.id, "memory_deleted")

    for n in range(250):
        memories.create(store.id, path=f"/pages/{n % 5}/{n:03}.md", content=f"page {n}")
    listed = list(memories.list(store.id, path_prefix="/pages/", limit=100))
    assert [one.path for one in listed] == sorted(f"/pages/{n % 5}/{n:03}.md" for n in range(250))
    assert len(list(memories.list(store.id, path_prefix="/pages/"))) == 250 and all(one.content is None for one in listed)
    full = memories.list(store.id, path_prefix="/pages/", view="full", limit=100)
    assert len(full.data) == 20 and full.next_page
    assert {one.content for one in full} == {f"page {n}" for n in range(250)}
    folders = list(memories.list(store.id, depth=1, limit=2))
    assert [(one.type, one.path) for one in folders] == [("memory", "/empty"), ("memory_prefix", "/pages/")], folders
    folders = list(memories.list(store.id, path_prefix="/pages/", depth=1, limit=2))
    assert [(one.type, one.path) for one in folders] == [("memory_prefix", f"/pages/{n}/") for n in range(5)], folders
    assert len(list(memories.list(store.id, path_prefix="/pages/3/", depth=1))) == 50


def walk_versions(writer, reviewer):
    stores = writer.beta.memory_stores
    versions, memories, store = stores.memory_versions, stores.memories, stores.create(name="Versions")
    memory = memories.create(store.id, path="/slip.md", content="a slip")
    memories.update(memory.id, memory_store_id=store.id, content="no slip")
    memories.update(memory.id, memory_store_id=store.id, content="no slip")
    current = memories.update(memory.id, memory_store_id=store.id, path="/clean.md")
    told = list(versions.list(store.id, memory_id=memory.id))
    assert [one.operation for one in told] == ["modified", "modified", "created"], told
    assert told[0].id == current.memory_version_id and all(one.content is None for one in told)
    first = versions.retrieve(told[-1].id, memory_store_id=store.id)
    assert (first.content, first.path, first.content_size_bytes, first.content_sha256) == ("a slip", "/slip.md", 6, sha("a slip"))
    assert first.created_by.type == "api_actor" and first.redacted_at is None
    mine = first.created_by.api_key_id
    assert len(list(versions.list(store.id, api_key_id=mine))) == 3 and list(versions.list(store.id, api_key_id="apikey_other")) == []
    assert [one.content for one in versions.list(store.id, view="full", operation="modified", limit=1)] == ["no slip", "no slip"]
    since = first.created_at
    assert len(list(versions.list(store.id, created_at_gte=since))) == 3 and len(list(versions.list(store.id, created_at_lte=since))) == 1
    assert list(versions.list(store.id, session_id=f"sesn_{NOBODY}")) == []

    redact = reviewer.beta.memory_stores.memory_versions.redact
    refused(anthropic.PermissionDeniedError, lambda: versions.redact(first.id, memory_store_id=store.id), "permission_error")
    refused(anthropic.ConflictError, lambda: redact(current.memory_version_id, memory_store_id=store.id), "invalid_request_error", code="current_version")
    emptied = redact(first.id, memory_store_id=store.id)
    assert emptied.redacted_at and emptied.redacted_by.type == "api_actor" and emptied.created_by == first.created_by
    assert (emptied.content, emptied.path, emptied.content_sha256, emptied.content_size_bytes) == (None, None, None, None)
    assert versions.retrieve(first.id, memory_store_id=store.id) == emptied
    memories.delete(memory.id, memory_store_id=store.id)
    told = list(versions.list(store.id, memory_id=memory.id, view="full"))
    assert [(one.operation, one.content) for one in told] == [("deleted", None), ("modified", "no slip"), ("modified", "no slip"), ("created", None)]
    assert told[0].content_sha256 is None and told[0].path == "/clean.md"


def race(writer, rounds=8, writers=20):
    """Exactly one wins each round, whoever wins is not overwritten, and everybody else is told why."""
    stores = writer.beta.memory_stores
    memories, store = stores.memories, stores.create(name="Race")
    memory = memories.create(store.id, path="/flag.md", content="round 0", view="full")
    won = ["round 0"]

    def run(n, seen):
        mine = f"round {len(won)}, writer {n}"
        try:
            memories.update(memory.id, memory_store_id=store.id, content=mine, precondition={"type": "content_sha256", "content_sha256": seen})
            return mine
        except anthropic.ConflictError as lost:
            assert lost.body["error"]["type"] == "memory_precondition_failed_error", lost.body
            return None

    with ThreadPoolExecutor(writers) as pool:
        for _ in range(rounds):
            seen = sha(won[-1])
            winners = [one for one in pool.map(lambda n: run(n, seen), range(writers)) if one]
            assert len(winners) == 1, winners
            now = memories.retrieve(memory.id, memory_store_id=store.id)
            assert now.content == winners[0], (now, winners)
            won.append(winners[0])
        # And of as many who want one path, one has it.
        made = pool.map(lambda n: attempt(lambda: memories.create(store.id, path="/one/seat.md", content=f"{n}")), range(writers))
        assert sum(made) == 1
    told = [one.content for one in stores.memory_versions.list(store.id, memory_id=memory.id, view="full")]
    assert told == list(reversed(won)), "every change that was acknowledged is there, and no other"


def attempt(call):
    try:
        call()
        return True
    except anthropic.ConflictError as lost:
        assert lost.body["error"]["type"] == "memory_path_conflict_error", lost.body
        return False


def errors(url, writer, reader, token, limited_url, limited_key):
    stores = writer.beta.memory_stores
    memories, store = stores.memories, stores.create(name="Errors")
    there = memories.create(store.id, path="/a/b.md", content="x")
    for path in ["/a/b.md", "/a", "/a/b.md/c"]:
        refused(anthropic.ConflictError, lambda path=path: memories.create(store.id, path=path, content="y"), "memory_path_conflict_error",
                conflicting_memory_id=there.id, conflicting_path="/a/b.md")
    other = {"type": "content_sha256", "content_sha256": sha("other")}
    refused(anthropic.ConflictError, lambda: memories.update(there.id, memory_store_id=store.id, content="y", precondition=other), "memory_precondition_failed_error")
    refused(anthropic.ConflictError, lambda: memories.delete(there.id, memory_store_id=store.id, expected_content_sha256=sha("other")), "memory_precondition_failed_error")
    for path in ["", "a", "/", "//", "/a/../b", "/a\nb", "/" + "x" * 1024, "/x" * 21, "/cafe\u0301"]:
        refused(anthropic.BadRequestError, lambda path=path: memories.create(store.id, path=path, content="x"), "invalid_request_error")
    refused(anthropic.BadRequestError, lambda: memories.create(store.id, path="/long", content="x" * 102_401), "invalid_request_error")
    refused(anthropic.BadRequestError, lambda: memories.list(store.id, path_prefix="/a"), "invalid_request_error")
    refused(anthropic.BadRequestError, lambda: stores.list(limit=101), "invalid_request_error")
    refused(anthropic.BadRequestError, lambda: stores.create(name=""), "invalid_request_error")
    refused(anthropic.RequestTooLargeError, lambda: memories.create(store.id, path="/huge", content="x" * 11_000_000), "invalid_request_error")
    for call in [lambda: stores.retrieve(f"memstore_{NOBODY}"), lambda: stores.retrieve("nonsense"), lambda: memories.retrieve(f"mem_{NOBODY}", memory_store_id=store.id),
                 lambda: stores.memory_versions.retrieve(f"memver_{NOBODY}_1", memory_store_id=store.id), lambda: writer.get("/v1/memory_stores/a/b/c", cast_to=object)]:
        refused(anthropic.NotFoundError, call, "not_found_error")
    nobody = Anthropic(base_url=url, api_key="cairn_nobody_nothing").beta.memory_stores
    refused(anthropic.AuthenticationError, lambda: nobody.list(), "authentication_error")
    refused(anthropic.PermissionDeniedError, lambda: reader.beta.memory_stores.create(name="x"), "permission_error", code="forbidden")
    person = Anthropic(base_url=url, api_key=None, auth_token=token).beta.memory_stores
    refused(anthropic.PermissionDeniedError, lambda: person.list(), "permission_error", code="agent_key_required")
    stores.archive(store.id)
    refused(anthropic.ConflictError, lambda: memories.create(store.id, path="/late", content="x"), "invalid_request_error", code="store_archived")
    assert memories.retrieve(there.id, memory_store_id=store.id).content == "x"
    memories.delete(there.id, memory_store_id=store.id)
    hasty = Anthropic(base_url=limited_url, api_key=limited_key, max_retries=0).beta.memory_stores

    def hurry():
        for _ in range(50):
            hasty.list()

    refused(anthropic.RateLimitError, hurry, "rate_limit_error")


async def walk_async(url, key):
    """The asynchronous client is another implementation of the same."""
    async with AsyncAnthropic(base_url=url, api_key=key) as client:
        stores = client.beta.memory_stores
        store = await stores.create(name="Async")
        await asyncio.gather(*(stores.memories.create(store.id, path=f"/{n}", content=str(n)) for n in range(30)))
        assert len([one async for one in stores.memories.list(store.id, limit=7)]) == 30
        assert len([one async for one in stores.memory_versions.list(store.id)]) == 30
        await stores.delete(store.id)


def methods(resource):
    return {name for name in vars(resource) if not name.startswith("_") and name not in {"memories", "memory_versions", "with_raw_response", "with_streaming_response"}}


def main(url, writer, reviewer, reader, token, limited_url, limited_key):
    # What a later SDK can do besides is to be walked here too.
    assert methods(MemoryStores) == {"create", "retrieve", "update", "list", "delete", "archive"}, methods(MemoryStores)
    assert methods(Memories) == {"create", "retrieve", "update", "list", "delete"}, methods(Memories)
    assert methods(MemoryVersions) == {"retrieve", "list", "redact"}, methods(MemoryVersions)
    writer_key, (writer, reviewer, reader) = writer, (Anthropic(base_url=url, api_key=key) for key in (writer, reviewer, reader))
    walk_stores(writer, reader)
    walk_memories(writer, reader)
    walk_versions(writer, reviewer)
    race(writer)
    errors(url, writer, reader, token, limited_url, limited_key)
    asyncio.run(walk_async(url, writer_key))
    print(f"anthropic {anthropic.__version__}: every method walked, 8 rounds of 20 writers, every error told")


main(*sys.argv[1:])
