/** `messaging-sim health` asks the server that the same options start. */
import { expect, it } from "vitest";
import { CERTIFICATE, KEY } from "../config/pem.js";
import { filesFor } from "../support/folder.js";
import { serverOf } from "../support/server.js";
import { run, serve } from "./terminal.js";

const file = filesFor("health");
const health = (words: string[], env: Record<string, string> = {}) => run(["health", ...words], env);
const portOf = (url: string) => new URL(url).port;

it("a server is well at another port that flags, environment, config file or --url tell", async () => {
  const { url } = await serve([]);
  const port = portOf(url);
  for (const [words, env] of [
    [["--port", port], {}],
    [[], { MESSAGING_SIM_PORT: port }],
    [["--config", file("port.yaml", `port: ${port}\n`)], {}],
    [["--url", `${url}/`], {}],
    [["--port", port, "--host", "0.0.0.0"], { MESSAGING_SIM_PORT: "1" }],
  ] as [string[], Record<string, string>][]) {
    const out = expect.stringMatching(/^ok: messaging-sim \S+ at http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(await health(words, env), words.join(" ")).toEqual({ code: 0, out, err: "" });
  }
});

it("a server is well with TLS and a control token", async () => {
  const tls = ["--tls-cert", file("cert.pem", CERTIFICATE), "--tls-key", file("key.pem", KEY)];
  const { url } = await serve([...tls, "--control-token", "secret"]);
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(await health([...tls, "--port", portOf(url)])).toMatchObject({ code: 0, err: "" });
  expect((await health(["--port", portOf(url)])).code).toBe(1);
});

it("is told of in one line, whatever the server answers", async () => {
  const store = { failure: "full\nok: \u001b[31mfake" };
  const url = await serverOf((_request, response) => {
    response.end(JSON.stringify({ status: "degraded", version: "1\u001b[2J\u202e\n", store }));
  });
  const why = "(changes cannot be saved: full\\u000aok: \\u001b[31mfake)";
  const out = `degraded: messaging-sim 1\\u001b[2J\\u202e\\u000a at ${url} ${why}\n`;
  expect(await health(["--url", url])).toMatchObject({ code: 0, out, err: "" });
});

it("a server is not well where nothing listens, in a line that holds no password", async () => {
  const { code, out, err } = await health(["--url", "http://alice:PASSWORD1@127.0.0.1:9/?key=KEY1"]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/http:\/\/alice:••••D1@127\.0\.0\.1:9.* does not respond/);
  expect(err).not.toMatch(/PASSWORD1|KEY1/);
});

it.each([
  [200, "hello"],
  [200, "{}"],
  [503, '{"status":"ok"}'],
  [200, "null"],
  [200, `"${"x".repeat(100_000)}"`],
  // It takes too long.
  [undefined, ""],
] as const)("a server is not well where something else answers: %s %.20s", async (status, body) => {
  const url = await serverOf((_request, response) => {
    if (status !== undefined) response.writeHead(status).end(body);
  });
  expect((await health(["--url", url])).code).toBe(1);
});
