/** `node --import messaging-sim/intercept`: clients of others, unchanged, reach the simulator in place of their host. */
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, expect, it } from "vitest";
import { certificateFor } from "../../src/kernel/http/certificate.js";
import type { TlsFiles } from "../../src/kernel/http/server.js";
import { serverOf } from "../support/server.js";
import { createConsumer, shared } from "./consumer.js";

/** Calls `TARGET` by all clients or those that are named, in turn, and prints for each status and body, or the error. */
const PROGRAM = `
  import { request as named } from "node:https";
  import http from "node:http";
  import https from "node:https";
  import { text } from "node:stream/consumers";
  import axios from "axios";
  import got from "got";
  import * as undici from "undici";

  const { TARGET: url, PLAIN = url.replace("https:", "http:"), BODY: body, CLIENTS } = process.env;
  const method = body === undefined ? "GET" : "POST";
  const headers = { token: "acme-token", "content-type": "application/json" };
  const init = { method, headers, body };
  const over = (request) => async (address = url, options = {}) => {
    const call = request(address, { method, headers, ...options });
    call.end(body);
    const response = await new Promise((resolve, reject) => call.on("response", resolve).on("error", reject));
    return [response.statusCode, await text(response)];
  };
  const viaFetch = (fetch) => async () => {
    const answer = await fetch(url, init);
    return [answer.status, await answer.text()];
  };
  const viaAxios = (adapter) => async () => {
    const answer = await axios({ url, method, headers, data: body, adapter, responseType: "text", transformResponse: [] });
    return [answer.status, answer.data];
  };
  const clients = {
    fetch: viaFetch(fetch),
    "undici.fetch": viaFetch(undici.fetch),
    "undici.request": async () => {
      const answer = await undici.request(url, init);
      return [answer.statusCode, await answer.body.text()];
    },
    axios: viaAxios("http"),
    "axios over fetch": viaAxios("fetch"),
    got: async () => {
      const answer = await got(url, { method, headers, body, retry: { limit: 0 } });
      return [answer.statusCode, answer.body];
    },
    "node:https": over(https.request),
    "node:https by name": over(named),
    "node:https with an agent": () => over(https.request)(url, { agent: new https.Agent({ keepAlive: true }) }),
    "node:http": () => over(http.request)(PLAIN),
  };
  const told = {};
  for (const name of CLIENTS?.split(",") ?? Object.keys(clients))
    told[name] = await clients[name]().catch((error) => [error.name, error.message, error.cause?.message ?? error.code]);
  console.log(JSON.stringify(told));
  process.exit();
`;
/** Says a word, and another one when the first has come back. */
const CONVERSATION = `
  import https from "node:https";
  const call = https.request("https://api.example/echo", { method: "POST" });
  call.write("one ");
  let heard = "";
  call.on("response", async (response) => {
    for await (const piece of response) {
      heard += piece;
      if (heard === "one ") call.end("two");
    }
    console.log(heard);
  });
`;

/** Gives calls up that the simulator has not answered, which it then drops together with one more. */
const GIVEN_UP = `
  import got from "got";
  import https from "node:https";
  const url = "https://api.example/slow";
  await fetch(url, { signal: AbortSignal.timeout(100) }).catch(({ name }) => console.log(name));
  await got(url, { timeout: { request: 200 }, retry: { limit: 0 } }).catch(({ name }) => console.log(name));
  https.get("https://api.example/drop-all").on("error", ({ code, message }) => console.log(code, message));
`;

const STREAMS = `
  import { buffer } from "node:stream/consumers";
  import { request } from "undici";
  const MEGABYTE = new Uint8Array(1 << 20).fill(7);
  const many = async function* () {
    for (let count = 0; count < 8; count += 1) yield MEGABYTE;
  };
  const url = "https://api.example/echo";
  const fetched = await fetch(url, { method: "POST", body: ReadableStream.from(many()), duplex: "half" });
  const asked = await request(url, { method: "POST", body: many() });
  const read = [await fetched.arrayBuffer(), await asked.body.arrayBuffer()].map((body) => new Uint8Array(body));
  console.log(read.map((body) => body.length / MEGABYTE.length + " " + body.every((byte) => byte === 7)).join());
  process.exit();
`;

/** A server in the simulator's place, or a host that nobody asked to intercept; its origin. */
const answering = (answer: (request: IncomingMessage) => Promise<string>, tls?: TlsFiles): Promise<string> =>
  serverOf(async (request, response) => void response.end(await answer(request)), tls);

const told = async (request: IncomingMessage): Promise<string> => {
  const { method, url, headers } = request;
  const { token, "content-type": type } = headers;
  return JSON.stringify({ method, url, token, type, body: await text(request) });
};

const project = shared(() => createConsumer("axios@1.13.2", "got@14.6.5", "undici@7.30.2"));
beforeAll(() =>
  project().write({
    "app.mjs": PROGRAM,
    "conversation.mjs": CONVERSATION,
    "streams.mjs": STREAMS,
    "given-up.mjs": GIVEN_UP,
  }),
);

const HOST = { MESSAGING_SIM_INTERCEPT: "api.example" };
const preloaded = (env: Record<string, string>, ...args: string[]) =>
  project().nodeWith({ ...HOST, ...env }, "--import", "messaging-sim/intercept", ...args);
/** What each client is told. */
const calls = async (env: Record<string, string>) =>
  JSON.parse(await preloaded(env, "app.mjs")) as Record<string, string[]>;

const bodies = (told: Record<string, string[]>) =>
  Object.fromEntries(
    Object.entries(told).map(([client, [status, body = ""]]) => [client, [status, JSON.parse(body)]]),
  );
const byEach = <Value>(told: object, value: Value) => {
  expect(Object.keys(told)).toHaveLength(10);
  return Object.fromEntries(Object.keys(told).map((client) => [client, value]));
};

it("each client reaches the simulator with the same call", async () => {
  const MESSAGING_SIM_URL = await answering(told);
  const TARGET = "https://api.example//api/path?a=1&b=%20x";
  const seen = await calls({ MESSAGING_SIM_URL, TARGET, BODY: '{"text":"Grüße"}' });
  const headers = { token: "acme-token", type: "application/json" };
  const arrived = { method: "POST", url: "//api/path?a=1&b=%20x", ...headers, body: '{"text":"Grüße"}' };
  expect(bodies(seen)).toEqual(byEach(seen, [200, arrived]));
});

it("each client reaches other hosts as ever", async () => {
  const { authority, tls } = certificateFor(["127.0.0.1"], Date.now());
  await project().write({ "ca.pem": authority });
  const hosts = { TARGET: `${await answering(told, tls)}/path`, PLAIN: `${await answering(told)}/path` };
  const seen = await calls({
    ...hosts,
    BODY: "[1]",
    MESSAGING_SIM_URL: "http://127.0.0.1:9",
    NODE_EXTRA_CA_CERTS: join(project().folder, "ca.pem"),
  });
  expect(bodies(seen)).toMatchObject(byEach(seen, [200, { method: "POST", url: "/path", body: "[1]" }]));
});

it("messaging-sim/intercept streams both ways", async () => {
  const MESSAGING_SIM_URL = await serverOf((request, response) => request.pipe(response));
  expect(await preloaded({ MESSAGING_SIM_URL }, "conversation.mjs")).toBe("one two\n");
  expect(await preloaded({ MESSAGING_SIM_URL }, "streams.mjs")).toBe("8 true,8 true\n");
});

it("messaging-sim/intercept is for threads, and by NODE_OPTIONS for processes that a program starts", async () => {
  const MESSAGING_SIM_URL = await answering(async () => "simulated");
  const fetches = `fetch("https://api.example/").then((answer) => answer.text()).then(console.log)`;
  await project().write({
    "fetches.mjs": fetches,
    "thread.mjs": `import { Worker } from "node:worker_threads"; new Worker("./fetches.mjs");`,
    "process.mjs": `import { fork } from "node:child_process"; fork("./fetches.mjs", { execArgv: [] });`,
  });
  expect(await preloaded({ MESSAGING_SIM_URL }, "thread.mjs")).toBe("simulated\n");
  const env = { ...HOST, MESSAGING_SIM_URL, NODE_OPTIONS: "--import messaging-sim/intercept" };
  expect(await project().nodeWith(env, "process.mjs")).toBe("simulated\n");
});

it("messaging-sim/intercept lets programs give calls up, and tells what the simulator did", async () => {
  const pending: IncomingMessage[] = [];
  const MESSAGING_SIM_URL = await answering((request) => {
    pending.push(request);
    if (request.url === "/drop-all") for (const each of pending) each.destroy();
    return new Promise<string>(() => {});
  });
  const printed = "TimeoutError\nTimeoutError\nECONNRESET socket hang up\n";
  expect(await preloaded({ MESSAGING_SIM_URL }, "given-up.mjs")).toBe(printed);
});

it("messaging-sim/intercept takes several hosts, and those with a port on that port alone", async () => {
  const MESSAGING_SIM_URL = await answering(async () => "simulated");
  const other = await answering(async () => "other");
  const env = { MESSAGING_SIM_URL, MESSAGING_SIM_INTERCEPT: "API.example:8443, other.example,127.0.0.1:1" };
  const by = async (client: string, TARGET: string) =>
    (await calls({ ...env, TARGET, CLIENTS: client }))[client];
  expect(await by("node:https", "https://api.example:8443/")).toEqual([200, "simulated"]);
  expect(await by("node:https", "https://other.example:99/")).toEqual([200, "simulated"]);
  expect(await by("node:http", "http://127.0.0.1:1/")).toEqual([200, "simulated"]);
  expect(await by("node:http", other)).toEqual([200, "other"]);
});

it.each([
  [{ MESSAGING_SIM_INTERCEPT: "" }, "MESSAGING_SIM_INTERCEPT lists no host"],
  [
    { MESSAGING_SIM_INTERCEPT: "https://api.example" },
    'MESSAGING_SIM_INTERCEPT must list hosts .* "https://api.example"',
  ],
  [{ MESSAGING_SIM_INTERCEPT: "a,b:99999" }, 'MESSAGING_SIM_INTERCEPT must list hosts .* "b:99999"'],
  [{ MESSAGING_SIM_URL: "ftp://localhost" }, 'MESSAGING_SIM_URL must be an address .* "ftp://localhost"'],
])("messaging-sim/intercept refuses %j before the program begins", async (env, line) => {
  const failed = await preloaded(env, "--eval", "console.log('began')").catch((error) => error);
  expect(failed).toMatchObject({ code: 2, stdout: "" });
  expect(failed.stderr).toMatch(new RegExp(`^messaging-sim/intercept: ${line}.*\\n$`));
});
