import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";

interface Raw {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const get = (url: string, headers: Record<string, string>): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const call = request(url, { headers }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece));
      answer.on("end", () => resolve({ headers: answer.headers, body: Buffer.concat(pieces) }));
      answer.on("error", reject);
    });
    call.on("error", reject).end();
  });

const GZIP = { "accept-encoding": "gzip, deflate, br" };
const BROWSER = { ...GZIP, "sec-fetch-site": "same-origin" };

describe("answers of the control API", () => {
  it.each(["/behaviour", "/state"])("%s is compressed for browsers that accept it", async (path) => {
    const sim = await startSimulator();
    const { body: state } = await sim.control("GET /state");
    const [first] = state.messages;
    const messages = Array.from({ length: 2_000 }, (_, at) => ({ ...first, id: String(1_000_001 + at) }));
    await sim.control("PUT /state", { ...state, messages });
    const url = `${sim.url}/__sim${path}`;
    const plain = await get(url, GZIP);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const compressed = await get(url, BROWSER);
    expect(compressed.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
    expect(compressed.body.length).toBeLessThan(plain.body.length / 3);
    expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
    const refused = await get(url, { "sec-fetch-site": "same-origin" });
    expect(refused.headers["content-encoding"]).toBeUndefined();
    expect(refused.body.equals(plain.body)).toBe(true);
  });

  it("are not compressed if they are short", async () => {
    const sim = await startSimulator();
    const { headers, body } = await get(`${sim.url}/__sim/clock`, BROWSER);
    expect(headers["content-encoding"]).toBeUndefined();
    expect(JSON.parse(body.toString())).toHaveProperty("now");
  });
});

describe("files of the dashboard", () => {
  it("are compressed, and cached forever if their name has a hash", async () => {
    const sim = await startSimulator();
    const page = await get(`${sim.url}/__sim/ui/`, {});
    const assets = [...page.body.toString().matchAll(/(?:href|src)="(\/__sim\/ui\/assets\/[^"]+)"/g)];
    expect(assets.length).toBeGreaterThan(1);
    for (const path of ["/__sim/ui/", ...assets.map(([, path]) => path)]) {
      const plain = await get(sim.url + path, {});
      const gzip = await get(sim.url + path, { "accept-encoding": "gzip" });
      for (const { headers } of [plain, gzip]) {
        const caching = path === "/__sim/ui/" ? "no-cache" : "public, max-age=31536000, immutable";
        expect(headers["cache-control"]).toBe(caching);
        expect(headers["content-security-policy"]).toContain("default-src 'self'");
        expect(headers.vary).toBe("Accept-Encoding");
      }
      expect(gzip.headers["content-encoding"]).toBe("gzip");
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
      const [a, b] = [gzip, plain].map(({ headers }) => String(headers["content-type"]).toLowerCase());
      expect(a).toBe(b);
    }
    // An address without the final slash is redirected.
    const { headers } = await get(`${sim.url}/__sim/ui?thread=9001`, BROWSER);
    expect(headers).toMatchObject({ location: "/__sim/ui/?thread=9001" });
    expect(headers["content-encoding"]).toBeUndefined();
    expect((await get(`${sim.url}/__sim/ui/assets/none.js`, BROWSER)).body.toString()).toContain("unknown");
    const outside = await get(`${sim.url}/__sim/ui/assets/..%2f..%2fpackage.js`, BROWSER);
    expect(outside.headers["content-encoding"]).toBeUndefined();
  });
});
