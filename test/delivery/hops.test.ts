/** A webhook that points back at the simulator gets no endless deliveries. */
import { expect, it } from "vitest";
import { openSandbox } from "../support/simulator.js";
import { receiver } from "./support.js";

async function sandboxWithHook(url: string, more: object = {}) {
  const s = await openSandbox();
  await s.control("PATCH /data/webhooks/1", { url, ...more });
  const idle = () => s.control("POST /wait", { for: "idle" });
  const outcomes = async () => {
    await idle();
    const deliveries: { status: string; reason: string }[] = (await s.control("GET /deliveries")).body;
    return { statuses: deliveries.map(({ status }) => status), last: deliveries.at(-1) };
  };
  return { ...s, idle, outcomes };
}

it("a ping reports a webhook that points back at it, and does not call itself again", async () => {
  const s = await openSandbox();
  await s.control("PATCH /data/webhooks/1", { url: `${s.url}/__sim/sandboxes/${s.id}/webhooks/crm/ping` });
  const { status, body } = await s.control("POST /webhooks/crm/ping");
  expect([status, body.ok]).toEqual([200, false]);
  expect(body.message).toMatch(/answers 409.*a webhook points at the control API/s);
});

it("a loop through a replay ends", async () => {
  let replay = "";
  const { url } = await receiver(async (response, { headers }) => {
    const hops = { "x-sim-hops": String(headers["x-sim-hops"]) };
    const { status } = await fetch(replay, { method: "POST", headers: hops });
    response.writeHead(status).end();
  });
  const s = await sandboxWithHook(url);
  replay = `${s.url}/__sim/sandboxes/${s.id}/deliveries/d1/replay`;
  await s.control("POST /threads/9001/inbound", { text: "Hello" });
  const { statuses, last } = await s.outcomes();
  expect(statuses).toEqual([...Array(5).fill("delivered"), "blocked"]);
  expect(last).toMatchObject({ attempts: [] });
  expect(last?.reason).toContain("5 calls of the simulator led to this one");
});

it("a loop through the simulated API ends", async () => {
  const { url, seen } = await receiver();
  const s = await sandboxWithHook(url);
  const message = { customerThreadId: "9001", text: "Hello" };
  for (const [name, hops] of [
    ["X-Sim-Hops", "4"],
    ["x-sim-hops", "5"],
  ] as const)
    await s.api("POST /api/send-message-to-customer-thread", message, { headers: { [name]: hops } });
  expect((await s.outcomes()).statuses).toEqual(["delivered", "blocked"]);
  expect(seen.map(({ headers }) => headers["x-sim-hops"])).toEqual(["5"]);
});

it("the header that counts is on every delivery, ping and replay, and cannot be set by a webhook", async () => {
  const { url, seen } = await receiver();
  const s = await sandboxWithHook(url, { extraHeaders: [{ name: "X-SIM-HOPS", value: "-7" }] });
  await s.control("POST /threads/9001/inbound", { text: "Hello" });
  await s.idle();
  await s.control("POST /webhooks/crm/ping");
  await s.control("POST /deliveries/d1/replay");
  await s.idle();
  expect(seen.map(({ headers }) => headers["x-sim-hops"])).toEqual(["1", "1", "1"]);
});
