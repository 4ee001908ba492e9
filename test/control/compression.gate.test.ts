import { once } from "node:events";
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { beforeEach, expect, it } from "vitest";
import { type Running, startSimulator } from "../support/simulator.js";

const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };
const GZIP = { "accept-encoding": "gzip, deflate, br" };

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator();
});

async function get(path: string, headers: Record<string, string> = {}) {
  const [answer] = await once(request(`${sim.url}/__sim${path}`, { headers }).end(), "response");
  return { headers: answer.headers, body: await buffer(answer) };
}

it.each(["/behaviour", "/state"])("%s is compressed for browsers that accept it", async (path) => {
  const { body: state } = await sim.control("GET /state");
  const [first] = state.messages;
  const messages = Array.from({ length: 2_000 }, (_, at) => ({ ...first, id: String(1_000_001 + at) }));
  await sim.control("PUT /state", { ...state, messages });
  const plain = await get(path, GZIP);
  expect(plain.headers["content-encoding"]).toBeUndefined();
  const compressed = await get(path, { ...GZIP, ...SAME_ORIGIN });
  expect(compressed.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
  expect(compressed.body.length).toBeLessThan(plain.body.length / 3);
  expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
  const refused = await get(path, SAME_ORIGIN);
  expect(refused.headers["content-encoding"]).toBeUndefined();
  expect(refused.body.equals(plain.body)).toBe(true);
});

it("short answers are not compressed", async () => {
  const { headers, body } = await get("/clock", { ...GZIP, ...SAME_ORIGIN });
  expect(headers["content-encoding"]).toBeUndefined();
  expect(JSON.parse(body.toString())).toHaveProperty("now");
});

it("files of the dashboard are compressed, and cached forever if their name has a hash", async () => {
  const page = await get("/ui/");
  const assets = [...page.body.toString().matchAll(/(?:href|src)="\/__sim(\/ui\/assets\/[^"]+)"/g)];
  expect(assets.length).toBeGreaterThan(0);
  for (const path of ["/ui/", ...assets.map(([, path = ""]) => path)]) {
    const plain = await get(path);
    const gzip = await get(path, { "accept-encoding": "gzip" });
    for (const { headers } of [plain, gzip]) {
      const caching = path === "/ui/" ? "no-cache" : "public, max-age=31536000, immutable";
      expect(headers).toMatchObject({
        ...{ "cache-control": caching, vary: "Accept-Encoding" },
        ...{ "content-type": plain.headers["content-type"] },
        "content-security-policy": expect.stringContaining("default-src 'self'"),
      });
    }
    expect(gzip.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
  }
  const redirected = await get("/ui?thread=9001", GZIP);
  expect(redirected.headers).toMatchObject({ location: "/__sim/ui/?thread=9001" });
  expect(redirected.headers["content-encoding"]).toBeUndefined();
  expect((await get("/ui/assets/none.js", GZIP)).body.toString()).toContain("unknown");
  const outside = await get("/ui/assets/..%2f..%2fpackage.js", GZIP);
  expect(outside.headers["content-encoding"]).toBeUndefined();
});
