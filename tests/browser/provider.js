// A real OpenID provider on a free port, with people and groups of our own, and hands that can tamper with what it says.
import { createServer } from "node:http";
import * as jose from "jose";
import { Provider } from "oidc-provider";

const KEY = "the-provider's-key";

export class Issuer {
  /** `people`: by account id what the provider says of them. */
  static async open(people) {
    const issuer = new Issuer();
    issuer.people = people;
    const pair = () => jose.generateKeyPair("RS256", { extractable: true });
    [issuer.own, issuer.foreign] = await Promise.all([pair(), pair()]);
    issuer.server = createServer((request, response) => issuer.answer(request, response));
    await new Promise((ready) => issuer.server.listen(0, "127.0.0.1", ready));
    issuer.url = `http://127.0.0.1:${issuer.server.address().port}`;
    return issuer;
  }

  /** Knows the server that people come from. */
  async serve(redirect) {
    const jwk = { ...(await jose.exportJWK(this.own.privateKey)), kid: KEY, use: "sig", alg: "RS256" };
    const findAccount = (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...this.people[id] }) });
    this.provider = new Provider(this.url, {
      clients: [{ client_id: "cairn", client_secret: "a secret between the two", redirect_uris: [redirect] }],
      jwks: { keys: [jwk] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
      scopes: ["openid", "email", "profile", "groups"],
      conformIdTokenClaims: false,
      pkce: { required: () => true },
      cookies: { keys: ["x"] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
      findAccount,
    });
    this.provider.use(async (context, next) => {
      await next();
      if (context.path === "/token" && context.body?.id_token && this.tamper) {
        context.body = { ...context.body, id_token: await this.tamper(context.body.id_token) };
      }
    });
    this.callback = this.provider.callback();
  }

  async answer(request, response) {
    if (!this.callback) return response.writeHead(503).end();
    const uid = /^\/interaction\/(.+)$/.exec(request.url)?.[1];
    if (!uid) return this.callback(request, response);
    // Whoever comes is whom the test says; nobody is asked for a password here.
    const { prompt, params } = await this.provider.interactionDetails(request, response);
    if (this.visitor === null) {
      return this.provider.interactionFinished(request, response, { error: "access_denied", error_description: "not today" });
    }
    if (prompt.name === "login") return this.provider.interactionFinished(request, response, { login: { accountId: this.visitor } });
    const grant = new this.provider.Grant({ accountId: this.visitor, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    const consent = { grantId: await grant.save() };
    return this.provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  }

  /** The same token with other claims, signed by the provider's own key or by another. */
  async forge(token, claims, key = this.own.privateKey, header = { alg: "RS256", kid: KEY }) {
    return new jose.SignJWT({ ...jose.decodeJwt(token), ...claims }).setProtectedHeader(header).sign(key);
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }
}
