// Slow: processes that end and start again.
/** Restarts on the same folder. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serverOf } from "../support/server.js";
import { until } from "../support/until.js";
import { said, say, serve } from "./command.js";
import { newFolder } from "./support.js";

const sandboxesOf = (folder: string): string => join(folder, "sandboxes");

describe("a simulator that is restarted on its folder", () => {
  it("has every sandbox with its tokens, clock, behaviour, faults, snapshots and ids", async () => {
    const folder = newFolder();
    const first = await serve(folder, "--durability", "strict");
    await first.control("POST /sandboxes", { id: "Acme-1", clock: "2026-05-05T10:00:00Z", seed: 7 });
    await say(first, "one", "Acme-1");
    await first.control("PATCH /sandboxes/Acme-1/behaviour", { "delivery.attempts": 7 });
    await first.control("POST /sandboxes/Acme-1/faults", {
      on: "request",
      then: "slow",
      times: 1,
      match: { path: "/none" },
    });
    await first.control("POST /sandboxes/Acme-1/snapshots", { name: "here" });
    await first.control("POST /sandboxes/Acme-1/clock/advance", { by: "1h" });
    await first.control("POST /sandboxes/Acme-1/reset");
    await first.control("POST /sandboxes/Acme-1/snapshots/here/restore");
    const { body: state } = await first.control("GET /sandboxes/Acme-1/state");
    await first.kill();

    const second = await serve(folder);
    const { body: sandboxes } = await second.control("GET /sandboxes");
    expect(sandboxes.map(({ id }: { id: string }) => id)).toEqual(["default", "Acme-1"]);
    expect((await second.control("GET /sandboxes/Acme-1/state")).body).toEqual(state);
    expect((await second.control("GET /sandboxes/Acme-1/clock")).body).toEqual({
      now: Date.UTC(2026, 4, 5, 10),
      frozen: true,
    });
    expect((await second.control("GET /sandboxes/Acme-1/snapshots")).body).toMatchObject([{ name: "here" }]);
    // The reset removed these.
    expect((await second.control("GET /sandboxes/Acme-1/faults")).body).toEqual([]);
    const { body: rows } = await second.control("GET /sandboxes/Acme-1/behaviour");
    expect(rows.find(({ key }: { key: string }) => key === "delivery.attempts").value).toBe(1);
    await say(second, "two", "Acme-1");
    const { body: messages } = await second.control(
      "GET /sandboxes/Acme-1/data/messages?threadId=9001&fromCustomer=false",
    );
    expect(messages.map(({ text }: { text: string }) => text)).toContain("two");
    expect(new Set(messages.map(({ id }: { id: string }) => id)).size).toBe(messages.length);
  });

  it("sends pending deliveries, with their ids and attempts", async () => {
    const folder = newFolder();
    const got: { id: string | undefined; body: string }[] = [];
    let status = 503;
    const origin = await serverOf((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        got.push({ id: request.headers["webhook-id"] as string | undefined, body });
        response.writeHead(status).end();
      });
    });
    const url = `${origin}/hook`;
    const signed = [
      "--set",
      'delivery.signature={"scheme":"standard-webhooks","secrets":["whsec_c2VjcmV0c2VjcmV0c2VjcmV0"]}',
    ];
    const retries = [
      "--set",
      "delivery.attempts=3",
      "--set",
      "delivery.backoff=[1h]",
      "--clock",
      "2026-01-01T09:00:00Z",
    ];
    const first = await serve(folder, "--durability", "strict", ...retries, ...signed);
    await first.control("PATCH /data/webhooks/1", { url });
    await first.control("POST /threads/9001/inbound", { text: "anybody?" });
    await first.control("POST /wait", { for: "idle" });
    const { body: before } = await first.control("GET /deliveries?status=pending");
    expect(before).toMatchObject([{ attempts: [{ status: 503 }] }]);
    await first.kill();

    status = 200;
    const second = await serve(folder);
    expect((await second.control("GET /deliveries")).body).toEqual(before);
    await second.control("POST /clock/advance", { by: "1h" });
    const { body: after } = await second.control(`GET /deliveries?status=delivered`);
    expect(after).toMatchObject([{ id: before[0].id, attempts: [{ status: 503 }, { status: 200 }] }]);
    expect(got).toHaveLength(2);
    expect(got[1]).toEqual(got[0]);
    expect(got[0]!.id).toBeTruthy();
  });

  it("continues a real clock at real time, and lets a sandbox expire in time", async () => {
    const folder = newFolder();
    const first = await serve(folder);
    await first.control("PUT /clock", { now: "2031-01-01T00:00:00Z" });
    await first.control("PUT /sandboxes/brief", { ttlMs: 1_500 });
    await first.control("PUT /sandboxes/long", { ttlMs: 3_600_000 });
    expect(await first.stop()).toBe(0);
    const second = await serve(folder);
    const { body: clock } = await second.control("GET /clock");
    expect(clock.frozen).toBe(false);
    expect(clock.now).toBeGreaterThanOrEqual(Date.UTC(2031, 0));
    expect(clock.now).toBeLessThan(Date.UTC(2031, 0, 1, 1));
    await until(async () =>
      (await second.control("GET /sandboxes")).body.every(({ id }: { id: string }) => id !== "brief"),
    );
    expect((await second.control("GET /sandboxes/long")).body.expiresAt).toBeGreaterThan(0);
    // Its files are gone, too.
    await second.control("POST /checkpoint");
    expect(readdirSync(sandboxesOf(folder)).filter((name) => name.includes("brief"))).toEqual([]);
  });

  it("does not have a deleted sandbox, whose id is free", async () => {
    const folder = newFolder();
    const first = await serve(folder, "--durability", "strict");
    await first.control("POST /sandboxes", { id: "a" });
    await first.control("POST /sandboxes", { id: "A" });
    await first.control("POST /sandboxes/a/threads/9001/inbound", { text: "gone with it" });
    await first.control("DELETE /sandboxes/a");
    await first.kill();
    const second = await serve(folder, "--durability", "strict");
    const { body } = await second.control("GET /sandboxes");
    expect(body.map(({ id }: { id: string }) => id)).toEqual(["default", "A"]);
    expect((await second.control("POST /sandboxes", { id: "a" })).status).toBe(201);
  });

  it("keeps a readable fixture for each sandbox, and starts new ones from --fixtures", async () => {
    const folder = newFolder();
    const first = await serve(folder);
    await say(first, "in the first");
    await first.control("POST /checkpoint");
    expect(await first.stop()).toBe(0);
    const file = join(sandboxesOf(folder), "default.json");
    const document = JSON.parse(readFileSync(file, "utf8"));
    expect(document.messages.some(({ text }: { text: string }) => text === "in the first")).toBe(true);
    const other = newFolder();
    const from = await serve(other, "--fixtures", file);
    expect(await said(from)).toContain("in the first");
    // The folder's own sandbox stays as it is; a new one starts from the file.
    const beside = await serve(folder, "--fixtures", "fixtures/default.json");
    expect(await said(beside)).toContain("in the first");
    await beside.control("POST /sandboxes", { id: "fresh" });
    const { body } = await beside.control("GET /sandboxes/fresh/data/messages?text=in%20the%20first");
    expect(body).toEqual([]);
  });
});
