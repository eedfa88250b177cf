// A house of our own: the built server on a free port with an empty data folder, and its REST door.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const target = process.env.CARGO_TARGET_DIR ?? resolve(import.meta.dirname, "../../target");
const program = process.env.CAIRN_SERVER_BIN ?? join(target, "debug/cairn-server");
const PATIENCE = 60_000;

export class House {
  /** Starts the server, with settings and flags of its own if need be, and waits until it is ready. */
  static async open(more = {}, flags = []) {
    const house = new House();
    house.folder = await mkdtemp(join(tmpdir(), "cairn-browser-"));
    const settings = { CAIRN_LISTEN: "127.0.0.1:0", CAIRN_DATA_DIR: house.folder, CAIRN_LOG: "info", NO_COLOR: "1", ...more };
    const { PATH, HOME, LANG } = process.env;
    house.server = spawn(program, ["serve", ...flags], { cwd: house.folder, env: { PATH, HOME, LANG, ...settings }, stdio: ["ignore", "pipe", "pipe"] });
    house.log = "";
    for (const stream of [house.server.stdout, house.server.stderr]) {
      stream.on("data", (text) => (house.log += text));
    }
    house.ended = new Promise((tell) => house.server.once("exit", tell));
    house.server.once("error", (error) => (house.log += `\n${error}`));
    // Whatever becomes of the tests, the server goes with them.
    process.once("exit", () => house.server.kill("SIGKILL"));
    try {
      house.url = (await house.says(/ready at (http:\S+)/))[1];
      if (!more.CAIRN_ADMIN_EMAIL) house.setUpLink = (await house.says(/open (http:\S+set-up\S+)/))[1];
    } catch (error) {
      await house.close();
      throw error;
    }
    return house;
  }

  async says(pattern) {
    const end = Date.now() + PATIENCE;
    while (Date.now() < end && this.server.exitCode === null) {
      const found = this.log.match(pattern);
      if (found) return found;
      await new Promise((next) => setTimeout(next, 50));
    }
    throw new Error(`the server ${program} never said ${pattern}:\n${this.log}`);
  }

  async close() {
    if (this.server.exitCode === null && this.server.pid) {
      this.server.kill("SIGTERM");
      const late = setTimeout(() => this.server.kill("SIGKILL"), 30_000);
      await this.ended;
      clearTimeout(late);
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Somebody who speaks REST with a token or a key. */
  caller(credential) {
    return async (method, path, body) => {
      const headers = { Authorization: `Bearer ${credential}` };
      if (body) headers["Content-Type"] = "application/json";
      const response = await fetch(`${this.url}/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text ? JSON.parse(text) : null;
    };
  }

  async signIn(email, password) {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`${this.url}/v1/auth/login`, { method: "POST", headers, body: JSON.stringify({ email, password }) });
    if (!response.ok) throw new Error(`sign-in of ${email}: ${response.status} ${await response.text()}`);
    return this.caller((await response.json()).access_token);
  }
}
