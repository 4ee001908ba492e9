/** What domain/webhooks.test.ts proves of connecting, as callers see it. */
import { beforeEach, expect, it } from "vitest";
import { type OpenSandbox, openSandbox } from "../support/simulator.js";
import { HOOK } from "./support.js";

let sim: OpenSandbox;
beforeEach(async () => {
  sim = await openSandbox();
  await sim.control("POST /data/webhooks", { id: "2", ...HOOK, organizationId: "300", enabled: false });
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
});

it("POST /connect adds the organization's token or the preferred one, as the API key of the sandbox", async () => {
  await sim.control("DELETE /data/tokens/globex-token");
  const preferred = { header: "token", token: "acme-no-delete" };
  expect(await connect(preferred)).toMatchObject([{ token: "acme-no-delete" }, { token: null }]);
  expect(await connect({ header: "token" })).toMatchObject([{ token: "acme-token" }, { token: null }]);
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await sim.control("POST /wait", { for: "idle" });
  const { body: received } = await sim.control("GET /sinks/bot/received");
  expect(received).toMatchObject([{ headers: { token: sim.tokenOf("acme-token") } }]);
});
