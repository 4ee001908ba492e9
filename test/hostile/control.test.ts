/** The control API under the same attacks: it is for tests, but a mistake in one must not end them all. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ControlRoute } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { request, talk } from "./raw.js";
import { changedBetween, startTarget } from "./target.js";
import { hostileBody, hostileText, nested, ODD_TEXTS } from "./values.js";

/** Routes that answer when something happens or never, and those that exist to change everything. */
const LEFT_OUT = new Set(["/stream", "/reset", "/sandboxes"]);
const withBody = ROUTES.filter(({ body, path }) => body !== undefined && !LEFT_OUT.has(path));
const withoutBody = ROUTES.filter(({ method, path }) => method === "GET" && !LEFT_OUT.has(path));

const SOUND: Readonly<Record<string, string>> = {
  collection: "threads",
  id: "9001",
  sandbox: "hostile",
  name: "x",
  hookId: "crm",
};
const pathOf = ({ path }: Pick<ControlRoute, "path">, id?: string): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(id ?? SOUND[name] ?? "x"));

const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "").slice(0, 1_000);
const oddText = fc
  .oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: "binary", maxLength: 30 }))
  .map(wellFormed);

/** Every key that a schema names, however deep. */
function keysOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties } = schema as { properties?: object };
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(keysOf)];
}

describe.each(withBody.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "%s",
  (_, route) => {
    const keys = [...new Set([...keysOf(route.body), "$regex", "$oneOf", "$not", "id"])];

    it("answers any JSON below 500, and a refusal changes nothing", async () => {
      const target = await startTarget();
      let before = await target.state();
      const sound = { timeoutMs: 0 };
      await fc.assert(
        fc.asyncProperty(hostileBody(keys, sound), async (body) => {
          const given =
            route.path === "/wait" && typeof body === "object" && body !== null
              ? { ...body, timeoutMs: 0 }
              : body;
          const answer = await target.control(`${route.method} ${pathOf(route)}`, hostileText(given));
          expect(answer.status).toBeLessThan(500);
          const after = await target.state();
          if (answer.status >= 400) {
            expect(answer.body.error ?? answer.body.ok).toBeDefined();
            expect(changedBetween(before, after)).toEqual([]);
          }
          before = after;
        }),
        { numRuns: 50 },
      );
      target.expectSound();
    });

    it("refuses what is no JSON and what is nested without end", async () => {
      const target = await startTarget();
      await target.expectUnchanged(async () => {
        for (const body of [
          "{",
          "nonsense",
          nested(201),
          nested(100_000),
          '{"a":'.repeat(5_000),
          "\u0000",
          "[]",
          "1",
          "null",
        ]) {
          const answer = await target.control(`${route.method} ${pathOf(route)}`, body);
          expect([400, 404], `${body.slice(0, 20)}: ${JSON.stringify(answer.body)}`).toContain(answer.status);
        }
      });
    });
  },
);

describe.each(withoutBody.map((route) => [`GET ${route.path}`, route] as const))("%s", (_, route) => {
  it("answers any name and any query below 500 and changes nothing", async () => {
    const target = await startTarget();
    const known = [
      ...keysOf(route.query),
      "_sort",
      "_page",
      "_embed",
      "id",
      "id_gte",
      "whatsappSender.active",
    ];
    const names = fc.constantFrom(
      ...known,
      "__proto__",
      "constructor.prototype",
      "",
      "a[b]",
      "a[",
      '["x"',
      "_sort__proto__",
    );
    const values = fc.oneof(
      oddText,
      fc.constantFrom(
        "0",
        "-1",
        "1",
        "99999999999999999999",
        "-threads",
        "a,b,-c",
        "__proto__",
        "threads",
        "business",
      ),
    );
    await target.expectUnchanged(async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.option(oddText, { nil: undefined }),
          fc.array(fc.tuple(names, values), { maxLength: 4 }),
          async (id, query) => {
            const search = new URLSearchParams(query.map(([name, value]) => [name, value]));
            const { status } = await target.control(`GET ${pathOf(route, id || undefined)}?${search}`);
            expect(status).toBeLessThan(500);
          },
        ),
        { numRuns: 60 },
      );
    });
  });
});

describe("patterns that take for ever", () => {
  const text = `${"a".repeat(40)}!`;
  it.each(["(a+)+$", "(a|a)*$", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*a){25}$"])(
    "such as %s end soon and match nothing, wherever they stand",
    async ($regex) => {
      const target = await startTarget();
      await target.control("POST /faults", {
        on: "request",
        match: { body: { text: { $regex } } },
        then: "unavailable",
      });
      const sent = await target.api("POST /api/send-message-to-customer-thread", {
        customerThreadId: "9001",
        text,
      });
      expect(sent.status).toBe(200);
      const match = { body: { text: { $regex } } };
      const verified = await target.control("POST /verify", { requests: match });
      expect(verified).toMatchObject({ status: 422, body: { count: 0 } });
      const waited = await target.control("POST /wait", { for: { requests: match }, timeoutMs: 10 });
      expect(waited.status).toBe(408);
    },
  );

  it("do not take the time of good ones", async () => {
    const target = await startTarget();
    await target.api("POST /api/send-message-to-customer-thread", {
      customerThreadId: "9001",
      text: `(${text})`.repeat(500),
    });
    const verified = await target.control("POST /verify", {
      requests: { body: { text: { $regex: "(a+!\\)\\(?)+$" } } },
    });
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
    ["an unknown collection", { ghosts: [] }],
    ["a collection that is no array", { threads: { length: 1 } }],
    ["a record that is no object", { threads: ["9001"] }],
    [
      "a record twice",
      {
        organizations: [
          { id: "1", name: "a" },
          { id: "1", name: "b" },
        ],
      },
    ],
    [
      "a dangling reference",
      {
        threads: [
          {
            id: "1",
            businessId: "2",
            customerId: "3",
            channel: "SMS",
            status: "waiting",
            isMessagingWindowOpen: true,
          },
        ],
      },
    ],
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

  it("of 20 MB that is not finished leaves everything as it was", async () => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      const headers = { "content-type": "application/json", "content-length": String(20 * 1024 * 1024) };
      await talk(target.url, [request("PUT /__sim/state", headers), Buffer.alloc(4 * 1024 * 1024, 0x20)], {
        hangUp: true,
      });
    });
  });

  it("of 20 MB that is no JSON is refused", async () => {
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
      const { answers } = await talk(target.url, [request("GET /api/webhooks", { token: undefined })], {
        head: status === 204 || status === 304,
      });
      expect(answers[0]?.status, `round ${round}`).toBe(status);
      const sink = await talk(target.url, [request("POST /__sim/sinks/x", {}, "{}")], {
        head: status === 204 || status === 304,
      });
      expect(sink.answers[0]?.status).toBe(status);
      expect((await target.control("POST /faults", rule)).status).toBe(201);
    }
    target.expectSound();
  });

  it.each(["\r\nX-Injected: yes", "☃", "\u0000"])("cannot carry a header with %j", async (value) => {
    const target = await startTarget();
    for (const headers of [{ "X-Odd": value }, { [value]: "x" }]) {
      const { status } = await target.control("POST /faults", {
        on: "request",
        then: { status: 200, headers },
      });
      expect(status).toBe(400);
    }
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
