/** Bodies, headers and queries that mean harm, against every operation of the simulated API. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/api/operation.js";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { FixtureLoader } from "../../src/world/load.js";
import { request, talk } from "./raw.js";
import { changedBetween, startTarget, type Target } from "./target.js";
import { hostileBody, hostileText, nested, ODD_NUMBERS, ODD_TEXTS } from "./values.js";

const operations: readonly Operation[] = OPERATIONS;
const posts = operations.filter(({ method }) => method === "POST");
const reads = operations.filter(({ method }) => method === "GET");

const fieldsOf = (schema: unknown): string[] => {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, unknown> };
  return Object.entries(properties).flatMap(([name, property]) => [name, ...fieldsOf(property)]);
};
const pathOf = ({ path }: Operation, id = "cust_001"): string => path.replace(/:\w+/, encodeURIComponent(id));

/** Sends a body as it stands and checks the answer against what the operation may give. */
const send = (target: Target, line: string, body: string, headers: Record<string, string> = {}) =>
  target.api(line, body, { headers });

describe.each(posts.map((operation) => [operation.id, operation] as const))("%s", (_, operation) => {
  const keys = [...fieldsOf(operation.body), "hookId", "url", "enabled", "name", "value"];
  const sound = (operation.example ?? {}) as Record<string, unknown>;

  it("answers any JSON with what it may answer, and a refusal changes nothing", async () => {
    const target = await startTarget();
    let before = await target.state();
    await fc.assert(
      fc.asyncProperty(hostileBody(keys, sound), async (body) => {
        const { status } = await send(target, `POST ${pathOf(operation, "crm")}`, hostileText(body));
        expect(status).toBeLessThan(500);
        const after = await target.state();
        if (status >= 400) expect(changedBetween(before, after)).toEqual([]);
        before = after;
      }),
      { numRuns: 80 },
    );
    // Whatever was let through has left a state that could be loaded.
    const { body } = await target.control("GET /state");
    expect(new FixtureLoader().loadFixture(body).problems).toBeUndefined();
    target.expectSound();
  });

  it("refuses what is no JSON, is nested without end, or is no UTF-8", async () => {
    const target = await startTarget();
    const line = `POST ${pathOf(operation, "crm")}`;
    await target.expectUnchanged(async () => {
      for (const body of [
        "{",
        "{}{}",
        "NaN",
        "'x'",
        "[1,]",
        nested(201),
        nested(100_000),
        '{"a":'.repeat(5_000),
      ]) {
        const { status } = await send(target, line, body);
        expect(status, body.slice(0, 20)).toBe(400);
      }
      for (const bytes of [
        [0xff, 0xfe, 0x7b, 0x7d],
        [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d],
        [0xed, 0xa0, 0x80],
      ]) {
        const { answers } = await talk(target.url, [
          request(line, {}, Buffer.from(bytes).toString("latin1")),
        ]);
        expect(answers[0]?.status).toBe(400);
      }
    });
  });
});

describe.each(["/api/send-message-to-customer-thread", "/graphql", "/api/no-such-thing"])("%s", (path) => {
  it("refuses 20 MB, declared, in chunks or without end, and keeps none of it", async () => {
    const target = await startTarget();
    const refusal = path === "/api/no-such-thing" ? 404 : 413;
    const megabyte = Buffer.alloc(1024 * 1024, 0x20);
    const type = { "content-type": "application/json" };
    await target.expectUnchanged(async () => {
      const size = { ...type, "content-length": String(20 * megabyte.length) };
      const declared = await talk(target.url, [request(`POST ${path}`, size), ...Array(20).fill(megabyte)]);
      expect(declared.answers[0]?.status).toBe(refusal);
      const chunk = Buffer.concat([Buffer.from("100000\r\n"), megabyte, Buffer.from("\r\n")]);
      const coded = { ...type, "transfer-encoding": "chunked" };
      const chunked = await talk(target.url, [
        request(`POST ${path}`, coded),
        ...Array(20).fill(chunk),
        "0\r\n\r\n",
      ]);
      expect(chunked.answers[0]?.status).toBe(refusal);
      const unfinished = await talk(target.url, [request(`POST ${path}`, coded), chunk, chunk]);
      expect(unfinished.answers[0]?.status).toBe(refusal);
    });
    const { calls, journal } = target.registry.default;
    await expect.poll(() => calls.count).toBe(0);
    for (const { body } of journal.from()) expect(body).toBeNull();
  });
});

describe.each(reads.map((operation) => [operation.id, operation] as const))("%s", (_, operation) => {
  it("answers any id and any query with what it may answer", async () => {
    const target = await startTarget();
    const odd = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: "binary", maxLength: 30 }));
    const names = fc.constantFrom(
      ...fieldsOf(operation.query),
      "__proto__",
      "constructor",
      "",
      "a[b]",
      "a.b",
    );
    await target.expectUnchanged(async () => {
      await fc.assert(
        fc.asyncProperty(odd, fc.array(fc.tuple(names, odd), { maxLength: 5 }), async (id, query) => {
          const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, "").slice(0, 2_000);
          const search = new URLSearchParams(query.map(([name, value]) => [name, wellFormed(value)]));
          const { status } = await target.api(`GET ${pathOf(operation, wellFormed(id) || "x")}?${search}`);
          expect(status).toBeLessThan(500);
        }),
        { numRuns: 80 },
      );
    });
  });

  it("answers a flood of parameters and a parameter given twice", async () => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      for (const query of [
        "customerThreadId=9001&".repeat(300),
        "&".repeat(5_000),
        "%=%&%zz=%ff",
        "a=".repeat(3_000),
      ]) {
        const { answers } = await talk(target.url, [request(`GET ${pathOf(operation)}?${query}`)]);
        expect(answers[0]?.status).toBeLessThan(500);
      }
    });
  });
});

describe("numbers", () => {
  it.each(ODD_NUMBERS)("such as %s are an id of nothing or no id", async (number) => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      const { status } = await send(
        target,
        "POST /api/update-thread-status",
        `{"customerThreadId":${number},"status":"resolved"}`,
      );
      expect([400, 404]).toContain(status);
    });
  });
});

describe("keys", () => {
  it("given twice count as the last one", async () => {
    const target = await startTarget();
    const { status } = await send(
      target,
      "POST /api/update-thread-status",
      '{"customerThreadId":"9001","status":"waiting","status":"resolved"}',
    );
    expect(status).toBe(200);
    expect((await target.control("GET /data/threads/9001")).body.status).toBe("resolved");
  });

  it("of Object.prototype are fields like others and no way to defaults", async () => {
    const target = await startTarget();
    const odd =
      '{"__proto__":{"customerThreadId":"9001","status":"resolved"},"constructor":{"prototype":{"polluted":1}}}';
    await target.expectUnchanged(async () => {
      const { status, body } = await send(target, "POST /api/update-thread-status", odd);
      expect(status).toBe(400);
      expect(body.body.map(({ property }: { property: string }) => property)).toContain("@.customerThreadId");
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const [entry] = (await target.control("GET /requests")).body;
    expect(Object.keys(entry.body)).toEqual(["__proto__", "constructor"]);
  });
});

describe("headers", () => {
  const odd = [
    "",
    " ",
    "__proto__",
    "constructor",
    ".",
    "default.acme-token",
    "acme-token.",
    "s.acme-token",
    "x".repeat(8_000),
    "ä\u00ff",
    "acme-token, acme-token",
  ];

  it.each(odd)("with the token %j are refused alike", async (token) => {
    const target = await startTarget();
    await target.control("PUT /sandboxes/s", {});
    await target.control("DELETE /data/tokens/acme-token");
    await target.expectUnchanged(async () => {
      const { answers } = await talk(target.url, [request("GET /api/webhooks", { token })]);
      const own = token === "s.acme-token";
      expect(answers[0]?.status).toBe(own ? 200 : 401);
    });
  });

  it("given twice are no token", async () => {
    const target = await startTarget();
    const text = "GET /api/webhooks HTTP/1.1\r\nhost: x\r\ntoken: acme-token\r\ntoken: acme-token\r\n\r\n";
    const { answers } = await talk(target.url, [text]);
    expect(answers[0]?.status).toBe(401);
  });

  const injected = ["a\r\nX-Injected: yes", "a\nb", "\0", "☃", "\ud800"];
  it.each(injected)("cannot be slipped into deliveries by a webhook's %j", async (text) => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      for (const header of [
        { name: text, value: "x" },
        { name: "X-Fine", value: text },
      ]) {
        const webhook = {
          url: "https://bot.example/",
          subscribedEvents: ["messages"],
          extraHeaders: [header],
        };
        const { status } = await target.api("POST /api/webhooks", webhook);
        expect(status).toBe(400);
      }
    });
  });

  it("of the transport itself do no harm to deliveries", async () => {
    const target = await startTarget();
    const names = [
      "Content-Length",
      "Transfer-Encoding",
      "Host",
      "Connection",
      "Content-Type",
      "Expect",
      "__proto__",
      "Upgrade",
      "Trailer",
    ];
    for (const name of names) {
      const webhook = {
        url: "sink:odd",
        subscribedEvents: ["messages"],
        extraHeaders: [{ name, value: "7" }],
      };
      expect((await target.api("POST /api/webhooks", webhook)).status, name).toBe(200);
    }
    await target.control("POST /threads/9001/inbound", { text: "hello" });
    expect((await target.control("POST /wait", { for: "idle" })).status).toBe(200);
    const { body } = await target.control("GET /deliveries");
    expect(body).toHaveLength(names.length + 1);
    for (const delivery of body) expect(["delivered", "failed"]).toContain(delivery.status);
  });
});
