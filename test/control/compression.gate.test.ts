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

describe("files of the dashboard", () => {
  it("are compressed, and those that hold a hash in their name are kept for good", async () => {
    const sim = await startSimulator();
    const page = await get(`${sim.url}/__sim/ui/`, BROWSER);
    expect(page.headers["cache-control"]).toBe("no-cache");
    const assets = [...page.body.toString().matchAll(/(?:href|src)="(\/__sim\/ui\/assets\/[^"]+)"/g)];
    expect(assets.length).toBeGreaterThan(1);
    for (const [, path] of assets) {
      const plain = await get(sim.url + path, {});
      const gzip = await get(sim.url + path, { "accept-encoding": "gzip" });
      for (const { headers } of [plain, gzip]) {
        expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
        expect(headers["content-security-policy"]).toContain("default-src 'self'");
      }
      expect(gzip.headers["content-encoding"]).toBe("gzip");
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
      expect(gzip.headers["content-type"]?.toString().toLowerCase()).toBe(
        plain.headers["content-type"]?.toString().toLowerCase(),
      );
    }
    expect((await get(`${sim.url}/__sim/ui/assets/none.js`, BROWSER)).body.toString()).toContain("unknown");
    const outside = await get(`${sim.url}/__sim/ui/assets/..%2f..%2fpackage.js`, BROWSER);
    expect(outside.headers["content-encoding"]).toBeUndefined();
  });
});
