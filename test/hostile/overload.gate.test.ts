/** What is asked beyond the bounds is refused at once, the rest goes on, and afterwards everything is as before. */
import { once } from "node:events";
import { expect, it } from "vitest";
import { LOAD_BOUNDS } from "../../src/kernel/http/admission.js";
import { lower } from "../support/bounds.js";
import { SEND } from "../wire/client.js";
import { connection, request } from "./raw.js";
import { LONG_POLL, startTarget, type Target } from "./target.js";

const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=9001";
const MEBIBYTE = 1024 * 1024;
/** Calls that stay under way until their run ends. */
const HANGING = { on: "request", match: { path: SEND }, then: { delayMs: 600_000 } } as const;

/** A figure of the metrics. */
const figure = async ({ control }: Target, name: string) => {
  const { body } = await control("GET /metrics");
  return Number(new RegExp(`^messaging_sim_${name} (.*)$`, "m").exec(body)?.[1]);
};
const CALL_BYTES = 'body_bytes_open{of="calls"}';
const CONTROL_BYTES = 'body_bytes_open{of="controls"}';

async function expectOthersAnswered({ control }: Target) {
  for (const call of ["GET /health", "GET /metrics", "GET /state"])
    expect([call, (await control(call)).status]).toEqual([call, 200]);
  expect((await control("PATCH /behaviour", { "window.duration": "24h" })).status).toBe(200);
}

/** Opens a connection and begins to say something. */
async function saying(url: string, text: string) {
  const opened = await connection(url);
  opened.socket.write(text);
  return opened;
}

const refusal = (reason: string) => ({ error: `Service unavailable: ${reason}` });

it("more calls than the bound get 503 at once, in the form of their operation, and are in the journal", async () => {
  lower(LOAD_BOUNDS.calls, 3);
  const target = await startTarget({ faults: [HANGING] });
  const { api, control, url } = target;
  const call = request(`POST ${SEND}`, {}, '{"customerThreadId":"9001","text":"Hi"}');
  const hanging = await Promise.all([1, 2, 3].map(() => saying(url, call)));
  await expect.poll(() => figure(target, "calls_open"), LONG_POLL).toBe(3);
  const refused = await api(DETAILS);
  expect([refused.status, refused.body]).toEqual([503, refusal("3 calls are in flight")]);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(refused.headers.get("x-sim-behaviour")).toBeNull();
  const graphql = await api("POST /graphql", { query: "organizationWebhooks" });
  expect(graphql.body.errors[0].message).toBe("Service unavailable: 3 calls are in flight");
  const sink = await control("POST /sinks/demo", { n: 1 });
  expect([sink.status, sink.body.error.code]).toEqual([503, "overloaded"]);
  const { body: journal } = await control("GET /requests?status=503");
  expect(journal).toMatchObject([
    { operation: "getCustomerThreadDetails", response: refused.body },
    { operation: "graphql" },
  ]);
  await expectOthersAnswered(target);

  for (const { socket } of hanging) socket.destroy();
  await control("POST /reset");
  await expect.poll(() => figure(target, "calls_open"), LONG_POLL).toBe(0);
  expect((await api(DETAILS)).status).toBe(200);
  expect((await control("POST /sinks/demo", { n: 1 })).status).toBe(200);
  expect(await figure(target, "refused_total")).toBe(3);
});

it("more connections than the bound are told so and closed, while the first go on, and the control API on all of them", async () => {
  lower(LOAD_BOUNDS.connections, 5);
  const target = await startTarget();
  const first: Awaited<ReturnType<typeof connection>>[] = [];
  for (let n = 0; n < 5; n += 1) first.push(await connection(target.url));
  await expect.poll(() => figure(target, "connections_open"), LONG_POLL).toBeGreaterThan(5);
  const late = await connection(target.url);
  const ended = once(late.socket, "close");
  late.socket.write(request(DETAILS));
  await ended;
  expect(late.text()).toMatch(/^HTTP\/1\.1 503 /);
  expect(late.text()).toMatch(/\r\nRetry-After: 1\r\n/);
  expect(late.text()).toContain("Service unavailable: 5 connections are open");
  first[0]?.socket.write(request(DETAILS));
  await expect.poll(() => first[0]?.text(), LONG_POLL).toMatch(/^HTTP\/1\.1 200 /);
  await expectOthersAnswered(target);

  for (const { socket } of first) socket.destroy();
  await expect.poll(() => figure(target, "connections_open"), LONG_POLL).toBeLessThan(5);
  const again = await saying(target.url, request(DETAILS));
  await expect.poll(again.text, LONG_POLL).toMatch(/^HTTP\/1\.1 200 /);
});

it("more bytes of bodies than the bound are refused with their call, whether it announced them or not", async () => {
  for (const bound of [LOAD_BOUNDS.bodyBytes, LOAD_BOUNDS.controlBodyBytes]) lower(bound, MEBIBYTE);
  const target = await startTarget();
  const half = `{"customerThreadId":"9001","text":"${"x".repeat(600_000)}`;
  const announced = { "content-length": "900000", "content-type": "application/json" };
  const { socket } = await saying(target.url, request(`POST ${SEND}`, announced) + half);
  await expect.poll(() => figure(target, CALL_BYTES), LONG_POLL).toBe(half.length);
  const large = { customerThreadId: "9001", text: "x".repeat(700_000) };
  const refused = await target.api(`POST ${SEND}`, large);
  expect(refused.body).toEqual(refusal("586 KiB of bodies are in flight"));
  expect((await target.control("POST /sinks/demo", large)).status).toBe(503);
  const piece = `${(65_536).toString(16)}\r\n${"y".repeat(65_536)}\r\n`;
  const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
  const chunked = await saying(target.url, request(`POST ${SEND}`, headers) + piece.repeat(12));
  await expect.poll(chunked.text, LONG_POLL).toMatch(/^HTTP\/1\.1 503 /);
  expect((await target.api(DETAILS)).status).toBe(200);
  expect((await target.api(`POST ${SEND}`, { customerThreadId: "9001", text: "small" })).status).toBe(200);
  await expectOthersAnswered(target);

  socket.destroy();
  chunked.socket.destroy();
  await expect.poll(() => figure(target, "calls_open"), LONG_POLL).toBe(0);
  expect((await target.api(`POST ${SEND}`, large)).status).toBe(200);
});

it("large bodies of control calls are refused beside others, and let through alone", async () => {
  lower(LOAD_BOUNDS.controlBodyBytes, MEBIBYTE);
  const target = await startTarget();
  const state = JSON.stringify((await target.control("GET /state")).body);
  const padded = `${" ".repeat(2 * MEBIBYTE)}${state}`;
  expect((await target.control("PUT /state", padded)).status).toBe(200);
  const announced = { "content-length": "3000000", "content-type": "application/json" };
  const begun = request("PUT /__sim/state", announced) + " ".repeat(MEBIBYTE);
  const { socket } = await saying(target.url, begun);
  await expect.poll(() => figure(target, CONTROL_BYTES), LONG_POLL).toBe(MEBIBYTE);
  const refused = await target.control("PUT /state", padded);
  expect([refused.body.error.code, refused.headers.get("retry-after")]).toEqual(["overloaded", "1"]);
  await expectOthersAnswered(target);
  socket.destroy();
  await expect.poll(async () => (await target.control("PUT /state", padded)).status, LONG_POLL).toBe(200);
});

it("more scenarios than the bound get 503 at once while others are answered, until one is over", async () => {
  lower(LOAD_BOUNDS.scenarioRuns, 2);
  const target = await startTarget();
  const { control, url } = target;
  await control("POST /sandboxes", { id: "s1" });
  const running = () => figure(target, "scenario_runs_open");
  const hanging = { scenario: { name: "x", steps: [{ delivered: "message", within: "60s" }] } };
  const run = (prefix: string) =>
    saying(url, request(`POST /__sim${prefix}/scenarios/run`, {}, JSON.stringify(hanging)));
  const first = await run("");
  await run("/sandboxes/s1");
  await expect.poll(running, LONG_POLL).toBe(2);
  const quick = { scenario: { name: "x", steps: [{ log: "x" }] } };
  const refused = await control("POST /scenarios/run", quick);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  const message = "2 scenarios are running: try again in a second";
  expect(refused.body.error).toMatchObject({ code: "overloaded", message });
  expect(await figure(target, "refused_total")).toBe(1);
  await expectOthersAnswered(target);

  first.socket.destroy();
  await expect.poll(running, LONG_POLL).toBe(1);
  expect((await control("POST /scenarios/run", quick)).body.ok).toBe(true);
  await control("DELETE /sandboxes/s1");
  await expect.poll(running, LONG_POLL).toBe(0);
  const broken = await control("POST /scenarios/run", { scenario: { steps: [{ dance: 1 }] } });
  expect([broken.status, await running()]).toEqual([400, 0]);
});

it("more pending deliveries than the bound have writes refused and reads answered, until they are gone", async () => {
  lower(LOAD_BOUNDS.deliveries, 4);
  const target = await startTarget({ set: { "delivery.attempts": 2 } });
  await target.control("PUT /sinks/demo", { status: 500 });
  for (let n = 0; n < 4; n += 1) await target.control("POST /threads/9001/inbound", { text: "Hi" });
  await target.control("POST /wait", { for: "idle" });
  const refused = await target.api(`POST ${SEND}`, { customerThreadId: "9001", text: "Hi" });
  expect([refused.status, refused.body]).toEqual([503, refusal("4 deliveries are pending")]);
  expect((await target.api(DETAILS)).status).toBe(200);
  await expectOthersAnswered(target);
  await target.control("POST /clock/advance", { by: "1d" });
  await target.control("POST /wait", { for: "idle" });
  expect((await target.api(`POST ${SEND}`, { customerThreadId: "9001", text: "Hi" })).status).toBe(200);
});
