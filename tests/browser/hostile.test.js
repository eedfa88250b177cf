// Texts that want to become markup: in contents, names, paths, tags, questions and file names, on every page.
import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import * as chromium from "./browser.js";
import { Person } from "./browser.js";
import { openDemo, signedIn } from "./demo.js";
import { pages } from "./pages.js";
import { PAYLOADS } from "./payloads.js";

let house, rest, browser, ada, says, frames;
const SLUG = "hostile";

before(async () => {
  ({ house, rest } = await openDemo());
  browser = await chromium.open();
  ada = await signedIn(browser, house);
  frames = await harmlessFrames();
});

after(async () => {
  await browser?.close();
  await house?.close();
});

/** Of what a page consists: body's own children, and how many of those that there is one of. */
const shape = () => ({
  dress: document.body.className.replace(/ ?hued hue-\d+/, ""),
  frame: [...document.body.children].map((one) => `${one.localName}#${one.id}`).join(" "),
  mains: document.querySelectorAll("main").length,
  headers: document.querySelectorAll("body > header").length,
});

/** The shape of each sort of page where nobody means harm: by what its body wears. */
async function harmlessFrames() {
  const frames = {};
  for (const path of ["/w/coding/overview", "/account", "/workspaces", "/w/nowhere/memories", "/docs/problems"]) {
    await ada.opens(path);
    const { dress, ...seen } = await ada.page.evaluate(shape);
    assert.equal(seen.mains, 1, path);
    frames[dress] = seen;
  }
  ada.expect(404);
  return frames;
}

/** What the API refuses, it refuses; what it takes, the pages have to show. */
async function tries(method, path, body, by = says) {
  try {
    return await by(method, `/workspaces/${SLUG}/${path}`, body);
  } catch (error) {
    assert.match(String(error), /: (400|409|413|422) /);
    return null;
  }
}

/** Without what cannot stand in a line of text. */
const line = (text) => text.replace(/[\n\r\t\v\u2028]/g, " ").trim();

test("hostile texts move in", async () => {
  assert(PAYLOADS.length >= 100);
  await rest("POST", "/workspaces", { slug: SLUG, name: PAYLOADS[0], purpose: PAYLOADS[4] });
  const agent = await rest("POST", `/workspaces/${SLUG}/agents`, { name: line(PAYLOADS[54]).slice(0, 80), role: "writer" });
  const { key } = await rest("POST", `/workspaces/${SLUG}/agents/${agent.id}/keys`, {});
  says = house.caller(key);
  let taken = 0;
  for (const [n, payload] of PAYLOADS.entries()) {
    const kind = ["fact", "decision", "pattern", "discovery"][n % 4];
    const full = { kind, title: line(payload).slice(0, 200), content: `${payload}\n\n${n}`, tags: [line(payload).slice(0, 60)], project: line(payload).slice(0, 60), path: `/${n}/${line(payload).slice(0, 80)}.md`, source: { type: "file", ref: payload, excerpt: payload }, anchors: [{ path: line(payload).slice(0, 100), symbol: line(payload).slice(0, 60) }], on_conflict: "propose" };
    // Some fields are refused for some of them; the content is never.
    const made = (await tries("POST", "memories", full)) ?? (await tries("POST", "memories", { ...full, path: undefined, anchors: undefined })) ?? (await tries("POST", "memories", { kind, title: `x ${n}`, content: full.content, on_conflict: "propose" }));
    if (made) taken += 1;
  }
  assert(taken >= 100, `only ${taken} were taken`);
  const fingerprint = "0123456789abcdef";
  const files = new Map();
  for (const payload of PAYLOADS) {
    const path = line(payload).slice(0, 100);
    const symbol = { name: line(payload).slice(0, 60), kind: line(payload).slice(0, 40), signature_hash: fingerprint, body_hash: fingerprint, start_line: 1, end_line: 2 };
    const file = { path, sha256: fingerprint, symbols: [symbol] };
    // A path that the API refuses alone would take all the others with it.
    if (!files.has(path) && (await tries("POST", "code/snapshots", { repo: "trial", branch: "main", commit: "c0", files: [file] }))) files.set(path, file);
  }
  assert(files.size >= 60, `only ${files.size} files were taken`);
  for (const [n, branch] of ["main", line(PAYLOADS[3]), line(PAYLOADS[12])].entries()) {
    await tries("POST", "code/snapshots", { repo: "hostile", branch, commit: `c${n}`, complete: true, files: [...files.values()] });
  }
  const session = await tries("POST", "sessions", { agent_tool: line(PAYLOADS[1]), task: "task", project: line(PAYLOADS[2]).slice(0, 60), branch: line(PAYLOADS[3]), cwd: line(PAYLOADS[5]) });
  const at = new Date().toISOString();
  for (const payload of PAYLOADS) {
    await tries("POST", `sessions/${session.id}/events`, { events: [{ type: "file_edit", at, path: line(payload) }, { type: "command", at, command: payload, output: payload, exit_code: 1 }, { type: "prompt", at, text: payload }] });
  }
  for (const payload of PAYLOADS) await tries("POST", "recall", { query: payload, session_id: session.id });
  await tries("POST", `sessions/${session.id}/checkpoints`, { progress: PAYLOADS.slice(0, 20).map((item) => ({ item: line(item), status: "pending" })), next_step: PAYLOADS[0], discoveries: [PAYLOADS[7]] });
  await tries("POST", "tasks", { key: "other", title: PAYLOADS[20], project: "p" });
  await tries("POST", `sessions/${session.id}/end`, { summary: PAYLOADS[10] });
  const [memory] = (await rest("GET", `/workspaces/${SLUG}/memories`)).data;
  await tries("POST", "deletion-requests", { memory_ids: [memory.id], reason: PAYLOADS[33] });
  await rest("POST", `/workspaces/${SLUG}/holds`, { subject: "x", reason: PAYLOADS[34] }).catch(() => null);
  let named = 0;
  for (const [n, payload] of PAYLOADS.entries()) {
    const person = { email: `p${n}@hostile.example`, name: line(payload).slice(0, 200), role: ["reader", "auditor", "reviewer"][n % 3] };
    if (await tries("POST", "members", person, rest)) named += 1;
  }
  assert(named >= 60, `only ${named} people were let in`);
});

async function harmless(person, path, status = 200) {
  assert.equal(await person.opens(path), status, path);
  await person.isWell(path);
  const { dress, ...seen } = await person.page.evaluate(shape);
  assert(Object.hasOwn(frames, dress), `${path} wears “${dress}”`);
  assert.deepEqual(seen, frames[dress], path);
  const found = await person.page.evaluate(() => ({
    ran: "ran" in window,
    foreign: document.querySelectorAll("main img, main iframe, main object, main embed, main style, main script, main form[action^='javascript'], main a[href^='javascript' i], main [onerror], main [onload]").length,
    covering: [...document.querySelectorAll("main, main *")].filter((one) => getComputedStyle(one).position === "fixed").length,
  }));
  assert.deepEqual(found, { ran: false, foreign: 0, covering: 0 }, path);
}

/** A list, and a few pages on. */
async function harmlessList(person, path) {
  for (let page = 0, next = path; next && page < 6; page += 1) {
    await harmless(person, next);
    const link = person.page.locator("a[rel=next]");
    next = (await link.count()) > 0 ? await link.getAttribute("href") : null;
  }
}

test("none of them runs or breaks a page", async () => {
  const person = await Person.at(browser, house, { storageState: await ada.context.storageState() });
  person.expect(404);
  const { nowhere, ...all } = await pages(rest, SLUG);
  await harmless(person, nowhere, 404);
  for (const path of [...Object.values(all), `/w/${SLUG}/tasks/task`]) await harmless(person, path);
  let cursor = "";
  for (let page = 0; page < 6 && cursor !== null; page += 1) {
    const list = await rest("GET", `/workspaces/${SLUG}/memories?limit=50${cursor && `&cursor=${cursor}`}`);
    await harmless(person, `/w/${SLUG}/memories${cursor && `?cursor=${cursor}`}`);
    for (const memory of list.data) await harmless(person, `/w/${SLUG}/memories/${memory.id}`);
    cursor = list.next_cursor;
  }
  const heads = (await rest("GET", `/workspaces/${SLUG}/code/snapshots`)).data.filter((head) => head.repo === "hostile");
  assert(heads.length >= 2, JSON.stringify(heads));
  for (const { branch } of heads) await harmless(person, `/w/${SLUG}/code?repo=hostile&branch=${encodeURIComponent(branch)}`);
  await person.opens(`/w/${SLUG}/code?repo=hostile`);
  const opened = await person.page.locator(".files a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  assert(opened.length >= 50, `only ${opened.length} in the tree`);
  for (const href of opened) await harmless(person, href);
  const [session] = (await rest("GET", `/workspaces/${SLUG}/sessions`)).data;
  for (const list of [`/w/${SLUG}/sessions/${session.id}`, `/w/${SLUG}/members`, "/instance/people"]) await harmlessList(person, list);
  await person.context.close();
});

test("a question and a filter stay words in every field", async () => {
  const person = await Person.at(browser, house, { storageState: await ada.context.storageState() });
  person.expect(404);
  for (const payload of PAYLOADS) {
    const said = encodeURIComponent(payload.slice(0, 1500));
    await harmless(person, `/w/${SLUG}/search?q=${said}&project=${said}&tag=${said}`);
    await harmless(person, `/w/${SLUG}/memories?q=${said}&tag=${said}&path_prefix=${said}&kind=${said}`);
  }
  for (const payload of PAYLOADS.slice(0, 40)) {
    const said = encodeURIComponent(payload);
    await harmless(person, `/w/${SLUG}/trail?action=${said}&target=${said}&from=${said}`);
    await harmless(person, `/w/${SLUG}/receipts?memory_id=${said}&session_id=${said}`);
    await harmless(person, `/w/${SLUG}/sessions?project=${said}&task=${said}`);
    await harmless(person, `/w/${SLUG}/decisions?project=${said}&state=${said}`);
    await harmless(person, `/w/${SLUG}/tasks/${said}`, 404);
    await harmless(person, `/w/${SLUG}/code?repo=${said}&branch=${said}&path=${said}&symbol=${said}`);
    await harmless(person, `/w/${SLUG}/code?repo=hostile&path=${said}&symbol=${said}&from=${said}`);
    await harmless(person, `/w/${SLUG}/code/review?repo=${said}&order=${said}&cursor=${said}`);
  }
  await person.context.close();
});
