import { describe, expect, it } from "vitest";
import { SEND } from "../wire/client.js";
import { request, talk } from "./raw.js";
import { startTarget } from "./target.js";

describe("patterns that take for ever", () => {
  const text = `${"a".repeat(40)}!`;
  it.each(["(a+)+$", "^(a|a)*$", "(.*a){25}$"])(
    "such as %s end soon and match nothing, wherever they stand",
    async ($regex) => {
      const { api, control } = await startTarget();
      const match = { body: { text: { $regex } } };
      await control("POST /faults", { on: "request", match, then: "unavailable" });
      expect((await api(`POST ${SEND}`, { customerThreadId: "9001", text })).status).toBe(200);
      const verified = await control("POST /verify", { requests: match });
      expect(verified).toMatchObject({ status: 422, body: { count: 0 } });
      const waited = await control("POST /wait", { for: { requests: match }, timeoutMs: 10 });
      expect(waited.status).toBe(408);
    },
  );

  it("do not take the time of good ones", async () => {
    const { api, control } = await startTarget();
    await api(`POST ${SEND}`, { customerThreadId: "9001", text: `(${text})`.repeat(500) });
    const match = { body: { text: { $regex: "(a+!\\)\\(?)+$" } } };
    const verified = await control("POST /verify", { requests: match });
    expect(verified).toMatchObject({ status: 200, body: { count: 1 } });
  });
});

it.each(["__proto__", "constructor", "hasOwnProperty"])(
  "%s names sandboxes, sinks and snapshots like other names",
  async (name) => {
    const { api, control, expectUnchanged } = await startTarget();
    await expectUnchanged(async () => {
      for (const [call, status, body] of [
        [`GET /sandboxes/${name}`, 404],
        [`PUT /sandboxes/${name}`, 201, {}],
        [`GET /sandboxes/${name}/state`, 200],
        ["POST /snapshots", 201, { name }],
        [`POST /snapshots/${name}/restore`, 200],
        [`POST /sinks/${name}`, 200, { x: 1 }],
      ] as const)
        expect([call, (await control(call, body)).status]).toEqual([call, status]);
      expect((await control(`GET /sinks/${name}/received`)).body).toHaveLength(1);
      const answer = await api("GET /api/webhooks", undefined, { token: `${name}.acme-token` });
      expect(answer.status).toBe(200);
      expect((await control(`DELETE /sandboxes/${name}`)).status).toBe(200);
    });
  },
);

it.each([".", "..", "a/b", "x".repeat(65), "é", "\u0000"])("%j is refused for a new sandbox", async (id) => {
  const { control, expectUnchanged } = await startTarget();
  await expectUnchanged(async () => {
    expect((await control("POST /sandboxes", { id })).status).toBe(400);
  });
  expect((await control("GET /sandboxes")).body).toHaveLength(1);
});

it.each<[string, unknown]>([
  ["a collection that is no array", { threads: { length: 1 } }],
  ["a record that is no object", { threads: ["9001"] }],
  ["a prototype", JSON.parse('{"__proto__":{"threads":[]}}')],
  ["an inherited id", { organizations: [JSON.parse('{"__proto__":{"id":"1"},"name":"a"}')] }],
  ["20 MB that are no JSON", "[".repeat(20 * 1024 * 1024)],
])("a state with %s is refused as a whole", async (_, document) => {
  const { control, expectUnchanged } = await startTarget();
  await expectUnchanged(async () => {
    expect((await control("PUT /state", document)).status).toBe(400);
    if (typeof document === "object")
      expect((await control("POST /sandboxes", { fixtures: document })).status).toBe(400);
  });
});

describe("answers set by hand", () => {
  it.each([204, 205, 599])("with status %i are sent with any body", async (status) => {
    const { control, url, expectHealthy } = await startTarget();
    const body = { text: "é\r\n\u0000\ud800", __proto__: 1 };
    expect((await control("PATCH /behaviour", { "auth.missing": { status, body } })).status).toBe(200);
    expect((await control("PUT /sinks/x", { status, body })).status).toBe(200);
    const rule = { on: "request", then: { status, body, malformed: true, headers: { "X-Odd": "\u00ff\t" } } };
    for (const round of [1, 2]) {
      for (const call of [
        request("GET /api/webhooks", { token: undefined }),
        request("POST /__sim/sinks/x", {}, "{}"),
      ]) {
        const { answers } = await talk(url, [call], { head: status === 204 });
        expect(answers[0]?.status, `round ${round}`).toBe(status);
      }
      expect((await control("POST /faults", rule)).status).toBe(201);
    }
    expectHealthy();
  });

  it.each(["Content-Length", "transfer-encoding", "Connection", "TRAILER"])(
    "cannot carry %s, which frames them",
    async (name) => {
      const { control } = await startTarget();
      for (const on of ["request", "delivery"]) {
        const { status } = await control("POST /faults", { on, then: { headers: { [name]: "7" } } });
        expect(status).toBe(400);
      }
    },
  );

  it.each(["Content-Type", "Date", "X-Sim-Request", "Expect", "Host", "__proto__"])(
    "may carry %s",
    async (name) => {
      const { control, url } = await startTarget();
      const then = { headers: Object.fromEntries([[name, "7"]]) };
      for (const on of ["request", "delivery"])
        expect((await control("POST /faults", { on, then })).status).toBe(201);
      const { answers } = await talk(url, [request("GET /api/webhooks")]);
      expect(answers[0]).toMatchObject({ status: 200, head: expect.stringContaining(`${name}: 7`) });
      await control("POST /threads/9001/inbound", { text: "hello" });
      await control("POST /wait", { for: "idle" });
      expect((await control("GET /deliveries")).body[0].status).toBe("delivered");
    },
  );
});
