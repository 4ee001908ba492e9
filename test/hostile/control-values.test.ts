import { describe, expect, it } from "vitest";
import { request, talk } from "./raw.js";
import { startTarget } from "./target.js";

const SEND = "POST /api/send-message-to-customer-thread";

describe("patterns that take for ever", () => {
  const text = `${"a".repeat(40)}!`;
  it.each(["(a+)+$", "^(a|a)*$", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*a){25}$"])(
    "such as %s end soon and match nothing, wherever they stand",
    async ($regex) => {
      const target = await startTarget();
      const match = { body: { text: { $regex } } };
      await target.control("POST /faults", { on: "request", match, then: "unavailable" });
      expect((await target.api(SEND, { customerThreadId: "9001", text })).status).toBe(200);
      const verified = await target.control("POST /verify", { requests: match });
      expect(verified).toMatchObject({ status: 422, body: { count: 0 } });
      const waited = await target.control("POST /wait", { for: { requests: match }, timeoutMs: 10 });
      expect(waited.status).toBe(408);
    },
  );

  it("do not take the time of good ones", async () => {
    const target = await startTarget();
    await target.api(SEND, { customerThreadId: "9001", text: `(${text})`.repeat(500) });
    const match = { body: { text: { $regex: "(a+!\\)\\(?)+$" } } };
    const verified = await target.control("POST /verify", { requests: match });
    expect(verified).toMatchObject({ status: 200, body: { count: 1 } });
  });
});

describe("names", () => {
  const odd = ["__proto__", "constructor", "toString", "hasOwnProperty"];

  it.each(odd)("such as %s are names of sandboxes, sinks and snapshots like others", async (name) => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      expect((await target.control(`GET /sandboxes/${name}`)).status).toBe(404);
      expect((await target.control(`PUT /sandboxes/${name}`, {})).status).toBe(201);
      expect((await target.control(`GET /sandboxes/${name}/state`)).status).toBe(200);
      expect((await target.api("GET /api/webhooks", undefined, { token: `${name}.acme-token` })).status).toBe(
        200,
      );
      expect((await target.control(`DELETE /sandboxes/${name}`)).status).toBe(200);
      expect((await target.control("POST /snapshots", { name })).status).toBe(201);
      expect((await target.control(`POST /snapshots/${name}/restore`)).status).toBe(200);
      expect((await target.control(`POST /sinks/${name}`, { x: 1 })).status).toBe(200);
      expect((await target.control(`GET /sinks/${name}/received`)).body).toHaveLength(1);
    });
  });

  it.each(["", ".", "..", "a.b", "a/b", "a b", "x".repeat(65), "é", "\u0000", "default"])(
    "such as %j are refused for a new sandbox",
    async (id) => {
      const target = await startTarget();
      await target.expectUnchanged(async () => {
        const { status } = await target.control("POST /sandboxes", { id });
        expect(status).toBe(id === "default" ? 409 : 400);
      });
      expect((await target.control("GET /sandboxes")).body).toHaveLength(1);
    },
  );
});

describe("a whole state", () => {
  const broken: [string, unknown][] = [
    ["a collection that is no array", { threads: { length: 1 } }],
    ["a record that is no object", { threads: ["9001"] }],
    ["a prototype", JSON.parse('{"__proto__":{"threads":[]}}')],
    ["an inherited id", { organizations: [JSON.parse('{"__proto__":{"id":"1"},"name":"a"}')] }],
  ];
  it.each(broken)("with %s is refused as a whole", async (_, document) => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      expect((await target.control("PUT /state", document)).status).toBe(400);
      expect((await target.control("POST /sandboxes", { fixtures: document })).status).toBe(400);
    });
  });

  it("a state of 20 MB that is no JSON is refused", async () => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      const { status } = await target.control("PUT /state", "[".repeat(20 * 1024 * 1024));
      expect(status).toBe(400);
    });
  });
});

describe("answers set by hand", () => {
  it.each([204, 205, 304, 200, 599])("with status %i are sent with any body", async (status) => {
    const target = await startTarget();
    const body = { text: "é\r\n\u0000\ud800", __proto__: 1 };
    expect((await target.control("PATCH /behaviour", { "auth.missing": { status, body } })).status).toBe(200);
    expect((await target.control("PUT /sinks/x", { status, body })).status).toBe(200);
    const rule = { on: "request", then: { status, body, malformed: true, headers: { "X-Odd": "\u00ff\t" } } };
    for (const round of [1, 2]) {
      for (const call of [
        request("GET /api/webhooks", { token: undefined }),
        request("POST /__sim/sinks/x", {}, "{}"),
      ]) {
        const { answers } = await talk(target.url, [call], { head: status === 204 || status === 304 });
        expect(answers[0]?.status, `round ${round}`).toBe(status);
      }
      expect((await target.control("POST /faults", rule)).status).toBe(201);
    }
    target.expectHealthy();
  });

  it.each(["Content-Length", "transfer-encoding", "Connection", "TRAILER"])(
    "cannot carry %s, which frames them",
    async (name) => {
      const target = await startTarget();
      for (const on of ["request", "delivery"]) {
        const { status } = await target.control("POST /faults", { on, then: { headers: { [name]: "7" } } });
        expect(status).toBe(400);
      }
    },
  );

  it.each(["Content-Type", "Date", "Set-Cookie", "X-Sim-Request", "Expect", "Host", "__proto__"])(
    "may carry %s",
    async (name) => {
      const target = await startTarget();
      const then = { headers: Object.fromEntries([[name, "7"]]) };
      for (const on of ["request", "delivery"])
        expect((await target.control("POST /faults", { on, then })).status).toBe(201);
      const { answers } = await talk(target.url, [request("GET /api/webhooks")]);
      expect(answers[0]).toMatchObject({ status: 200, head: expect.stringContaining(`${name}: 7`) });
      await target.control("POST /threads/9001/inbound", { text: "hello" });
      await target.control("POST /wait", { for: "idle" });
      expect((await target.control("GET /deliveries")).body[0].status).toBe("delivered");
    },
  );
});
