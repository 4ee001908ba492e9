/** The commands by hand, as a person runs them, against a real simulator. */
import { beforeEach, describe, expect, it } from "vitest";
import { nextTurn } from "../../src/kernel/realtime.js";
import { receiver } from "../scenarios/support.js";
import { serverOf } from "../support/server.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { begin, refused, run } from "./terminal.js";

const SEND = "POST /api/send-message-to-customer-thread";
const START = "2026-01-01T09:00:00Z";

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator();
});

/** Runs a command against the simulator. */
const byHand = (line: string, env: Record<string, string> = {}) =>
  run(line.split(" "), { MESSAGING_SIM_URL: sim.url, ...env });
const printed = async (line: string) => (await byHand(line)).out;
const json = async (line: string) => JSON.parse(await printed(`${line} --json`));
const get = async (path: string) => (await sim.control(`GET ${path}`)).body;
const newestMessage = async () => (await get("/data/messages?threadId=9001&_sort=-id"))[0];

it("a command by hand says something as the customer", async () => {
  const said = await byHand("say 9001 Is my order ready?");
  const message = await newestMessage();
  expect(message).toMatchObject({ fromCustomer: true, text: "Is my order ready?" });
  expect(said).toEqual({
    code: 0,
    out: `The customer of thread 9001 wrote message ${message.id}: Is my order ready?\n  d1 to crm at sink:demo: delivered (200)\n`,
    err: "",
  });
  // A discarded message of the same id has deliveries too.
  await sim.control("POST /reset");
  await sim.control("POST /snapshots", { name: "before" });
  await byHand("say 9001 one");
  await sim.control("POST /snapshots/before/restore");
  expect(await printed("say 9001 two")).toMatch(/: two\n {2}d2 to crm [^\n]*\n$/);
});

it("a command by hand lists the threads with customer and last message", async () => {
  await byHand(`say 9001 Two\nlines${" and more".repeat(9)}`);
  await byHand("window 9001 closed");
  const [head, first, ...others] = (await printed("threads")).trimEnd().split("\n");
  expect(head).toMatch(/^id {4}channel {3}status +window {2}customer +last message$/);
  expect(first).toMatch(/^9001 {2}WHATSAPP {2}waiting +closed {2}Alan Johnson +Two\\u000alines and more.*…$/);
  expect(others).toHaveLength(6);
  const customer = { id: "cust_001" };
  const [thread] = await json("threads");
  expect(thread).toMatchObject({ id: "9001", customer, lastMessage: await newestMessage() });
});

it.each([
  ["9001 -- -1", "-1"],
  ["9001 minus -- -1 --json --", "minus -1 --json --"],
  ["9001 -- --json=no", "--json=no"],
  ["-- 9001 --help", "--help"],
  ["9001 say run", "say run"],
  ["9001 I need help", "I need help"],
])(
  "a command by hand takes what stands behind -- and names of commands as they are: say %s",
  async (words, said) => {
    expect(await byHand(`say ${words}`)).toMatchObject({ code: 0, err: "" });
    expect((await newestMessage()).text).toBe(said);
  },
);

it("a command by hand opens and closes a window, moves clock and thread, and puts everything back", async () => {
  sim = await startSimulator({ set: { "window.duration": "24h" }, clock: START });
  const window = "The messaging window of thread 9001 is";
  const until = "open until 2026-01-02T09:00:00.000Z";
  for (const [line, out, thread] of [
    ["window 9001 closed", `${window} closed.`, { isMessagingWindowOpen: false }],
    ["window 9001 open", `${window} ${until}.`, { isMessagingWindowOpen: true }],
    ["advance 25h", "The clock is at 2026-01-02T10:00:00.000Z, and frozen.", {}],
    ["transfer 9001 1002", "Thread 9001 is now with business 1002.", { businessId: "1002" }],
    ["reset", "The sandbox default was reset to its initial state.", { businessId: "1001" }],
  ] as const) {
    expect(await printed(line)).toBe(`${out}\n`);
    expect(await get("/data/threads/9001")).toMatchObject(thread);
  }
  expect((await get("/clock")).now).toBe(Date.parse(START));
});

it("a command by hand says why a window did not move, and that nothing was due", async () => {
  const stayed =
    /^ {2}\d messaging windows stayed open: windows close by time with --set window\.duration=24h/m;
  const quiet = await printed("advance 25h");
  expect(quiet).toContain("\n  Nothing was due.\n");
  expect(quiet).toMatch(stayed);
  await byHand("window 9001 closed");
  expect(await printed("say 9001 Hello")).toContain(
    "\n  The messaging window stays closed: open it with messaging-sim window 9001 open; a customer's message",
  );
  await byHand("window 9001 open");
  expect(await printed("say 9001 Hello")).not.toContain("stays closed");

  await sim.control("PATCH /behaviour", { "window.duration": "24h" });
  await byHand("say 9001 Hello");
  const moved = await printed("advance 25h");
  expect(moved).not.toContain("Nothing was due.");
  expect(moved).not.toMatch(stayed);
});

it("a command by hand triggers an event with the fields that it is given, each of the payload's type", async () => {
  const out = (event: string, id: string) =>
    `Sent a ${event} event to 1 webhook (${id}).\n  ${id} to crm at sink:demo: delivered (200)\n`;
  const fields = "customerThreadId=9002 messageBody=123 fromCustomer=false";
  expect(await printed(`emit message ${fields}`)).toBe(out("message", "d1"));
  const data = { customerThreadId: 9002, messageBody: "123", fromCustomer: false };
  expect((await get("/deliveries"))[0].body.data).toMatchObject(data);
  // Its other name.
  expect(await printed("trigger transfer customerThreadId=9001")).toBe(out("transfer", "d2"));
});

it("a command by hand says what became of the delivery, or why there was none", async () => {
  const become = async (address: string, pattern: RegExp) => {
    const connected = await printed(`connect ${address}`);
    expect((await printed("say 9001 Hello")).split("\n")[1]).toMatch(pattern);
    return connected;
  };
  const blocked =
    /blocked: bot\.example is not a loopback .*: start the simulator with --allow-outbound bot\.example to allow calls to it$/;
  expect((await become("https://bot.example/hook", blocked)).trimEnd()).toMatch(blocked);
  const unreached =
    /^ {2}d2 to crm at http:\/\/127\.0\.0\.1:1: failed \(connection refused: nothing is listening at the address\)$/;
  expect(await become("127.0.0.1:1", unreached)).toBe(
    "crm → http://127.0.0.1:1 instead of https://bot.example/hook\n",
  );
  await sim.control("PATCH /data/webhooks/1", { enabled: false });
  expect(await printed("say 9001 Hello")).toContain(
    "\n  no delivery: no enabled webhook of the organization is subscribed to messages (",
  );
});

it("a command by hand arms faults, lists how often they fired, and removes them", async () => {
  expect(await printed("faults")).toBe("No faults are armed.\n");
  expect(await printed("fault unavailable --times 2 --match path=/api/** --match status=200")).toBe(
    'Armed f1: unavailable for 2 requests that match {"path":"/api/**","status":200}.\n',
  );
  expect(await printed("fault slow --on delivery")).toBe("Armed f2: slow for all deliveries.\n");
  // Nothing is signed, so it would have no effect.
  expect(await printed("fault bad-signature --times 1")).toMatch(
    /^Armed f3: bad-signature for 1 delivery\. Note: .+\.\n$/,
  );
  await byHand("faults --clear");
  await byHand("fault unavailable --times 1");
  expect((await sim.api(SEND, { customerThreadId: "9001", text: "Hi" })).status).toBe(503);
  expect(await printed("faults")).toBe("f4: unavailable for 1 request: seen 1, fired 1\n");
  expect(await json("faults")).toMatchObject([{ id: "f4", fired: 1 }]);
  expect(await byHand("fault token-expired --on delivery")).toEqual(
    refused('"token-expired" applies to a request, not to a delivery'),
  );
  expect(await byHand("fault slow --match thread=9001")).toEqual(
    refused('match.thread: unknown field "thread"'),
  );
});

it("a command by hand writes as an employee, and sets the status of a thread", async () => {
  expect(await printed("employee 9001 I will take over")).toMatch(
    /^Employee 501 wrote message \d+ in thread 9001: I will take over\n {2}d1 to crm at sink:demo: delivered \(200\)\n$/,
  );
  await byHand("employee 9001 Angry customer --by 501 --internal");
  const message = { text: "Angry customer", employeeUserId: "501", invisible: true, fromCustomer: false };
  expect(await newestMessage()).toMatchObject(message);
  expect(await printed("status 9001 resolved")).toBe("Thread 9001 is resolved.\n");
  expect(await get("/data/threads/9001")).toMatchObject({ status: "resolved" });
});

it("env prints what leads a program to the simulator, for each shell", async () => {
  await sim.control("POST /sandboxes", { id: "s1" });
  const variables = { MESSAGING_SIM_URL: sim.url, MESSAGING_SIM_TOKEN: "acme-token" };
  expect(await printed("env")).toBe(`export MESSAGING_SIM_URL=${sim.url} MESSAGING_SIM_TOKEN=acme-token\n`);
  const token = "s1.acme-token";
  expect(await printed("env --sandbox s1 --format fish")).toBe(
    `set -gx MESSAGING_SIM_URL ${sim.url}\nset -gx MESSAGING_SIM_TOKEN ${token}\n`,
  );
  expect(await printed("env --sandbox s1 --format powershell")).toBe(
    `$env:MESSAGING_SIM_URL = '${sim.url}'\n$env:MESSAGING_SIM_TOKEN = '${token}'\n`,
  );
  expect(await printed("env --format dotenv")).toBe(
    `MESSAGING_SIM_URL=${sim.url}\nMESSAGING_SIM_TOKEN=acme-token\n`,
  );
  expect(JSON.parse(await printed("env --format json"))).toEqual(variables);
  expect(await json("env")).toEqual(variables);
});

it("env quotes a token for the shell", async () => {
  const tokens = [{ id: "it's$HOME;#", userId: "501" }];
  const { body } = await sim.control("GET /state");
  await sim.control("POST /sandboxes", { id: "odd", fixtures: { ...body, tokens } });
  expect(await printed("env --sandbox odd")).toBe(
    `export MESSAGING_SIM_URL=${sim.url} MESSAGING_SIM_TOKEN='odd.it'\\''s$HOME;#'\n`,
  );
});

it("connect ends with exit code 1 where deliveries are blocked", async () => {
  const { code, out } = await byHand("connect https://bot.example/hook");
  expect([code, out]).toEqual([1, expect.stringContaining("--allow-outbound bot.example")]);
  expect((await byHand("connect 127.0.0.1:1")).code).toBe(0);
  expect((await byHand("connect 3999")).out).toContain("crm → http://127.0.0.1:3999 instead");
});

it("a command by hand finds the simulator at an address without a scheme, at its page's, and at none that is another server's", async () => {
  const { host, port } = new URL(sim.url);
  for (const url of [host, `localhost:${port}`, `${host}/__sim/ui/`, `${sim.url}/`])
    expect(await run(["threads", "--url", url])).toMatchObject({ code: 0, err: "" });
  expect(await byHand("threads", { MESSAGING_SIM_URL: host })).toMatchObject({ code: 0, err: "" });
  expect(await byHand("threads", { MESSAGING_SIM_URL: "nowhere" })).toEqual(
    refused(
      'MESSAGING_SIM_URL: must be an http or https URL such as http://127.0.0.1:3000, but is "nowhere"\n',
    ),
  );
  const page = await serverOf((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<html></html>");
  });
  expect(await byHand(`threads --url ${page}`)).toEqual(
    refused(`the server at ${page} is not messaging-sim\n`),
  );
});

it("a command by hand connects the webhooks, with the token along, and prints what came with --json", async () => {
  const connected = "crm → sink:bot instead of sink:demo; token: acme-token\n";
  expect(await printed("connect sink:bot --header token")).toBe(connected);
  const extraHeaders = [{ name: "token", value: "acme-token" }];
  expect(await get("/data/webhooks/1")).toMatchObject({ url: "sink:bot", extraHeaders });
  expect(await json("connect sink:bot")).toMatchObject({ webhooks: [{ id: "1", changed: false }] });
  expect(await json("say 9001 Hello")).toEqual(await newestMessage());
  expect(await json("reset")).toEqual({ sandbox: "default" });
});

it("a command by hand acts on the sandbox and with the control token that it is given", async () => {
  sim = await startSimulator({ controlToken: "secret" });
  const headers = { authorization: "Bearer secret" };
  await sim.control("POST /sandboxes", { id: "s1" }, headers);
  const line = "transfer 9001 1002 --sandbox s1";
  expect(await byHand(line)).toEqual(refused("--control-token"));
  const flagged = `${line} --control-token secret --url ${sim.url}/`;
  expect((await byHand(flagged, { MESSAGING_SIM_URL: "http://127.0.0.1:1" })).code).toBe(0);
  const businessIn = async (place: string) =>
    (await sim.control(`GET ${place}/data/threads/9001`, undefined, headers)).body.businessId;
  expect([await businessIn("/sandboxes/s1"), await businessIn("")]).toEqual(["1002", "1001"]);
  const { out } = await byHand("reset --sandbox s1", { MESSAGING_SIM_CONTROL_TOKEN: "secret" });
  expect(out).toContain("sandbox s1");
});

it.each([
  ["say 1 Hello", 'there is no thread "1"; threads: 9001, 9002, 9003'],
  ["say 9\nINJECTED Hello", 'there is no thread "9\\u000aINJECTED"'],
  ["transfer 9001 1", 'there is no business "1"; businesses: 1001, 1002'],
  ["emit message mesageBody=Hi", 'mesageBody: unknown field "mesageBody": did you mean "messageBody"?'],
  ["emit transfer messageBody=Hi", 'messageBody: unknown field "messageBody": it must be customerThreadId'],
  ["emit message fromCustomer=maybe", "fromCustomer: must be true or false, but is a string"],
  ["emit transfer newBusinessId=x", "newBusinessId: must be an integer, but is a string"],
  ["window 9003 closed", "has no messaging window"],
  ["reset -- -x", 'unknown argument "-x": messaging-sim help reset shows what it takes\n'],
  ["chat 1", "there is no"],
  ["tail --sandbox none", 'there is no sandbox "none"'],
])("a command by hand %j is refused in a line, and changes nothing", async (line, problem) => {
  const before = await get("/state");
  const refusal = await byHand(line);
  expect(refusal).toEqual(refused(problem));
  expect(refusal.err.trimEnd().split("\n")).toHaveLength(1);
  expect(await get("/state")).toEqual(before);
});

it("tail follows calls, deliveries, warnings and state changes until the simulator ends", async () => {
  const tail = begin(["tail", "--url", sim.url]);
  while (sim.registry.default.streams.idle) await nextTurn();
  await sim.api(SEND, { customerThreadId: 9001, text: "\u001b[31mRed" });
  await sim.control("POST /threads/9001/window", { open: false });
  await sim.api(SEND, { customerThreadId: "9001", text: "Hello" });
  await sim.api(SEND, { customerThreadId: "9001", text: 5 });
  await sim.control("POST /reset");
  await tail.printed(/reset {4}the sandbox was reset\n/);
  const out = tail.out();
  expect(out).toMatch(/^r1 {7}POST \/api\/send-message-to-customer-thread → 200$/m);
  expect(out).toMatch(/^warning {2}number-id: @\.customerThreadId is a number/m);
  expect(out).toMatch(/^d1 {7}message to crm \(sink:demo\), delivered \(200\)$/m);
  expect(out).toMatch(/^state {4}messages\/\d+ is new: /m);
  expect(out).toMatch(/^r3 .* → 400: @\.text must be string/m);
  // What a customer or bot wrote colours no terminal.
  expect(out).not.toContain("\u001b");
  await sim.close();
  expect(await tail.exited).toBe(1);
  expect(tail.err()).toMatch(/^Following .*\nThe simulator stopped\.\n$/);
});

it("tail prints each event as an object with --json", async () => {
  const tail = begin(["tail", "--url", sim.url, "--json"]);
  await tail.printed(/"hello"/);
  await sim.control("POST /threads/9001/window", { open: false });
  await tail.printed(/"state"/);
  const events = tail.out().trimEnd().split("\n").slice(0, 2);
  const change = { collection: "threads", id: "9001", after: { isMessagingWindowOpen: false } };
  expect(events.map((line) => JSON.parse(line))).toMatchObject([
    { event: "hello", data: { sandbox: "default" } },
    { event: "state", data: { changes: [change] } },
  ]);
  await sim.close();
  expect(await tail.exited).toBe(1);
});

describe("chat", () => {
  beforeEach(async () => {
    // It answers what the customer writes, and cannot once the window is closed.
    const bot = await receiver(async ({ data }) => {
      const [customerThreadId, text] = [String(data.customerThreadId), `You said: ${data.messageBody}`];
      if (data.fromCustomer) await sim.api(SEND, { customerThreadId, text });
    });
    await byHand(`connect ${bot}`);
  });

  /** Begins a chat in thread 9001, with a keyboard: what is typed, line by line, until its end. */
  function chatAt(url: string, ...words: string[]) {
    const typed = new TransformStream<string, string>();
    const writer = typed.writable.getWriter();
    const lines = () => Object.assign(typed.readable, { close: () => void writer.close().catch(() => {}) });
    const chat = begin(["chat", "9001", "--url", url, ...words], {}, { lines });
    return { chat, type: (text: string) => void writer.write(text), end: () => void writer.close() };
  }

  it("lets a person be the customer, and shows replies, what was refused and why", async () => {
    const { chat, type, end } = chatAt(sim.url);
    await chat.printed(/Can I exchange it for a size 43\?\n/);
    type("Is it ready?");
    await chat.printed(/^Alan Johnson: Is it ready\?\n(?:.*\n)*Ana Martin: You said: Is it ready\?$/m);
    await chat.printed(/^r1 .*send-message-to-customer-thread → 200$/m);
    await sim.control("POST /threads/9002/inbound", { text: "Elsewhere" });
    await sim.control("POST /threads/9001/window", { open: false });
    type("");
    type("And now?");
    await chat.printed(/^r\d .* → 400: The messaging window is closed: send a template$/m);
    end();
    expect(await chat.exited).toBe(0);
    expect(chat.out()).not.toContain("Elsewhere");
    expect(chat.err()).toBe("");
    const texts = (await get("/data/messages?threadId=9001")).map(({ text }: { text: string }) => text);
    expect(texts.slice(-3)).toEqual(["Is it ready?", "You said: Is it ready?", "And now?"]);
  });

  it("shows the whole conversation of input that is piped in, before it ends", async () => {
    const { chat, type, end } = chatAt(sim.url);
    for (const text of ["One", "Two"]) type(text);
    end();
    expect(await chat.exited).toBe(0);
    for (const text of ["Alan Johnson: One", "You said: One", "Alan Johnson: Two", "You said: Two"])
      expect(chat.out()).toContain(text);
  });

  it("ends when the simulator does", async () => {
    const { chat, type } = chatAt(sim.url, "--json");
    type("Hello");
    await chat.printed(/^\{"event":"request",.*"status":200,/m);
    await sim.close();
    expect(await chat.exited).toBe(1);
    expect(chat.err()).toContain("The simulator stopped.");
  });
});
