// MCP with clients that we did not write: the official conformance suite, the inspector, and the Python SDK over HTTP and stdio.
import { strict as assert } from "node:assert";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify, stripVTControlCharacters } from "node:util";
import { House } from "../browser/house.js";
import { Doorman } from "./doorman.js";

const run = promisify(execFile);
const here = import.meta.dirname;
const target = process.env.CARGO_TARGET_DIR ?? resolve(here, "../../target");
const cairn = join(target, "debug/cairn");
const python = process.env.CAIRN_TEST_PYTHON ?? join(target, "clients/venv/bin/python");
const packages = join(here, "node_modules/@modelcontextprotocol");
const ADA = { email: "ada@example.org", password: "seven stones in a row" };

const PASSED = {
  "2026-07-28": ["✓ tools-list: 4", "✓ resources-list: 2", "✓ prompts-list: 2", "✓ caching: 7", "✓ http-header-validation: 14", "✓ dns-rebinding-protection: 2", "server-stateless: 21 passed, 4 failed"],
  "2025-11-25": ["✓ server-initialize: 2", "✓ ping: 2", "✓ tools-list: 3", "✓ resources-list: 2", "✓ prompts-list: 2", "✓ dns-rebinding-protection: 2"],
};

let house, doorman, key, reviewer;

before(async () => {
  doorman = await Doorman.open();
  house = await House.open({
    CAIRN_LISTEN: `127.0.0.1:${doorman.port}`,
    CAIRN_PUBLIC_URL: doorman.url,
    CAIRN_ADMIN_EMAIL: ADA.email,
    CAIRN_ADMIN_PASSWORD: ADA.password,
    CAIRN_RATE_LIMIT: "off",
  });
  const ada = await house.signIn(ADA.email, ADA.password);
  await ada("POST", "/workspaces", { slug: "coding", name: "Coding", purpose: "tests" });
  const keyOf = async (role) => {
    const agent = await ada("POST", "/workspaces/coding/agents", { name: `client, ${role}`, role });
    return (await ada("POST", `/workspaces/coding/agents/${agent.id}/keys`, {})).key;
  };
  [key, reviewer] = [await keyOf("writer"), await keyOf("reviewer")];
  doorman.key = key;
});

after(async () => {
  await house?.close();
  await doorman?.close();
});

/** Runs a program of ours or of others; what it said, whether it liked what it saw or not. */
async function said(program, args) {
  try {
    const { stdout, stderr } = await run(program, args, { cwd: here, timeout: 110_000, maxBuffer: 1 << 26 });
    return { code: 0, text: stdout + stderr, out: stdout };
  } catch (failed) {
    return { code: failed.code ?? 1, text: `${failed.stdout}${failed.stderr}${failed.message}`, out: failed.stdout };
  }
}

for (const revision of ["2026-07-28", "2025-11-25"]) {
  test(`the conformance suite of ${revision} finds what we expect, and nothing else`, async () => {
    const suite = join(packages, "conformance/dist/index.js");
    const expected = join(here, `conformance-${revision}.yml`);
    const args = [suite, "server", "--url", `${doorman.url}/mcp`, "--suite", "all", "--spec-version", revision, "--expected-failures", expected];
    const { code, text } = await said(process.execPath, args);
    const report = stripVTControlCharacters(text.slice(text.lastIndexOf("=== SUMMARY ===")));
    console.log(report);
    assert.equal(code, 0, text.slice(-6000));
    // A suite that ran nothing would find nothing, and a scenario that fails in part could fail in more.
    for (const passed of PASSED[revision]) assert.match(report, new RegExp(passed), report);
    for (const line of (await readFile(expected, "utf8")).split("\n").filter((line) => line.startsWith("  - "))) {
      assert.match(line, /#/, `an expected failure has a reason: ${line}`);
    }
  });
}

test("the inspector lists and calls tools", async () => {
  const inspector = join(packages, "inspector/clients/launcher/build/index.js");
  const ask = async (...args) => {
    const server = [`${doorman.url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${key}`];
    const { code, out, text } = await said(process.execPath, [inspector, "--cli", ...server, ...args]);
    assert.equal(code, 0, text.slice(-3000));
    return JSON.parse(out);
  };
  // Strictly: schemas that other models' clients stumble over are errors too.
  const { tools } = await ask("--method", "tools/list", "--strict");
  assert.ok(tools.some((tool) => tool.name === "recall" && tool.outputSchema), JSON.stringify(tools).slice(0, 500));
  const made = await ask("--method", "tools/call", "--tool-name", "remember", "--tool-arg", "content=The inspector was here");
  assert.equal(made.structuredContent.created, true);
  const found = await ask("--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=who was here?");
  assert.ok(found.structuredContent.items.some((item) => item.memory_id === made.structuredContent.memory_id), JSON.stringify(found));
  const { prompts } = await ask("--method", "prompts/list");
  assert.equal(prompts.length, 2);
});

test("the Python SDK walks every tool over HTTP", () => walks("http", doorman.url, key, reviewer));
test("the Python SDK walks every tool over `cairn mcp`", () => walks("stdio", cairn, doorman.url, key));
test("`cairn mcp` starts without the server, and says that it is away", () => walks("away", cairn));

async function walks(...args) {
  const { code, text } = await said(python, [join(here, "mcp_client.py"), ...args]);
  assert.equal(code, 0, text.slice(-4000));
  console.log(text.trim());
}
