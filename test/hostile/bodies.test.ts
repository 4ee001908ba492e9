/** Bodies, headers and queries that mean harm, against every operation of the simulated API. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Operation } from "../../src/api/operation.js";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { FixtureLoader } from "../../src/world/load.js";
import { request, talk } from "./raw.js";
import { changedBetween, LONG_POLL, startTarget, type Target } from "./target.js";
import { hostileBody, hostileText, nested, ODD_TEXTS } from "./values.js";

// Many calls in one test, on machines that have other things to do.
vi.setConfig({ testTimeout: 60_000 });

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
  const valid = (operation.example ?? {}) as Record<string, unknown>;

  it("answers any JSON with what it may answer, and a refusal changes nothing", async () => {
    const target = await startTarget();
    let before = await target.state();
    await fc.assert(
      fc.asyncProperty(hostileBody(keys, valid), async (body) => {
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
    target.expectHealthy();
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
    const { calls, logs } = target.registry.default.run;
    await expect.poll(() => calls.count, LONG_POLL).toBe(0);
    for (const { body } of logs.journal.from()) expect(body).toBeNull();
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
