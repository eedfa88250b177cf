// A house with the demo in it, and people who are signed in.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Person } from "./browser.js";
import { House } from "./house.js";

export const PASSWORD = "seven stones in a row";
export const ADA = "ada@harbor.example";

/** Screenshots of every page, for people to look at; not kept in the repository. */
export const ARTEFACTS = resolve(process.env.CAIRN_SHOTS ?? join(import.meta.dirname, "artefacts"));
mkdirSync(ARTEFACTS, { recursive: true });

export async function openDemo() {
  const house = await House.open({ CAIRN_ADMIN_EMAIL: ADA, CAIRN_ADMIN_PASSWORD: PASSWORD, CAIRN_RATE_LIMIT: "off" }, ["--demo"]);
  await house.says(/sign in as/);
  return { house, rest: await house.signIn(ADA, PASSWORD) };
}

/** A house with one workspace, `coding`, and one agent in it, whose calls `says` makes. */
export async function openNew() {
  const house = await House.open({ CAIRN_ADMIN_EMAIL: ADA, CAIRN_ADMIN_PASSWORD: PASSWORD, CAIRN_RATE_LIMIT: "off" });
  const rest = await house.signIn(ADA, PASSWORD);
  await rest("POST", "/workspaces", { slug: "coding", name: "Coding", purpose: "What our coding agents know" });
  const agent = await rest("POST", "/workspaces/coding/agents", { name: "builder", role: "writer" });
  const says = house.caller((await rest("POST", `/workspaces/coding/agents/${agent.id}/keys`, {})).key);
  return { house, rest, says };
}

/** Somebody of the demo at a browser, signed in with the form. */
export async function signedIn(browser, house, email = ADA, looks = {}) {
  const person = await Person.at(browser, house, looks);
  await person.opens("/sign-in");
  await person.page.getByLabel("Email").fill(email);
  await person.page.getByLabel("Password").fill(PASSWORD);
  await person.presses("Sign in");
  return person;
}
