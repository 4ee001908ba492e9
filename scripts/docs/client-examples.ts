/**
 * One example of each method of the client, by class. In scope: `client`, its `sandbox`, and a `bot` that answers each customer and
 * is connected; `test/docs/client-examples.test.ts` runs them all.
 */
export const CLIENT_EXAMPLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  SimClient: {
    health: "const { version } = await client.health();",
    sandboxes: "const ids = (await client.sandboxes()).map(({ id }) => id);",
    sandboxInfo: "const { tokens } = await client.sandboxInfo(sandbox.id);",
    deleteSandbox: `const { id } = await client.sandbox();
await client.deleteSandbox(id);`,
    sandbox: `const other = await client.sandbox({ behaviour: "realistic", clock: "2026-01-01T09:00:00Z" });`,
    ensureSandbox: `const shared = await client.ensureSandbox("team");`,
  },
  SandboxClient: {
    state: "const { threads } = await sandbox.state();",
    restore: `await sandbox.snapshot("before");
await sandbox.restore("before");`,
    clock: "const { now, frozen } = await sandbox.clock();",
    setClock: `await sandbox.setClock({ now: "2026-01-01T09:00:00Z", frozen: true });`,
    behaviour: `const row = (await sandbox.behaviour()).find(({ key }) => key === "window.duration");`,
    patchBehaviour: `await sandbox.patchBehaviour({ "window.duration": "24h" });`,
    why: `await sandbox.customerSays("9001", "Hello");
const reason = await sandbox.why("9001");`,
    requests: "const calls = await sandbox.requests({ limit: 10 });",
    deliveries: `const failed = await sandbox.deliveries({ status: "failed" });`,
    replay: `await sandbox.customerSays("9001", "Hello");
const { id } = await sandbox.waitForDelivery("message");
await sandbox.replay(id);`,
    warnings: "const relied = await sandbox.warnings();",
    faults: "const armed = await sandbox.faults();",
    clearFaults: "await sandbox.clearFaults();",
    token: `const headers = { token: sandbox.token("acme-token") };`,
    data: `const thread = await sandbox.data("threads").get("9001");`,
    snapshot: `await sandbox.snapshot("before");`,
    advance: `await sandbox.advance("25h");`,
    customerSays: `await sandbox.customerSays("9001", "Is my order ready?");`,
    employeeSays: `await sandbox.employeeSays("9001", "501", "I take over");`,
    openWindow: `await sandbox.openWindow("9002");`,
    closeWindow: `await sandbox.closeWindow("9001");`,
    setStatus: `await sandbox.setStatus("9001", "resolved");`,
    transfer: `await sandbox.transfer("9001", "1002");`,
    transcript: `const [first] = await sandbox.transcript("9001");`,
    emit: `await sandbox.emit("message", { customerThreadId: 9001, messageBody: "Hello again" });`,
    coverage: "const { met, total } = await sandbox.coverage();",
    connect: "await sandbox.connect(bot.url);",
    fault: `await sandbox.fault({ on: "request", times: 2, then: "unavailable" });`,
    sink: `const received = await sandbox.sink("demo").received();`,
    stream: `const stopped = AbortSignal.timeout(50);
for await (const { type } of sandbox.stream({ signal: stopped })) console.log(type);`,
    route: `await sandbox.route("DELETE /requests")();`,
    reset: "await sandbox.reset();",
    run: `const { ok } = await sandbox.run({ thread: "9001", steps: [{ customer: "Hello" }, { delivered: "message" }] });`,
    waitForReply: `await sandbox.customerSays("9001", "Hello");
const reply = await sandbox.waitForReply("9001", { contains: "Hello" });`,
    silent: `await sandbox.employeeSays("9001", "501", "I take over");
await sandbox.silent("9001", "100ms");`,
    waitForRequest: `await sandbox.customerSays("9001", "Hello");
await sandbox.waitForRequest({ operation: "sendMessageToCustomerThread", status: 200 });`,
    waitForDelivery: `await sandbox.customerSays("9001", "Hello");
await sandbox.waitForDelivery({ eventType: "message", status: "delivered" });`,
    expectNone: `await sandbox.expectNone({ deliveries: { eventType: "transfer" } }, "100ms");`,
    idle: `await sandbox.customerSays("9001", "Hello");
await sandbox.idle();`,
    verify: `await sandbox.customerSays("9001", "Hello");
await sandbox.waitForReply("9001");
await sandbox.verify({ requests: { operation: "sendMessageToCustomerThread" }, count: 1 });`,
  },
  Sandbox: {
    token: `const headers = { token: sandbox.token("acme-token") };`,
    dispose: "await sandbox.dispose();",
  },
  Collection: {
    list: `const waiting = await sandbox.data("threads").list({ status: "waiting" });`,
    get: `const thread = await sandbox.data("threads").get("9001");`,
    create: `await sandbox.data("organizations").create({ id: "900", name: "Initech" });`,
    update: `await sandbox.data("businesses").update("1001", { online: false });`,
    delete: `await sandbox.data("webhooks").delete("1");`,
  },
  FaultHandle: {
    id: `const { id } = await sandbox.fault({ on: "delivery", then: { duplicate: 1 } });`,
    remove: `const fault = await sandbox.fault({ on: "delivery", then: { duplicate: 1 } });
await fault.remove();`,
  },
  Sink: {
    url: `const { url } = sandbox.sink("demo");`,
    received: `const received = await sandbox.sink("demo").received();`,
    answer: `await sandbox.sink("demo").answer({ status: 500 });`,
  },
};
