/** Why there is no reply: the route, and what waits and the client's errors say first. */
import { expect, it } from "vitest";
import { rejection, startClients } from "../support/client.js";
import { freePort } from "../support/free-port.js";
import { serverOf } from "../support/server.js";

type Clients = Awaited<ReturnType<typeof startClients>>;

/** Connects a receiver that answers with a status, and calls the API at the first event. */
const connected = async ({ sandbox }: Clients, status = 200, call?: () => Promise<unknown>) => {
  let isFirst = true;
  const url = await serverOf(async (_request, response) => {
    // Its own message is an event too.
    if (isFirst) {
      isFirst = false;
      await call?.();
    }
    response.writeHead(status).end();
  });
  await sandbox.connect(url);
  return url;
};

/** A call that sends a visible message, with any token. */
const says = (url: string, token: string, body: object = {}) =>
  fetch(`${url}/api/send-message-to-customer-thread`, {
    method: "POST",
    headers: { token, "Content-Type": "application/json" },
    body: JSON.stringify({ customerThreadId: "9001", text: "Hi", ...body }),
  });

const CASES: readonly (readonly [
  cause: string,
  sentence: RegExp,
  prepare: (all: Clients) => Promise<unknown>,
])[] = [
  [
    "not-connected",
    /webhook crm still points to sink:demo, a built-in receiver; call sandbox\.connect\(url\)/,
    async () => {},
  ],
  [
    "unreachable",
    /your program could not be reached at http:\/\/127\.0\.0\.1:\d+: connection refused/,
    async ({ sandbox }) => sandbox.connect(`http://127.0.0.1:${await freePort()}`),
  ],
  [
    "receiver-failed",
    /your program answered the webhook with 500; fix the program/,
    (all) => connected(all, 500),
  ],
  ["blocked", /is blocked: .*--allow-outbound/, ({ sandbox }) => sandbox.connect("https://bot.example/hook")],
  ["no-call", /the event was delivered \(200\), and no call has come since/, (all) => connected(all)],
  [
    "wrong-token",
    /your program used `acme-token` of sandbox default\. The key for this conversation is `s1\.acme-token`/,
    (all) => connected(all, 200, () => says(all.sim.url, "acme-token")),
  ],
  [
    "unknown-token",
    /your program's call came to sandbox default with `nobody`, which is unknown: 401/,
    (all) => connected(all, 200, () => says(all.sim.url, "nobody")),
  ],
  [
    "unknown-token",
    /your program's call was refused: 401 .*Unknown token `s1\.acme-tokn`; use `s1\.acme-token`/,
    (all) => connected(all, 200, () => says(all.sim.url, "s1.acme-tokn")),
  ],
  [
    "call-refused",
    /your program's call was refused: 400/,
    (all) => connected(all, 200, () => says(all.sim.url, "s1.acme-token", { text: undefined })),
  ],
  [
    "internal",
    /your program's message is internal: the customer does not see it/,
    (all) => connected(all, 200, () => says(all.sim.url, "s1.acme-token", { internal: true })),
  ],
  [
    "wrong-thread",
    /your program wrote to .* \(9003\) instead/,
    (all) => connected(all, 200, () => says(all.sim.url, "s1.acme-token", { customerThreadId: "9003" })),
  ],
];

it.each(CASES)("names %s in the first line, with its remedy", async (cause, sentence, prepare) => {
  const all = await startClients();
  await prepare(all);
  const { sandbox } = all;
  await sandbox.customerSays("9001", "Hello");
  await sandbox.idle();
  const error = await rejection(sandbox.waitForReply("9001", {}, { within: 20 }));
  const [first] = error.message.split("\n");
  expect(first).toMatch(/^No reply in thread 9001 within 20 ms: /);
  expect(first).toMatch(sentence);
  const why = await sandbox.why("9001");
  expect(why.cause).toBe(cause);
  const { body } = await all.sim.control("POST /sandboxes/s1/wait", {
    for: { requests: { path: "/api/other" } },
    timeoutMs: 0,
  });
  expect(body.why.toLowerCase()).toContain(why.text?.replace(/\.$/, "").toLowerCase());
  expect(body.error.message.toLowerCase()).toContain(why.text?.replace(/\.$/, "").toLowerCase());
});

it("says nothing where no reply is due, and accuses no other sandbox that was asked itself", async () => {
  const { sim, client, sandbox, bot } = await startClients();
  expect(await sandbox.why("9003")).toEqual({ cause: "nothing-asked" });
  expect(await client.why("9003")).toEqual({ cause: "nothing-asked" });
  await sandbox.customerSays("9001", "Hello");
  await bot("Hi");
  expect(await sandbox.why("9001")).toEqual({ cause: "replied" });
  const { body } = await sim.control("POST /sandboxes/s1/wait", {
    for: { reply: { thread: "9001", text: "No" } },
    timeoutMs: 0,
  });
  expect(body).not.toHaveProperty("why");
  expect(await sim.control("GET /sandboxes/s1/threads/none/why")).toMatchObject({ status: 404 });
  // Another test's bot answers its own customer in the sandbox `default`.
  const url = await serverOf((_request, response) => response.end());
  await client.connect(url);
  await sandbox.connect(url);
  await sandbox.customerSays("9001", "Again");
  await client.customerSays("9001", "Hello");
  await sandbox.idle();
  await says(sim.url, "acme-token");
  expect(await sandbox.why("9001")).toMatchObject({ cause: "no-call" });
});

it.each(["same", "apart"] as const)("takes a broadcast for no loop where ids are %s", async (ids) => {
  const { sim, client } = await startClients();
  const sandbox = await client.sandbox({ ids });
  await sandbox.connect(await serverOf((_request, response) => response.end()));
  for (let sent = 0; sent < 10; sent += 1) {
    await says(sim.url, `${sandbox.id}.acme-token`);
    await sandbox.idle();
  }
  expect(await sandbox.why("9001")).toEqual({ cause: "replied" });
});

it("says why the next reply does not come, after one that did", async () => {
  const all = await startClients();
  const { sandbox, sim } = all;
  await connected(all, 200, () => says(sim.url, "s1.acme-token"));
  await sandbox.customerSays("9001", "Hello");
  await sandbox.waitForReply("9001", "Hi");
  await sandbox.customerSays("9001", "Again");
  await sandbox.idle();
  const { message } = await rejection(sandbox.waitForReply("9001", {}, { within: 20 }));
  expect(message).toMatch(
    /^No reply in thread 9001 within 20 ms besides 1 returned before: the event was delivered \(200\), and no call/,
  );
});

it("accuses no program of the calls that another one makes in its own sandbox", async () => {
  const all = await startClients();
  await connected(all);
  const other = await all.client.sandbox({ id: "other" });
  const twice = async () => {
    for (const text of ["Hi", "Hi again"]) await says(all.sim.url, "other.acme-token", { text });
  };
  await connected({ ...all, sandbox: other }, 200, twice);
  await all.sandbox.customerSays("9001", "Hello");
  await all.sandbox.idle();
  await other.customerSays("9001", "Hello");
  await other.idle();
  expect(await all.sandbox.why("9001")).toMatchObject({ cause: "no-call" });
});
