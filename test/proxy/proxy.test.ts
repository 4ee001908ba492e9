import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import {
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
} from "node:http";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { certificateFor } from "../../src/kernel/http/certificate.js";
import { wallNow } from "../../src/kernel/realtime.js";
import type { Har, HarEntry } from "../../src/lab/proxy/har.js";
import { begin, refused, run } from "../cli/terminal.js";
import { talk } from "../hostile/raw.js";
import { filesFor } from "../support/folder.js";
import { serverOf } from "../support/server.js";
import { until } from "../support/until.js";

const fileFor = filesFor("proxy");
const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};
const sorted = (raw: readonly string[]) =>
  Array.from({ length: raw.length / 2 }, (_, at) => `${raw[2 * at]}: ${raw[2 * at + 1]}`).sort();

/** Headers as Node takes them, each name before its value. */
const raw = (...lines: readonly string[]) => lines.flatMap((line) => line.split(": "));

let files = 0;
let running: { readonly stop: () => Promise<number> } | undefined;
/** Starts the command in this process, at a free port; it is over when the test is. */
async function startProxy(to: string, ...more: string[]) {
  const out = fileFor(`session-${(files += 1)}.har`, "");
  // A signal reaches all proxies of this process.
  await running?.stop();
  const { exited, ...command } = begin(["proxy", "--to", to, "--out", out, "--port", "0", ...more]);
  const ready = /^messaging-sim proxy ready at (http:\S+)\n/;
  await command.printed(ready);
  const [, url = ""] = ready.exec(command.out()) ?? [];
  let isOver = false;
  const stop = async () => {
    if (!isOver) process.emit("SIGTERM");
    isOver = true;
    return exited;
  };
  onTestFinished(async () => void (await stop()));
  const entries = (): readonly HarEntry[] => (JSON.parse(readFileSync(out, "utf8")) as Har).log.entries;
  const recorded = async (count: number) => {
    await until(() => entries().length >= count);
    return entries();
  };
  running = { stop };
  return { ...command, url, file: out, stop, entries, recorded };
}

/** What a service saw of a call. */
function serviceOf(listener: RequestListener) {
  const seen: { method?: string | undefined; url?: string | undefined; headers: string[]; body: Buffer }[] =
    [];
  const origin = serverOf(async (request, response) => {
    const { method, url, rawHeaders } = request;
    seen.push({ method, url, headers: sorted(rawHeaders), body: await bodyOf(request) });
    listener(request, response);
  });
  return { seen, origin };
}

const get = (url: string, options: RequestOptions = {}, body?: Buffer | string) =>
  new Promise<IncomingMessage & { whole: Buffer }>((resolve, reject) => {
    const request = httpRequest(url, options, async (response) =>
      resolve(Object.assign(response, { whole: await bodyOf(response) })),
    );
    request.on("error", reject).end(body);
  });

describe("a call through the proxy", () => {
  test("goes on and comes back unchanged, but for hop-by-hop headers and Host", async () => {
    const bytes = gzipSync(JSON.stringify({ note: "packed" }));
    const back = ["Content-Encoding: gzip", "Set-Cookie: s=1", "Set-Cookie: t=2", "X-A: 1", "x-a: 2"];
    const { seen, origin } = serviceOf((_, response) =>
      response.writeHead(299, "Fine", raw("Content-Type: application/json", ...back)).end(bytes),
    );
    const proxy = await startProxy(await origin);
    const kept = ["token: k3y-of-mine", "X-Odd: a", "x-ODD: b", "Content-Length: 9"];
    const headers = raw("Host: elsewhere.example", ...kept, "Connection: keep-alive, x-hop", "X-Hop: 1");
    const target = "/api//x/../y?b=%7e&a=1&a=&c";
    const body = '{ "a":1 }';
    const answer = await get(proxy.url, { path: target, method: "PUT", headers: headers as never }, body);
    expect({ status: answer.statusCode, text: answer.statusMessage }).toEqual({ status: 299, text: "Fine" });
    expect(answer.whole).toEqual(bytes);
    expect(sorted(answer.rawHeaders)).toEqual(expect.arrayContaining(back));
    const own = [`Host: ${new URL(await origin).host}`, "Connection: keep-alive"];
    expect(seen).toEqual([
      { method: "PUT", url: target, headers: [...kept, ...own].sort(), body: Buffer.from(body) },
    ]);
    const [entry] = await proxy.recorded(1);
    const content = { text: '{"note":"packed"}' };
    expect(entry).toMatchObject({
      _direction: "call",
      request: { method: "PUT", url: `${await origin}${target}`, postData: { text: body } },
      response: { status: 299, statusText: "Fine", content, bodySize: bytes.length },
    });
    expect(await proxy.stop()).toBe(0);
    expect(statSync(proxy.file).mode & 0o777).toBe(0o600);
    expect(readFileSync(proxy.file, "utf8")).not.toContain("k3y-of-mine");
  });

  test("streams both ways, and a body beyond 10 MiB passes and is not recorded", async () => {
    const chunk = Buffer.alloc(1024 * 1024, "x");
    const origin = await serverOf((request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      request.pipe(response);
    });
    const proxy = await startProxy(origin);
    const request = httpRequest(proxy.url, { method: "POST" });
    let back = 0;
    request.write(chunk);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const over = once(response, "end");
    response.on("data", (part: Buffer) => (back += part.length));
    await until(() => back === chunk.length);
    for (let count = 0; count < 11; count += 1) request.write(chunk);
    request.end();
    await over;
    expect(back).toBe(12 * chunk.length);
    const [entry] = await proxy.recorded(1);
    const comment = "not recorded: larger than 10 MiB";
    expect(entry?.request.postData).toEqual({ mimeType: "", comment });
    expect(entry?.response.content).toEqual({ size: 12 * chunk.length, mimeType: "text/plain", comment });
  });

  test("does not gather what a slow client leaves unread", async () => {
    const total = 64 * 1024 * 1024;
    let sent = 0;
    function* chunks() {
      for (; sent < total; sent += 65_536) yield Buffer.alloc(65_536);
    }
    const origin = await serverOf((_, response) => void Readable.from(chunks()).pipe(response));
    const proxy = await startProxy(origin);
    const [answer] = (await once(httpRequest(proxy.url).end(), "response")) as [IncomingMessage];
    let [before, stood] = [-1, 0];
    await until(() => {
      stood = sent === before ? stood + 1 : 0;
      before = sent;
      return stood > 10;
    });
    expect(sent).toBeLessThan(total / 2);
    answer.destroy();
    const [entry] = await proxy.recorded(1);
    expect(entry?.response._error).toBe("the client hung up");
  });

  test("waits for 100 Continue, and gets a refusal without sending its body", async () => {
    const proxy = await startProxy(
      await serverOf(async (request, response) => response.end(await bodyOf(request))),
    );
    for (const [expected, status, text] of [
      ["200-ok", 417, ""],
      ["100-continue", 200, "body"],
    ] as const) {
      const headers = { expect: expected, "content-length": 4 };
      const request = httpRequest(proxy.url, { method: "POST", headers });
      request.once("continue", () => request.end("body")).flushHeaders();
      const [answer] = (await once(request, "response")) as [IncomingMessage];
      expect([answer.statusCode, String(await bodyOf(answer))]).toEqual([status, text]);
      request.destroy();
    }
  });

  test("reuses connections on both sides", async () => {
    const ports = new Set<number | undefined>();
    const origin = await serverOf((request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    const proxy = await startProxy(origin);
    for (let call = 0; call < 5; call += 1) await (await fetch(proxy.url)).text();
    expect(ports.size).toBe(1);
  });

  test("goes on over a new connection where the service has closed the kept one meanwhile", async () => {
    const used = new Set<Socket>();
    const origin = await serverOf(({ socket }, response) => {
      if (used.has(socket)) socket.destroy();
      else response.end();
      used.add(socket);
    });
    const proxy = await startProxy(origin);
    for (let call = 0; call < 3; call += 1) expect((await fetch(proxy.url)).status).toBe(200);
    expect(used.size).toBe(3);
  });

  test("is answered 502 with the reason where the service does not answer, and recorded as such", async () => {
    const broken = await serverOf((request) => request.socket.destroy());
    const closed = "http://127.0.0.1:1";
    for (const [to, why] of [
      [broken, "the connection was closed"],
      [closed, "connection refused, nothing is listening there"],
    ] as const) {
      const proxy = await startProxy(to);
      const response = await fetch(proxy.url, { method: "POST", body: "{}" });
      const answer = { error: `the service does not respond: ${why}` };
      expect({ status: response.status, body: await response.json() }).toEqual({ status: 502, body: answer });
      const [entry] = await proxy.recorded(1);
      expect(entry?.response).toMatchObject({
        status: 502,
        _error: why,
        content: { text: JSON.stringify(answer) },
      });
    }
  });

  test("reaches a service with a certificate of an authority that --ca names, and no other", async () => {
    const { authority, tls } = certificateFor(["127.0.0.1"], wallNow());
    const origin = await serverOf((_, response) => response.end("safe"), tls);
    const trusting = await startProxy(origin, "--ca", fileFor("ca.pem", authority));
    expect(await (await fetch(trusting.url)).text()).toBe("safe");
    const [entry] = await trusting.recorded(1);
    expect(entry?.request.url).toBe(`${origin}/`);
    const other = await startProxy(origin);
    const refused = await fetch(other.url);
    expect([refused.status, await refused.text()]).toEqual([
      502,
      expect.stringContaining("--ca FILE trusts an authority"),
    ]);
  });

  test("is recorded without a body that cannot be read as text", async () => {
    const bodies: [string, Buffer, string | undefined][] = [
      ["br", brotliCompressSync("small"), undefined],
      ["gzip", gzipSync(Buffer.alloc(11 * 1024 * 1024)), "larger than 10 MiB"],
      ["gzip", Buffer.from("no gzip"), "it cannot be decoded"],
      ["compress", Buffer.from("old"), "its encoding is unknown"],
      ["identity", Buffer.from([0xff, 0xfe]), "not text in UTF-8"],
      ["identity", Buffer.from('{"email":"zoe@mail.example"}', "utf16le"), "not text in UTF-8"],
      ["identity", Buffer.from("[".repeat(1_000)), "nested too deeply"],
    ];
    let next = 0;
    const origin = await serverOf((_, response) => {
      const [encoding = "", body] = bodies[next++] ?? [];
      response.writeHead(200, { "content-encoding": encoding }).end(body);
    });
    const proxy = await startProxy(origin);
    for (const [, body] of bodies) expect((await get(proxy.url)).whole).toEqual(body);
    await proxy.stop();
    const contents = proxy.entries().map(({ response }) => response.content);
    expect(contents.map(({ comment }) => comment?.replace("not recorded: ", ""))).toEqual(
      bodies.map(([, , why]) => why),
    );
    expect(contents[0]?.text).toBe("small");
  });
});

describe("a delivery through the proxy", () => {
  test("goes to the webhook, path and query appended, and is recorded as a delivery", async () => {
    const { seen, origin } = serviceOf((_, response) => response.writeHead(204).end());
    const proxy = await startProxy("http://127.0.0.1:1", "--bot", `${await origin}/hook?own=1`);
    const send = (path: string) =>
      fetch(`${proxy.url}${path}`, { method: "POST", body: '{"eventType":"message"}' });
    for (const path of ["/__proxy/bot", "/__proxy/bot/a?b=2", "/__proxy/bot?c"])
      expect((await send(path)).status).toBe(204);
    expect(seen.map(({ url }) => url)).toEqual(["/hook?own=1", "/hook/a?own=1&b=2", "/hook?own=1&c"]);
    for (const path of ["/__proxy", "/__proxy/bots", "/__proxy/other"])
      expect((await send(path)).status).toBe(404);
    const entries = await proxy.recorded(3);
    expect(entries.map(({ _direction }) => _direction)).toEqual(["delivery", "delivery", "delivery"]);
  });

  test("is never sent to the service where there is no webhook", async () => {
    const { seen, origin } = serviceOf((_, response) => response.end());
    const proxy = await startProxy(await origin);
    const response = await fetch(`${proxy.url}/__proxy/bot`, { method: "POST" });
    expect(await response.json()).toEqual({ error: "no webhook is known: start the proxy with --bot URL" });
    expect(seen).toEqual([]);
  });
});

describe("the recording", () => {
  test("is a whole HAR all the time, and sorted by the beginning of exchanges at the end", async () => {
    const held: (() => void)[] = [];
    const origin = await serverOf((request, response) => {
      if (request.url === "/slow") held.push(() => response.end());
      else response.end();
    });
    const proxy = await startProxy(origin);
    expect(proxy.entries()).toEqual([]);
    const slow = fetch(`${proxy.url}/slow`);
    await until(() => held.length === 1);
    for (let call = 0; call < 20; call += 1) {
      await (await fetch(`${proxy.url}/${call}`)).text();
      expect(proxy.entries().length).toBeLessThanOrEqual(call + 1);
    }
    held[0]?.();
    await (await slow).text();
    const paths = (entries: readonly HarEntry[]) =>
      entries.map(({ request }) => new URL(request.url).pathname);
    expect(paths(await proxy.recorded(21)).at(-1)).toBe("/slow");
    expect(await proxy.stop()).toBe(0);
    expect(paths(proxy.entries())).toEqual(["/slow", ...Array.from({ length: 20 }, (_, call) => `/${call}`)]);
    expect(proxy.out()).toMatch(/21 exchanges recorded in /);
  });

  test("hides, while it goes on, what only later exchanges have shown to be private", async () => {
    const origin = await serverOf((_, response) => response.end('{"note":"for Zoltan Quirke"}'));
    const proxy = await startProxy(origin);
    await fetch(proxy.url);
    await proxy.recorded(1);
    await fetch(proxy.url, { method: "POST", body: '{"displayName":"Zoltan Quirke"}' });
    await proxy.recorded(2);
    expect(readFileSync(proxy.file, "utf8")).not.toMatch(/zoltan|quirke/i);
    const [first, second] = proxy.entries();
    const { note } = JSON.parse(first?.response.content.text ?? "");
    expect(note).toBe(`for ${JSON.parse(second?.request.postData?.text ?? "").displayName}`);
  });

  test("survives what is no HTTP, and hostile targets", async () => {
    const origin = await serverOf((_, response) => response.end("ok"));
    const proxy = await startProxy(origin);
    const lines = ["GET *", "GET http://", "GET /%zz?%=%&&=;#\x80", "CONNECT a:1"];
    const calls = lines.map((line) => `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    for (const sent of ["garbage\r\n\r\n", ...calls]) await talk(proxy.url, [sent]);
    expect(await (await fetch(proxy.url)).text()).toBe("ok");
  });
});

const TO = ["--to", "https://api.example"];
test.each([
  [["--to", "ftp://a", "--out", "x.har"], "--to: must be an http or https URL"],
  [["--to", "https://u:p@api.example", "--out", "x.har"], "--to: must not contain a user or a password"],
  [TO, "--out: is missing"],
  [[...TO, "--out", "/nowhere/x.har"], "--out: cannot write /nowhere/x.har: there is no such folder"],
  [
    [...TO, "--out", "/tmp/x.har", "--ca", "/nowhere.pem"],
    "--ca: cannot read /nowhere.pem: there is no such file",
  ],
  [
    [...TO, "--out", "/tmp/x.har", "--ca", "package.json"],
    "--ca: package.json contains no certificate in PEM",
  ],
])("proxy %j is refused", async (words, message) => {
  expect(await run(["proxy", ...words])).toEqual(refused(message));
});

test("proxy refuses a damaged certificate, and to replace what is no file", async () => {
  const ca = fileFor("damaged.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  const damaged = `--ca: ${ca} contains no certificate in PEM, or a damaged one`;
  expect(await run(["proxy", ...TO, "--out", "/tmp/x.har", "--ca", ca])).toEqual(refused(damaged));
  const folder = dirname(ca);
  const noFile = `--out: cannot write ${folder}: it is not a regular file`;
  expect(await run(["proxy", ...TO, "--out", folder])).toEqual(refused(noFile));
  expect(existsSync(`${folder}.tmp`)).toBe(false);
});
