// Single sign-on against a real provider: who comes in, as what, and who does not.
import { strict as assert } from "node:assert";
import { after, before, beforeEach, test } from "node:test";
import { House } from "./house.js";
import { Issuer } from "./provider.js";

const ADA = { email: "ada@example.org", password: "seven stones in a row" };
const PEOPLE = {
  grace: { email: "grace@example.org", email_verified: true, name: "Grace Hopper", groups: ["developers"] },
  linus: { email: "linus@example.org", email_verified: true, name: "Linus Outsider", groups: [] },
  impostor: { email: ADA.email, email_verified: false, name: "Not Ada", groups: ["leads"] },
  ada: { email: ADA.email, email_verified: true, name: "Ada", groups: ["leads"] },
};

let house, issuer, rest;

before(async () => {
  issuer = await Issuer.open(structuredClone(PEOPLE));
  house = await House.open({
    CAIRN_ADMIN_EMAIL: ADA.email,
    CAIRN_ADMIN_PASSWORD: ADA.password,
    CAIRN_OIDC_ISSUER: issuer.url,
    CAIRN_OIDC_CLIENT_ID: "cairn",
    CAIRN_OIDC_CLIENT_SECRET: "a secret between the two",
    CAIRN_OIDC_ROLE_MAP: "developers=coding:writer, leads=coding:reviewer, leads=support:reader",
  });
  rest = await house.signIn(ADA.email, ADA.password);
  for (const slug of ["coding", "support"]) await rest("POST", "/workspaces", { slug, name: slug, purpose: "" });
});

after(async () => {
  await house?.close();
  await issuer?.close();
});

beforeEach(() => {
  issuer.people = structuredClone(PEOPLE);
  issuer.tamper = undefined;
});

/** Somebody's browser, as far as redirects and cookies go. */
class Traveller {
  jars = new Map();

  async goes(url) {
    const origin = new URL(url).origin;
    const jar = this.jars.get(origin) ?? this.jars.set(origin, new Map()).get(origin);
    const headers = { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "), Accept: "text/html" };
    const response = await fetch(url, { headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(";")[0].split(/=(.*)/s);
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    const to = response.headers.get("location");
    return { status: response.status, text: await response.text(), next: to && new URL(to, url).href };
  }

  /** Follows where it is sent, until a page or until `stop` says so. */
  async follows(url, stop = () => false) {
    for (let hops = 0; hops < 20; hops++) {
      if (stop(url)) return { url };
      const came = await this.goes(url);
      if (!came.next) return { ...came, url };
      url = came.next;
    }
    throw new Error(`sent round in circles at ${url}`);
  }
}

const back = (url) => url.includes("/sign-in/sso/back");

/** Signs in as an account of the provider. */
async function comes(account, traveller = new Traveller()) {
  issuer.visitor = account;
  return { traveller, ...(await traveller.follows(`${house.url}/sign-in/sso`)) };
}

const member = async (email, workspace = "coding") => (await rest("GET", `/workspaces/${workspace}/members`)).data.find((one) => one.email === email);
const entries = async (action) => (await rest("GET", `/audit?action=${action}`)).data;

test("the server starts while the provider is away, and says that it is", async () => {
  const { text } = await new Traveller().follows(`${house.url}/sign-in/sso`);
  assert.match(text, /does not answer/);
  assert.match((await new Traveller().goes(`${house.url}/sign-in`)).text, /Sign in with/);
  await issuer.serve(`${house.url}/sign-in/sso/back`);
});

test("the first sign-in makes the person, and a group decides what they are", async () => {
  const { url, status, traveller } = await comes("grace");
  assert.deepEqual([status, new URL(url).pathname.split("/").slice(0, 3).join("/")], [200, "/w/coding"]);
  assert.equal((await member("grace@example.org")).role, "writer");
  assert.equal(await member("grace@example.org", "support"), undefined);
  assert.match((await traveller.goes(`${house.url}/account`)).text, /single sign-on/);
  const [entry] = await entries("person.signed_in");
  assert.equal(entry.details.by, "single_sign_on");
  assert.equal((await entries("person.linked")).length, 1);
  await comes("grace");
  assert.equal((await entries("person.linked")).length, 1, "the second time she is known");
});

test("who wanted to go somewhere goes there", async () => {
  issuer.visitor = "grace";
  const { url } = await new Traveller().follows(`${house.url}/sign-in/sso?next=/w/coding/memories%3Fkind%3Dfact`);
  assert.equal(url, `${house.url}/w/coding/memories?kind=fact`);
  for (const evil of ["https://evil.example/", "//evil.example/"]) {
    const { url } = await new Traveller().follows(`${house.url}/sign-in/sso?next=${encodeURIComponent(evil)}`);
    assert.equal(new URL(url).origin, house.url);
  }
});

test("another group is another role, and no group is none", async () => {
  issuer.people.grace.groups = ["developers", "leads"];
  await comes("grace");
  assert.equal((await member("grace@example.org")).role, "reviewer");
  assert.equal((await member("grace@example.org", "support")).role, "reader");
  issuer.people.grace.groups = [];
  await comes("grace");
  assert.equal(await member("grace@example.org"), undefined);
  assert.equal(await member("grace@example.org", "support"), undefined);
  issuer.people.grace.groups = ["developers"];
  await comes("grace");
  assert.equal((await member("grace@example.org")).role, "writer");
});

test("what an admin gave stays, whatever the groups say", async () => {
  const { text } = await comes("linus");
  assert.match(text, /You are in no workspace yet/);
  await rest("POST", "/workspaces/coding/members", { email: "linus@example.org", role: "auditor" });
  await comes("linus");
  assert.equal((await member("linus@example.org")).role, "auditor");
});

test("an address links only when the provider says that it is theirs", async () => {
  const { text } = await comes("impostor");
  assert.match(text, /does not say that your e-mail address is yours/);
  const { url } = await comes("ada");
  assert.equal(new URL(url).origin, house.url);
  assert.equal((await rest("GET", "/users")).data.filter((one) => one.email === ADA.email).length, 1, "it is the same Ada");
  assert.equal((await member(ADA.email)).role, "admin", "who was admin by hand stays it");
});

const FORGED = {
  "signed by another key": (token) => issuer.forge(token, {}, issuer.foreign.privateKey),
  "signed by nobody": (token) => {
    const [, claims] = token.split(".");
    return `${Buffer.from('{"alg":"none"}').toString("base64url")}.${claims}.`;
  },
  "signed with the client's secret by a stranger": (token) => issuer.forge(token, { sub: "ada" }, Buffer.from("guessed"), { alg: "HS256" }),
  "that has run out": (token) => issuer.forge(token, { exp: 1_500_000_000, iat: 1_499_999_000 }),
  "for another client": (token) => issuer.forge(token, { aud: "another" }),
  "of another provider": (token) => issuer.forge(token, { iss: "https://elsewhere.example" }),
  "of another journey": (token) => issuer.forge(token, { nonce: "another" }),
  "changed on the way": (token) => {
    const [header, claims, signature] = token.split(".");
    const other = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(claims, "base64url")), sub: "ada" })).toString("base64url");
    return [header, other, signature].join(".");
  },
};

for (const [what, tamper] of Object.entries(FORGED)) {
  test(`a token ${what} lets nobody in`, async () => {
    const before = (await entries("person.sign_in_failed")).length;
    issuer.tamper = tamper;
    const { text, traveller } = await comes("grace");
    assert.match(text, /does not hold, and you were not let in/);
    assert.match((await traveller.follows(`${house.url}/account`)).url, /\/sign-in/);
    assert.equal((await entries("person.sign_in_failed")).length, before + 1, "and it is written down");
  });
}

test("a way back that was not begun here, or twice, leads nowhere", async () => {
  issuer.visitor = "grace";
  const traveller = new Traveller();
  const { url } = await traveller.follows(`${house.url}/sign-in/sso`, back);
  const stranger = await new Traveller().follows(url);
  assert.match(stranger.text, /was not begun in this browser/);
  const other = url.replace(/state=[^&]+/, "state=another");
  const wrong = await Object.assign(new Traveller(), { jars: structuredClone(traveller.jars) }).follows(other);
  assert.match(wrong.text, /was not begun in this browser/);

  const copied = Object.assign(new Traveller(), { jars: structuredClone(traveller.jars) });
  assert.equal(new URL((await traveller.follows(url)).url).pathname.startsWith("/w/coding"), true);
  const again = await traveller.follows(url);
  assert.match(again.url, /\/w\/|\/workspaces|\/sign-in/);
  const replayed = await copied.follows(url);
  assert.match(replayed.text, /was used already, or is too old/, "the provider takes a code once");
});

test("who is refused there is told so here", async () => {
  issuer.visitor = null;
  const { text } = await new Traveller().follows(`${house.url}/sign-in/sso`);
  assert.match(text, /did not let you in: not today/);
});

test("who is deleted here comes back as somebody new", async () => {
  const known = (await rest("GET", "/users")).data.find((one) => one.email === "grace@example.org");
  await rest("DELETE", `/users/${known.id}`);
  await comes("grace");
  const fresh = (await rest("GET", "/users")).data.find((one) => one.email === "grace@example.org");
  assert.notEqual(fresh.id, known.id);
  assert.equal((await member("grace@example.org")).role, "writer");
});
