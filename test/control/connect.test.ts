import { beforeEach, expect, it } from "vitest";
import { type OpenSandbox, openSandbox } from "../support/simulator.js";
import { HOOK } from "./support.js";

let sim: OpenSandbox;
beforeEach(async () => {
  sim = await openSandbox();
  const own = { organizationId: "300", enabled: false, extraHeaders: [{ name: "X-A", value: "1" }] };
  await sim.control("POST /data/webhooks", { id: "2", ...HOOK, ...own });
});

const connect = async (more: object = {}) =>
  (await sim.control("POST /connect", { url: "sink:bot", ...more })).body.webhooks;

it("POST /connect reports the previous address of every webhook, and what changed", async () => {
  const own = { id: "1", hookId: "crm", organizationId: "200", previousUrl: "sink:demo", enabled: true };
  expect(await connect()).toEqual([
    { ...own, url: "sink:bot", token: null, changed: true, blocked: null },
    expect.objectContaining({ id: "2", previousUrl: "sink:x", enabled: false }),
  ]);
  expect(await connect()).toMatchObject([{ changed: false }, { changed: false }]);
  const kept = { url: "sink:bot", enabled: false, extraHeaders: [{ name: "X-A" }] };
  expect((await sim.control("GET /data/webhooks/2")).body).toMatchObject(kept);
});

it("POST /connect gives each organization without a webhook one for all events", async () => {
  for (const id of ["1", "2"]) await sim.control(`DELETE /data/webhooks/${id}`);
  const made = { url: "sink:bot", previousUrl: null, enabled: true, changed: true };
  expect(await connect()).toMatchObject([
    { ...made, id: "hook-200", organizationId: "200" },
    { ...made, id: "hook-300", organizationId: "300" },
  ]);
  const { body } = await sim.control("GET /data/webhooks");
  expect(body.map((hook: { subscribedEvents: string[] }) => hook.subscribedEvents)).toEqual(
    Array(2).fill(["messages", "transfers"]),
  );
});

it("POST /connect adds the organization's token, as the API key of the sandbox", async () => {
  await sim.control("DELETE /data/tokens/globex-token");
  const added = { token: "acme-token", changed: true };
  expect(await connect({ header: "token" })).toMatchObject([added, { token: null }]);
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await sim.control("POST /wait", { for: "idle" });
  const { body: received } = await sim.control("GET /sinks/bot/received");
  expect(received).toMatchObject([{ headers: { token: sim.tokenOf("acme-token") } }]);
});
