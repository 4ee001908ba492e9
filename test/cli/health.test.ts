/** `messaging-sim health` asks the server that the same options start. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { resolveServeUrl } from "../../src/config/serve.js";
import { CERTIFICATE, KEY } from "../config/pem.js";
import { filesFor } from "../support/folder.js";
import { start } from "./program.js";

const file = filesFor("health");

async function health(words: string[], env: Record<string, string> = {}) {
  const program = start(["health", ...words], env);
  const code = await program.exited;
  return { code, out: program.stdout(), err: program.stderr() };
}

const serve = async (words: string[], env: Record<string, string> = {}) => {
  const program = start(["serve", "--port", "0", ...words], env);
  const url = await program.url();
  return { url, port: new URL(url).port, program };
};

/** A server that answers everything with this. */
async function answering(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a server is well", () => {
  it("a server at another port is found by flags, environment, config file or --url", async () => {
    const { url, port } = await serve([]);
    const config = file("port.yaml", `port: ${port}\n`);
    for (const [words, env] of [
      [["--port", port], {}],
      [[], { MESSAGING_SIM_PORT: port }],
      [["--config", config], {}],
      [["--url", `${url}/`], {}],
      [["--port", port, "--host", "0.0.0.0"], { MESSAGING_SIM_PORT: "1" }],
    ] as [string[], Record<string, string>][]) {
      const { code, out, err } = await health(words, env);
      expect([words, code, err]).toEqual([words, 0, ""]);
      expect(out).toMatch(/^ok: messaging-sim \S+ at http:\/\/127\.0\.0\.1:\d+\n$/);
    }
  });

  it("a server with TLS and a control token is well", async () => {
    const tls = ["--tls-cert", file("cert.pem", CERTIFICATE), "--tls-key", file("key.pem", KEY)];
    const { port } = await serve([...tls, "--control-token", "secret"]);
    expect(await health([...tls, "--port", port])).toMatchObject({ code: 0, err: "" });
    expect((await health(["--port", port])).code).toBe(1);
  });

  it("where a process was started with its options", async () => {
    const dead = await answering(500, "");
    const { port, program } = await serve([]);
    program.child.kill("SIGKILL");
    await program.exited;
    const again = start(["serve", "--port", port, "--log-level", "error"]);
    await again.url();
    const pid = String(again.child.pid);
    expect(await health(["--pid", pid])).toMatchObject({ code: 0, err: "" });
    expect((await health(["--pid", String(process.pid), "--port", new URL(dead).port])).code).toBe(1);
  });
});

describe("it is not well", () => {
  it("the line that says so holds no password", async () => {
    const { code, err } = await health(["--url", "http://alice:PASSWORD1@127.0.0.1:9/?key=KEY1"]);
    expect([code, err]).toEqual([1, expect.stringContaining("http://***@127.0.0.1:9")]);
    expect(err).not.toMatch(/PASSWORD1|KEY1/);
  });

  it("where nothing listens, or something else answers", async () => {
    const { port, program } = await serve([]);
    program.child.kill("SIGKILL");
    await program.exited;
    const gone = await health(["--port", port]);
    expect([gone.code, gone.out, gone.err]).toEqual([1, "", expect.stringContaining("does not answer")]);
    for (const [status, body] of [
      [200, "hello"],
      [200, "{}"],
      [503, '{"status":"ok"}'],
      [200, "null"],
      [200, `"${"x".repeat(100_000)}"`],
    ] as const)
      expect((await health(["--url", await answering(status, body)])).code).toBe(1);
  });

  it("where it takes too long", async () => {
    const server = createServer(() => {});
    onTestFinished(() => void server.close().closeAllConnections());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { code } = await health(["--port", String((server.address() as AddressInfo).port)]);
    expect(code).toBe(1);
  });
});

it.each([
  [["--url", "nowhere"], "--url: must be an http or https URL"],
  [["--pid", "0"], "--pid: must be the number of a process"],
  [["--port", "0"], "--port: 0 is any free one"],
  [["--port", "x"], "--port"],
  [["--prot", "1"], "--prot"],
])("%j cannot be used", async (words, message) => {
  expect(await health(words)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(message) });
});

it.each([
  [[], "http://127.0.0.1:4020"],
  [["--host", "0.0.0.0"], "http://127.0.0.1:4020"],
  [["--host", "::"], "http://[::1]:4020"],
  [["--host", "[::1]", "--port", "1"], "http://[::1]:1"],
  [["--host", "sim"], "http://sim:4020"],
  [["--tls-cert", "a", "--tls-key", "b"], "https://127.0.0.1:4020"],
])("with %j serve is called by %s", async (argv, url) => {
  expect(await resolveServeUrl(argv, {}, () => Promise.reject(new Error("no file")))).toEqual({ url });
});
