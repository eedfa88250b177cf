// Anthropic's doors with Anthropic's own SDKs, unchanged but for the address and the key: the Memory Stores API in Python and in
// TypeScript, and the memory tool through the handlers that are documented, with the SDK's own file system as the oracle.
import { strict as assert } from "node:assert";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import Anthropic from "@anthropic-ai/sdk";
import { House } from "../browser/house.js";

const run = promisify(execFile);
const here = import.meta.dirname;
const target = process.env.CARGO_TARGET_DIR ?? resolve(here, "../../target");
const python = process.env.CAIRN_TEST_PYTHON ?? join(target, "clients/venv/bin/python");
const ADA = { email: "ada@example.org", password: "seven stones in a row" };
const NOBODY = "0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa";
const sha = (text) => createHash("sha256").update(text).digest("hex");

let house, limited, token;
const keys = {};

async function keyOf(ada, workspace, role) {
  const agent = await ada("POST", `/workspaces/${workspace}/agents`, { name: `a ${role}`, role });
  return (await ada("POST", `/workspaces/${workspace}/agents/${agent.id}/keys`, {})).key;
}

before(async () => {
  const settings = { CAIRN_ADMIN_EMAIL: ADA.email, CAIRN_ADMIN_PASSWORD: ADA.password };
  house = await House.open({ ...settings, CAIRN_RATE_LIMIT: "off" });
  limited = await House.open({ ...settings, CAIRN_RATE_LIMIT: "5/min" });
  for (const [at, workspaces] of [[house, ["python", "typescript", "oracle", "another", "handlers"]], [limited, ["limited"]]]) {
    const ada = await at.signIn(ADA.email, ADA.password);
    for (const slug of workspaces) {
      // The limit counts for Ada too.
      const patient = async (...call) => {
        for (let tries = 0; ; tries += 1) {
          try {
            return await ada(...call);
          } catch (error) {
            if (tries > 60 || !/ 429 /.test(error.message)) throw error;
            await new Promise((next) => setTimeout(next, 1000));
          }
        }
      };
      await patient("POST", "/workspaces", { slug, name: slug, purpose: "tests" });
      for (const role of at === limited ? ["writer"] : ["writer", "reviewer", "reader"]) keys[`${slug} ${role}`] = await keyOf(patient, slug, role);
    }
  }
  const headers = { "Content-Type": "application/json" };
  const signedIn = await fetch(`${house.url}/v1/auth/login`, { method: "POST", headers, body: JSON.stringify(ADA) });
  token = (await signedIn.json()).access_token;
});

after(() => Promise.all([house?.close(), limited?.close()]));

async function says(...args) {
  try {
    const { stdout } = await run(python, args, { cwd: here, timeout: 900_000, maxBuffer: 1 << 26, env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" } });
    console.log(stdout.trim());
  } catch (failed) {
    assert.fail(`${failed.stdout}${failed.stderr}`.slice(-6000) + failed.message.slice(-500));
  }
}

test("the Python SDK walks every method of the Memory Stores API", () =>
  says(join(here, "memory_stores.py"), house.url, keys["python writer"], keys["python reviewer"], keys["python reader"], token, limited.url, keys["limited writer"]));

for (const [workspace, seed] of [["oracle", 20250818], ["another", Number(process.env.ORACLE_SEED ?? 20261117)]]) {
  test(`the memory tool does as the SDK's own does, 2,000 commands from seed ${seed}`, () =>
    says(join(here, "memory_tool_oracle.py"), house.url, workspace, keys[`${workspace} writer`], String(seed), "2000"));
}

test("where the memory tool is stricter than the SDK's own, it is as documented", () =>
  says(join(here, "memory_tool_differences.py"), house.url, "handlers", keys["handlers reviewer"]));

test("the TypeScript handler that is documented works with the SDK's helper", async () => {
  // Beside the package that it imports, as in anybody's project.
  const copy = join(here, ".cairn-memory.ts");
  await copyFile(resolve(here, "../../docs/handlers/cairn-memory.ts"), copy);
  try {
    const { cairnMemoryTool } = await import(copy);
    const tool = cairnMemoryTool({ url: house.url, key: keys["handlers writer"], workspace: "handlers" });
    assert.deepEqual([tool.type, tool.name], ["memory_20250818", "memory"]);
    const use = (command) => tool.run(tool.parse(command));
    assert.equal(await use({ command: "create", path: "/memories/ts.md", file_text: "one\ntwo\n" }), "File created successfully at: /memories/ts.md");
    await assert.rejects(use({ command: "create", path: "/memories/ts.md", file_text: "" }), { name: "ToolError", message: "Error: File /memories/ts.md already exists" });
    assert.match(await use({ command: "str_replace", path: "/memories/ts.md", old_str: "two", new_str: "2" }), /^The memory file has been edited\./);
    assert.equal(await use({ command: "insert", path: "/memories/ts.md", insert_line: 0, insert_text: "zero" }), "The file /memories/ts.md has been edited.");
    assert.equal(await use({ command: "rename", old_path: "/memories/ts.md", new_path: "/memories/d/ts.md" }), "Successfully renamed /memories/ts.md to /memories/d/ts.md");
    assert.match(await use({ command: "view", path: "/memories/d/ts.md" }), /:\n {5}1\tzero\n {5}2\tone\n {5}3\t2\n {5}4\t$/);
    assert.equal(await use({ command: "delete", path: "/memories/d" }), "Successfully deleted /memories/d");
    await assert.rejects(cairnMemoryTool({ url: house.url, key: "cairn_x_y", workspace: "handlers" }).run({ command: "view", path: "/memories" }), /401/);
  } finally {
    await rm(copy, { force: true });
  }
});

test("the TypeScript SDK walks every method of the Memory Stores API", async () => {
  const client = (role, more) => new Anthropic({ baseURL: house.url, apiKey: keys[`typescript ${role}`], ...more });
  const [writer, reviewer, reader] = ["writer", "reviewer", "reader"].map((role) => client(role).beta.memoryStores);
  const all = async (pages) => Array.fromAsync(pages);
  const walked = new Set();
  const watched = (resource, name) =>
    new Proxy(resource, {
      get: (of, method) => {
        const found = of[method];
        if (typeof found === "function") walked.add(`${name}.${method}`);
        return typeof found === "function" ? found.bind(of) : found;
      },
    });
  const stores = watched(writer, "stores");
  const memories = watched(writer.memories, "memories");
  const versions = watched(reviewer.memoryVersions, "versions");

  const store = await stores.create({ name: "Notes", description: "of the tests", metadata: { a: "1" } });
  assert.match(store.id, /^memstore_/);
  assert.deepEqual(await reader.retrieve(store.id), store);
  assert.deepEqual(await stores.retrieve(store.id), store);
  assert.deepEqual((await stores.update(store.id, { metadata: { a: null, b: "2" } })).metadata, { b: "2" });
  for (let n = 0; n < 5; n += 1) await writer.create({ name: `Store ${n}` });
  assert.equal((await all(stores.list({ limit: 2 }))).length, 7);
  assert.equal((await all(stores.list({ "created_at[gte]": "2100-01-01T00:00:00Z" }))).length, 0);

  const memory = await memories.create(store.id, { path: "/todo.md", content: "first", view: "full" });
  assert.deepEqual([memory.content, memory.content_sha256], ["first", sha("first")]);
  assert.equal((await memories.retrieve(memory.id, { memory_store_id: store.id })).content, "first");
  const held = (text) => ({ type: "content_sha256", content_sha256: sha(text) });
  const second = await memories.update(memory.id, { memory_store_id: store.id, content: "second", path: "/done.md", precondition: held("first") });
  assert.deepEqual([second.path, second.content_sha256, second.content], ["/done.md", sha("second"), null]);
  for (let n = 0; n < 250; n += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, m) => writer.memories.create(store.id, { path: `/p/${n + m}`, content: `${n + m}` })));
  }
  const listed = await all(memories.list(store.id, { path_prefix: "/p/", limit: 60 }));
  assert.equal(new Set(listed.map((one) => one.path)).size, 250);
  assert.deepEqual((await all(memories.list(store.id, { depth: 1 }))).map((one) => one.path), ["/done.md", "/p/"]);

  // Twenty write on the same condition: one wins each round, and none is lost.
  let text = "second";
  for (let round = 0; round < 5; round += 1) {
    const tries = Array.from({ length: 20 }, (_, n) =>
      writer.memories.update(memory.id, { memory_store_id: store.id, content: `${round} ${n}`, precondition: held(text) }).then(
        (now) => now.content_sha256,
        (error) => {
          assert.ok(error instanceof Anthropic.ConflictError, `${error}`);
          assert.equal(error.error.error.type, "memory_precondition_failed_error");
          return null;
        },
      ),
    );
    const won = (await Promise.all(tries)).filter(Boolean);
    assert.equal(won.length, 1);
    const now = await writer.memories.retrieve(memory.id, { memory_store_id: store.id });
    assert.equal(now.content_sha256, won[0]);
    text = now.content;
  }
  const told = await all(versions.list(store.id, { memory_id: memory.id, view: "full", limit: 3 }));
  assert.deepEqual(told.map((one) => one.operation), [...Array(6).fill("modified"), "created"]);
  const first = told.at(-1);
  assert.equal((await versions.retrieve(first.id, { memory_store_id: store.id })).content, "first");
  const emptied = await versions.redact(first.id, { memory_store_id: store.id });
  assert.deepEqual([emptied.content, emptied.path, emptied.created_by], [null, null, first.created_by]);

  const refused = async (call, error, type) => {
    await assert.rejects(call, (told) => {
      assert.ok(told instanceof error, `${told}`);
      assert.equal(told.error.error.type, type);
      assert.equal(told.requestID, told.error.request_id);
      return true;
    });
  };
  const path = writer.memories.create(store.id, { path: "/done.md", content: "x" });
  await refused(path, Anthropic.ConflictError, "memory_path_conflict_error");
  await refused(writer.memories.create(store.id, { path: "no slash", content: "x" }), Anthropic.BadRequestError, "invalid_request_error");
  await refused(writer.retrieve(`memstore_${NOBODY}`), Anthropic.NotFoundError, "not_found_error");
  await refused(reader.create({ name: "x" }), Anthropic.PermissionDeniedError, "permission_error");
  await refused(client("writer", { apiKey: "cairn_x_y" }).beta.memoryStores.list(), Anthropic.AuthenticationError, "authentication_error");
  const person = new Anthropic({ baseURL: house.url, apiKey: null, authToken: token }).beta.memoryStores;
  await refused(person.list(), Anthropic.PermissionDeniedError, "permission_error");
  const hasty = new Anthropic({ baseURL: limited.url, apiKey: keys["limited writer"], maxRetries: 0 }).beta.memoryStores;
  await refused(Promise.all(Array.from({ length: 50 }, () => hasty.list())), Anthropic.RateLimitError, "rate_limit_error");

  assert.deepEqual(await memories.delete(memory.id, { memory_store_id: store.id, expected_content_sha256: sha(text) }), { id: memory.id, type: "memory_deleted" });
  assert.ok((await stores.archive(store.id)).archived_at);
  assert.deepEqual(await stores.delete(store.id), { id: store.id, type: "memory_store_deleted" });
  await refused(writer.memoryVersions.list(store.id), Anthropic.NotFoundError, "not_found_error");

  // What a later SDK can do besides is to be walked here too.
  const methods = (resource, name) => Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).filter((one) => one !== "constructor").map((one) => `${name}.${one}`);
  const known = [...methods(writer, "stores"), ...methods(writer.memories, "memories"), ...methods(reviewer.memoryVersions, "versions")];
  assert.deepEqual([...walked].sort(), known.sort());
});

test("what was written this way is found by recall and searched for in its store", async () => {
  const client = new Anthropic({ baseURL: house.url, apiKey: keys["typescript writer"] }).beta.memoryStores;
  const [one, other] = [await client.create({ name: "one" }), await client.create({ name: "other" })];
  await client.memories.create(one.id, { path: "/freeze.md", content: "Deploys are frozen on fridays" });
  await client.memories.create(other.id, { path: "/freeze.md", content: "Deploys of the other team are frozen on mondays" });
  const ask = house.caller(keys["typescript reader"]);
  const found = await ask("POST", `/workspaces/typescript/stores/${one.id}/search`, { query: "when are deploys frozen?" });
  assert.deepEqual(found.items.map((item) => item.content), ["Deploys are frozen on fridays"]);
  const anywhere = await ask("POST", "/workspaces/typescript/recall", { query: "when are deploys frozen?" });
  assert.equal(anywhere.items.length, 2);
});

test("with Postgres away those clients hear of an error that they may try again", async () => {
  await limited.close();
  const alone = await House.open({ CAIRN_ADMIN_EMAIL: ADA.email, CAIRN_ADMIN_PASSWORD: ADA.password, CAIRN_RATE_LIMIT: "off" });
  try {
    const ada = await alone.signIn(ADA.email, ADA.password);
    await ada("POST", "/workspaces", { slug: "away", name: "Away", purpose: "tests" });
    const client = new Anthropic({ baseURL: alone.url, apiKey: await keyOf(ada, "away", "writer"), maxRetries: 0 }).beta.memoryStores;
    await client.list();
    // Root's folder is closed to the account that Postgres runs under: then a file says where it lives.
    const base = await readFile(join(alone.folder, "postgres.location"), "utf8").catch(() => join(alone.folder, "postgres"));
    const postmaster = Number((await readFile(join(base.trim(), "data/postmaster.pid"), "utf8")).split("\n")[0]);
    process.kill(postmaster, "SIGINT");
    let told;
    for (let tries = 0; tries < 50 && !told; tries += 1) {
      await client.list().catch((error) => (told = error instanceof Anthropic.APIError && error.status ? error : undefined));
      await new Promise((next) => setTimeout(next, 100));
    }
    assert.ok(told instanceof Anthropic.InternalServerError, `${told}`);
    assert.deepEqual([told.status, told.error.error.type, told.headers.get("x-should-retry")], [503, "api_error", "true"]);
  } finally {
    await alone.close();
  }
});
