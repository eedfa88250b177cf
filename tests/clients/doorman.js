// Stands before the server and shows an agent's key for clients that cannot show one. Everything else goes through as it came.
import { createServer, request } from "node:http";

export class Doorman {
  /** Listens on a port of its own, before the server that it will stand in front of. */
  static async open() {
    const doorman = new Doorman();
    doorman.server = createServer((asked, answer) => doorman.forward(asked, answer));
    doorman.url = `http://127.0.0.1:${await listening(doorman.server)}`;
    // The server gets a port that was free a moment ago.
    const scout = createServer();
    doorman.port = await listening(scout);
    await new Promise((next) => scout.close(next));
    return doorman;
  }

  forward(asked, answer) {
    const headers = { ...asked.headers };
    if (this.key && asked.url === "/mcp" && !headers.authorization) headers.authorization = `Bearer ${this.key}`;
    const to = { host: "127.0.0.1", port: this.port, method: asked.method, path: asked.url, headers };
    const sent = request(to, (told) => {
      answer.writeHead(told.statusCode, told.headers);
      told.pipe(answer);
    });
    sent.on("error", () => answer.writeHead(502).end());
    asked.pipe(sent);
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((next) => this.server.close(next));
  }
}

function listening(server) {
  return new Promise((next) => server.listen(0, "127.0.0.1", () => next(server.address().port)));
}
