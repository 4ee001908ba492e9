/** The client reaches every route of the control API. */
import { expect, it, onTestFinished, vi } from "vitest";
import { Transport } from "../../src/client/transport.js";
import { pathsOf } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { routeTable } from "../../src/kernel/http/endpoint.js";
import { CONTROL_PREFIX } from "../../src/kernel/names.js";
import { rejection, startClients } from "../support/client.js";

/** A receiver for webhooks, not for clients. */
const NOT_FOR_CLIENTS = ["sink"];

it("has a method for each route, or reaches it by its line", async () => {
  const { client, sandbox } = await startClients();
  const routes = routeTable(ROUTES, (route) => pathsOf(route).map((path) => CONTROL_PREFIX + path));
  const reached = new Set<string>();
  onTestFinished(() => void vi.restoreAllMocks());
  const { send } = Transport.prototype;
  vi.spyOn(Transport.prototype, "send").mockImplementation(function (this: Transport, method, path, call) {
    const { route } = routes.find(method, new URL(this.base + path).pathname);
    if (route !== undefined) reached.add(route.id);
    return send.call(this, method, path, call);
  });

  await client.health();
  await client.route("GET /ready")();
  // Nothing is saved without a folder.
  await expect(client.route("POST /checkpoint")()).rejects.toMatchObject({ status: 409 });
  for (const which of ["openapi", "control", "asyncapi"] as const) await client.route(`GET /${which}.json`)();
  await client.route("GET /metrics")();
  await client.ensureSandbox((await client.sandbox()).id);
  await client.sandboxes();
  await client.deleteSandbox((await client.sandbox()).id);
  await client.sandboxInfo(sandbox.id);
  await sandbox.route("PUT /state")(await sandbox.state());
  await sandbox.route("GET /start")();
  await sandbox.route("GET /controls")();
  await sandbox.route("GET /changes")();
  await sandbox.route("GET /messages/newest")();
  await sandbox.snapshot("a/b");
  await sandbox.restore("a/b");
  await sandbox.route("GET /snapshots")();
  await sandbox.route("DELETE /snapshots/:name")("a/b");
  await sandbox.setClock(await sandbox.clock());
  await sandbox.advance(1);
  await sandbox.behaviour();
  await sandbox.patchBehaviour({});
  expect(await sandbox.customerSays(9001, "Hello")).toMatchObject({ fromCustomer: true, text: "Hello" });
  const internal = await sandbox.employeeSays("9001", "501", "Psst", { internal: true });
  expect(internal).toMatchObject({ employeeUserId: "501", invisible: true });
  expect(await sandbox.closeWindow("9001")).toMatchObject({ isMessagingWindowOpen: false });
  expect(await sandbox.openWindow("9001")).toMatchObject({ isMessagingWindowOpen: true });
  expect(await sandbox.setStatus("9001", "resolved")).toMatchObject({ status: "resolved" });
  expect(await sandbox.transfer("9001", "1002", "503")).toMatchObject({ businessId: "1002" });
  await sandbox.transcript("9001");
  expect(await sandbox.why("9001")).toMatchObject({ cause: "not-connected" });
  expect(await sandbox.emit("message", {}, { legacy: true })).toEqual([]);
  expect(await sandbox.emit("message", { messageBody: "As if" })).toHaveLength(1);
  const templates = sandbox.data("templates");
  const [template] = await templates.list();
  await templates.get(template!.id);
  await templates.create({ ...template!, id: "HXother" });
  await templates.update("HXother", {});
  await sandbox.route("PUT /data/:collection/:id")("templates", "HXother", { ...template!, id: "HXother" });
  await templates.delete("HXother");
  await sandbox.requests();
  await sandbox.deliveries();
  await sandbox.replay((await sandbox.waitForDelivery("message")).id);
  const fault = await sandbox.fault({ on: "delivery", then: { reorder: true } });
  await fault[Symbol.asyncDispose]();
  await sandbox.verify({ deliveries: {} });
  await sandbox.route("POST /webhooks/:hookId/ping")("crm");
  await sandbox.connect("sink:demo");
  await sandbox.warnings();
  await sandbox.route("DELETE /requests")();
  await sandbox.route("DELETE /warnings")();
  await (await sandbox.fault({ on: "request", then: "slow" })).remove();
  await sandbox.faults();
  await sandbox.clearFaults();
  await sandbox.sink("demo").answer({});
  await sandbox.sink("demo").received();
  await client.coverage();
  await sandbox.coverage();
  await sandbox.route("GET /scenarios")();
  await rejection(sandbox.run({ unusable: true }));
  for await (const _event of sandbox.stream()) break;
  await sandbox.reset();

  const all = ROUTES.map(({ id }) => id).filter((id) => !NOT_FOR_CLIENTS.includes(id));
  expect(all.filter((id) => !reached.has(id))).toEqual([]);
});
