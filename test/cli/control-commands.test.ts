/** The commands by hand, as a person runs them, against a real simulator. */
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../src/kernel/realtime.js";
import { receiver } from "../scenarios/support.js";
import { serverOf } from "../support/server.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { begin, run } from "./terminal.js";

const SEND = "POST /api/send-message-to-customer-thread";

const byHand = (sim: Running, words: string[], env: Record<string, string> = {}) =>
  run(words, { MESSAGING_SIM_URL: sim.url, ...env });

describe("a command by hand", () => {
  it("says something as the customer", async () => {
    const sim = await startSimulator();
    const said = await byHand(sim, ["say", "9001", "Is", "my order", "ready?"]);
    const { body: messages } = await sim.control("GET /data/messages?threadId=9001&_sort=-id");
    expect(messages[0]).toMatchObject({ fromCustomer: true, text: "Is my order ready?" });
    expect(said).toEqual({
      code: 0,
      out: `The customer of thread 9001 wrote message ${messages[0].id}: Is my order ready?\n  d1 to crm at sink:demo: delivered (200)\n`,
      err: "",
    });
    // A discarded message of the same id has deliveries too.
    await sim.control("POST /reset");
    await sim.control("POST /snapshots", { name: "before" });
    await byHand(sim, ["say", "9001", "one"]);
    await sim.control("POST /snapshots/before/restore");
    expect((await byHand(sim, ["say", "9001", "two"])).out).toMatch(/: two\n {2}d2 to crm [^\n]*\n$/);
  });

  it("lists the threads with customer and last message", async () => {
    const sim = await startSimulator();
    await byHand(sim, ["say", "9001", `Two\nlines${" and more".repeat(9)}`]);
    await byHand(sim, ["window", "9001", "closed"]);
    const { code, out } = await byHand(sim, ["threads"]);
    const [head, first, ...others] = out.trimEnd().split("\n");
    expect(head).toMatch(/^id {4}channel {3}status +window {2}customer +last message$/);
    expect(first).toMatch(
      /^9001 {2}WHATSAPP {2}waiting +closed {2}Alan Johnson +Two\\u000alines and more.*…$/,
    );
    expect([code, others.length]).toEqual([0, 6]);
    const [thread] = JSON.parse((await byHand(sim, ["threads", "--json"])).out);
    const { body: message } = await sim.control("GET /data/messages?threadId=9001&_sort=-id&_limit=1");
    expect(thread).toMatchObject({ id: "9001", customer: { id: "cust_001" }, lastMessage: message[0] });
  });

  it("takes what stands behind -- as it is", async () => {
    const sim = await startSimulator();
    const said = async (...words: string[]) => {
      const { code, err } = await byHand(sim, ["say", ...words]);
      const { body } = await sim.control("GET /data/messages?threadId=9001&_sort=-id");
      return { code, err, text: body[0].text };
    };
    const well = { code: 0, err: "" };
    expect(await said("9001", "--", "-1")).toEqual({ ...well, text: "-1" });
    expect(await said("9001", "minus", "--", "-1", "--json", "--")).toEqual({
      ...well,
      text: "minus -1 --json --",
    });
    expect(await said("9001", "--", "--json=no")).toEqual({ ...well, text: "--json=no" });
    expect(await said("--", "9001", "--help")).toEqual({ ...well, text: "--help" });
    expect(await byHand(sim, ["window", "9001", "--", "--opn"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^state: unknown state "--opn"/),
    });
    expect((await byHand(sim, ["reset", "--", "-x"])).err).toBe(
      'unknown argument "-x": messaging-sim help reset shows what it takes\n',
    );
  });

  it("opens and closes a window, moves clock and thread, and puts everything back", async () => {
    const sim = await startSimulator({ set: { "window.duration": "24h" }, clock: "2026-01-01T09:00:00Z" });
    const thread = async () => (await sim.control("GET /data/threads/9001")).body;
    const says = async (line: string, out: string) =>
      expect((await byHand(sim, line.split(" "))).out).toBe(`${out}\n`);
    await says("window 9001 closed", "The messaging window of thread 9001 is closed.");
    expect(await thread()).toMatchObject({ isMessagingWindowOpen: false });
    await says(
      "window 9001 open",
      "The messaging window of thread 9001 is open until 2026-01-02T09:00:00.000Z.",
    );
    expect(await thread()).toMatchObject({ isMessagingWindowOpen: true });
    await says("advance 25h", "The clock is at 2026-01-02T10:00:00.000Z, and frozen.");
    await says("transfer 9001 1002", "Thread 9001 is now with business 1002.");
    expect(await thread()).toMatchObject({ businessId: "1002" });
    await says("reset", "The sandbox default was reset to its initial state.");
    expect(await thread()).toMatchObject({ businessId: "1001" });
    expect((await sim.control("GET /clock")).body.now).toBe(Date.parse("2026-01-01T09:00:00Z"));
  });

  it("triggers an event with the fields that it is given, each of the payload's type", async () => {
    const sim = await startSimulator();
    const fields = ["customerThreadId=9002", "messageBody=123", "fromCustomer=false"];
    const { out } = await byHand(sim, ["trigger", "message", ...fields]);
    expect(out).toBe(
      "The message event goes out in 1 delivery: d1\n  d1 to crm at sink:demo: delivered (200)\n",
    );
    const { body: deliveries } = await sim.control("GET /deliveries");
    expect(deliveries[0].body.data).toMatchObject({
      customerThreadId: 9002,
      messageBody: "123",
      fromCustomer: false,
    });
  });

  it("takes arguments that are names of commands as arguments", async () => {
    const sim = await startSimulator();
    const { code, out } = await byHand(sim, ["trigger", "transfer", "customerThreadId=9001"]);
    expect([code, out]).toEqual([
      0,
      "The transfer event goes out in 1 delivery: d1\n  d1 to crm at sink:demo: delivered (200)\n",
    ]);
    const { out: said } = await byHand(sim, ["say", "9001", "say", "run"]);
    expect(said).toMatch(/: say run\n/);
    expect((await byHand(sim, ["say", "9001", "I", "need", "help"])).out).toMatch(/: I need help\n/);
    expect((await byHand(sim, ["check", "check"])).out).toMatch(/^check {2}cannot be read/);
  });

  it("says what became of the delivery, or why there was none", async () => {
    const sim = await startSimulator();
    const become = async (address: string, pattern: RegExp) => {
      const connected = await byHand(sim, ["connect", address]);
      const { out } = await byHand(sim, ["say", "9001", "Hello"]);
      expect(out.split("\n")[1]).toMatch(pattern);
      return connected.out;
    };
    const blocked =
      /blocked: bot\.example is not a loopback .*: start the simulator with --allow-outbound bot\.example to allow calls to it$/;
    expect((await become("https://bot.example/hook", blocked)).trimEnd()).toMatch(blocked);
    const refused =
      /^ {2}d2 to crm at http:\/\/127\.0\.0\.1:1: failed \(connection refused: nothing is listening at the address\)$/;
    expect(await become("127.0.0.1:1", refused)).toBe(
      "crm → http://127.0.0.1:1 instead of https://bot.example/hook\n",
    );
    await sim.control("PATCH /data/webhooks/1", { enabled: false });
    const { out } = await byHand(sim, ["say", "9001", "Hello"]);
    expect(out).toContain(
      "\n  no delivery: no enabled webhook of the organization is subscribed to messages (",
    );
  });

  it("finds the simulator at an address without a scheme, at its page's, and at none that is another server's", async () => {
    const sim = await startSimulator();
    const { host, port } = new URL(sim.url);
    for (const url of [host, `localhost:${port}`, `${host}/__sim/ui/`, `${sim.url}/`])
      expect(await run(["threads", "--url", url])).toMatchObject({ code: 0, err: "" });
    expect(await run(["health"], { MESSAGING_SIM_URL: host })).toMatchObject({ code: 0, err: "" });
    expect(await run(["health"], { MESSAGING_SIM_URL: "nowhere" })).toMatchObject({
      code: 2,
      err: 'MESSAGING_SIM_URL: must be an http or https URL such as http://127.0.0.1:3000, but is "nowhere"\n',
    });
    const page = await serverOf((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html></html>");
    });
    const err = `the server at ${page} is not messaging-sim\n`;
    expect(await run(["threads", "--url", page])).toEqual({ code: 2, out: "", err });
  });

  it("connects the webhooks, with the token along", async () => {
    const sim = await startSimulator();
    const { out } = await byHand(sim, ["connect", "sink:bot", "--header", "token"]);
    expect(out).toBe("crm → sink:bot instead of sink:demo; token: acme-token\n");
    expect((await sim.control("GET /data/webhooks/1")).body).toMatchObject({
      url: "sink:bot",
      extraHeaders: [{ name: "token", value: "acme-token" }],
    });
  });

  it("prints what came with --json", async () => {
    const sim = await startSimulator();
    const json = async (...words: string[]) => JSON.parse((await byHand(sim, [...words, "--json"])).out);
    const message = await json("say", "9001", "Hello");
    expect(message).toEqual((await sim.control(`GET /data/messages/${message.id}`)).body);
    expect(await json("connect", "sink:demo")).toMatchObject({ webhooks: [{ id: "1", changed: false }] });
    expect(await json("reset")).toEqual({ sandbox: "default" });
  });

  it("acts on the sandbox and with the control token that it is given", async () => {
    const sim = await startSimulator({ controlToken: "secret" });
    const headers = { authorization: "Bearer secret" };
    await sim.control("POST /sandboxes", { id: "s1" }, headers);
    const words = ["transfer", "9001", "1002", "--sandbox", "s1"];
    expect(await byHand(sim, words)).toEqual({
      code: 2,
      out: "",
      err: expect.stringContaining("--control-token"),
    });
    const flagged = [...words, "--control-token", "secret", "--url", `${sim.url}/`];
    expect((await byHand(sim, flagged, { MESSAGING_SIM_URL: "http://127.0.0.1:1" })).code).toBe(0);
    const businessIn = async (place: string) =>
      (await sim.control(`GET ${place}/data/threads/9001`, undefined, headers)).body.businessId;
    expect([await businessIn("/sandboxes/s1"), await businessIn("")]).toEqual(["1002", "1001"]);
    const env = { MESSAGING_SIM_CONTROL_TOKEN: "secret" };
    expect((await byHand(sim, ["reset", "--sandbox", "s1"], env)).out).toContain("sandbox s1");
  });

  it.each([
    [["say", "1", "Hello"], 'there is no thread "1"; threads: 9001, 9002, 9003'],
    [["transfer", "9001", "1"], 'there is no business "1"; businesses: 1001, 1002'],
    [["advance", "-1h"], 'duration: must be a duration such as 30s, 5m or 25h, but is "-1h"'],
    [
      ["trigger", "message", "mesageBody=Hi"],
      'mesageBody: unknown field "mesageBody": did you mean "messageBody"?',
    ],
    [
      ["trigger", "transfer", "messageBody=Hi"],
      'messageBody: unknown field "messageBody": it must be customerThreadId',
    ],
    [["trigger", "message", "fromCustomer=maybe"], "fromCustomer: must be true or false, but is a string"],
    [["trigger", "transfer", "newBusinessId=x"], "newBusinessId: must be an integer, but is a string"],
    [["window", "9003", "closed"], "has no messaging window"],
    [["window", "9001", "ajar"], 'state: unknown state "ajar"'],
    [["advance", "soon"], "duration: must be a duration"],
    [["trigger", "typing"], 'event: unknown event "typing"'],
    [["trigger", "message", "text"], 'fields: must be name=value, but is "text"'],
    [["connect", "nowhere"], "address: must be an http or https URL"],
    [["say", "9001"], "say needs <thread> <text..>"],
    [["reset", "--url", "nowhere"], "--url: must be an http or https URL"],
    [["reset", "--url", "http://127.0.0.1:1"], "no simulator answers at http://127.0.0.1:1: "],
    [["chat", "1"], "there is no"],
    [["tail", "--sandbox", "none"], 'there is no sandbox "none"'],
    [["completion", "tcsh"], 'shell: unknown shell "tcsh": it must be bash, zsh or fish'],
  ])("%j is refused in a line, and changes nothing", async (words, text) => {
    const sim = await startSimulator();
    const { body: before } = await sim.control("GET /state");
    const { code, out, err } = await byHand(sim, words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(text);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect((await sim.control("GET /state")).body).toEqual(before);
  });
});

it("an error adds no line of its own through a name in it", async () => {
  const { url } = await startSimulator();
  const { code, err } = await run(["say", "9\nINJECTED", "Hello", "--url", url]);
  expect([code, err.split("\n").length]).toEqual([2, 2]);
  expect(err).toContain('there is no thread "9\\u000aINJECTED"');
});

describe("tail", () => {
  it("follows calls, deliveries, warnings and state changes until the simulator ends", async () => {
    const sim = await startSimulator();
    const tail = begin(["tail", "--url", sim.url]);
    while (sim.registry.default.streams.idle) await nextTurn();
    await sim.api(SEND, { customerThreadId: 9001, text: "\u001b[31mRed" });
    await sim.control("POST /threads/9001/window", { open: false });
    await sim.api(SEND, { customerThreadId: "9001", text: "Hello" });
    await sim.control("POST /clock/advance", { by: "1h" });
    await sim.control("POST /reset");
    await tail.printed(/reset {4}the sandbox was reset\n/);
    const out = tail.out();
    expect(out).toMatch(/^r1 {7}POST \/api\/send-message-to-customer-thread → 200$/m);
    expect(out).toMatch(/^warning {2}number-id: @\.customerThreadId is a number/m);
    expect(out).toMatch(/^d1 {7}message to crm \(sink:demo\), delivered \(200\)$/m);
    expect(out).toMatch(/^state {4}messages\/\d+ is new: /m);
    expect(out).toMatch(/^state {4}threads\/9001 isMessagingWindowOpen: true → false$/m);
    expect(out).toMatch(/^r2 .* → 400: The messaging window is closed: send a template$/m);
    expect(out).toMatch(/^clock {4}\d{4}-/m);
    // What a customer or bot wrote colours no terminal.
    expect(out).not.toContain("\u001b");
    await sim.close();
    expect(await tail.exited).toBe(1);
    expect(tail.err()).toMatch(/^Following .*\nThe simulator closed the stream\.\n$/);
  });

  it("prints each event as an object with --json, and ends with its reader", async () => {
    const sim = await startSimulator();
    let isRead = true;
    const tail = begin(["tail", "--url", sim.url, "--json"], {}, { drained: async () => isRead });
    await tail.printed(/"hello"/);
    await sim.control("POST /threads/9001/window", { open: false });
    await tail.printed(/"state"/);
    const events = tail.out().trimEnd().split("\n").slice(0, 2);
    expect(events.map((line) => JSON.parse(line))).toMatchObject([
      { event: "hello", data: { sandbox: "default" } },
      {
        event: "state",
        data: { changes: [{ collection: "threads", id: "9001", after: { isMessagingWindowOpen: false } }] },
      },
    ]);
    isRead = false;
    await sim.control("POST /threads/9001/window", { open: true });
    expect(await tail.exited).toBe(0);
  });
});

/** Connects a bot that answers what the customer writes, and cannot once the window is closed. */
async function connectBot(sim: Running): Promise<void> {
  const bot = await receiver(async ({ data }) => {
    if (!data.fromCustomer) return;
    const text = `You said: ${data.messageBody}`;
    await sim.api(SEND, { customerThreadId: String(data.customerThreadId), text });
  });
  await byHand(sim, ["connect", bot]);
}

/** Begins a chat in thread 9001, with a keyboard: what is typed, line by line, until its end. */
function chatAt(url: string, ...words: string[]) {
  const typed = new TransformStream<string, string>();
  const writer = typed.writable.getWriter();
  const lines = () => Object.assign(typed.readable, { close: () => void writer.close().catch(() => {}) });
  const chat = begin(["chat", "9001", "--url", url, ...words], {}, { lines });
  return { chat, type: (text: string) => void writer.write(text), end: () => void writer.close() };
}

describe("chat", () => {
  it("lets a person be the customer, and shows replies, what was refused and why", async () => {
    const sim = await startSimulator();
    await connectBot(sim);
    const { chat, type, end } = chatAt(sim.url);
    await chat.printed(/Can I exchange it for a size 43\?\n/);
    type("Is it ready?");
    await chat.printed(/^Alan Johnson: Is it ready\?\n(?:.*\n)*Ana Martin: You said: Is it ready\?$/m);
    await chat.printed(/^r1 .*send-message-to-customer-thread → 200$/m);
    await sim.control("POST /threads/9002/inbound", { text: "Elsewhere" });
    await sim.control("POST /threads/9001/window", { open: false });
    await chat.printed(/state {4}threads\/9001 isMessagingWindowOpen: true → false\n/);
    type("");
    type("And now?");
    await chat.printed(/^r\d .* → 400: The messaging window is closed: send a template$/m);
    end();
    expect(await chat.exited).toBe(0);
    expect(chat.out()).not.toContain("Elsewhere");
    expect(chat.err()).toBe("");
    const { body: messages } = await sim.control("GET /data/messages?threadId=9001");
    const texts = messages.slice(-3).map(({ text }: { text: string }) => text);
    expect(texts).toEqual(["Is it ready?", "You said: Is it ready?", "And now?"]);
  });

  it("shows the whole conversation of input that is piped in, before it ends", async () => {
    const sim = await startSimulator();
    await connectBot(sim);
    const { chat, type, end } = chatAt(sim.url);
    for (const text of ["One", "Two"]) type(text);
    end();
    expect(await chat.exited).toBe(0);
    for (const text of ["Alan Johnson: One", "You said: One", "Alan Johnson: Two", "You said: Two"])
      expect(chat.out()).toContain(text);
  });

  it.each(["text", "json"])(
    "shows as %s what a slow stream has not brought when all is done",
    async (form) => {
      const sim = await startSimulator();
      await connectBot(sim);
      const url = await serverOf(async (request, response) => {
        const { method = "GET", url } = request;
        const headers = { "content-type": "application/json" };
        const body = method === "GET" ? null : await text(request);
        const answer = await fetch(sim.url + url, { method, headers, body });
        response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
        if (url !== "/__sim/stream") return void response.end(await answer.text());
        const { value } = (await answer.body?.getReader().read()) ?? {};
        response.write(value);
      });
      const { chat, type, end } = chatAt(url, ...(form === "json" ? ["--json"] : []));
      type("One");
      end();
      expect(await chat.exited).toBe(0);
      const found = form === "json" ? /"id":"(?:d1|r1|d2)"/g : /^(?:d\d .* delivered|r1 .* → 200)/gm;
      expect(chat.out().match(found)).toHaveLength(3);
    },
  );

  it("ends when the simulator does", async () => {
    const sim = await startSimulator();
    const { chat } = chatAt(sim.url, "--json");
    await chat.printed(/^\{"event":"hello",/);
    await sim.close();
    expect(await chat.exited).toBe(1);
    expect(chat.err()).toContain("The simulator closed the stream.");
  });
});

describe("completion", () => {
  it("knows commands and their options", async () => {
    const completions = async (...typed: string[]) => {
      const { code, out } = await run(["--completions", "messaging-sim", ...typed]);
      expect(code).toBe(0);
      return out.split("\n").slice(0, -1);
    };
    expect(await completions("")).toEqual(expect.arrayContaining(["serve", "say", "chat", "tail"]));
    expect(await completions("co")).toEqual(["compare", "coverage", "connect", "completion"]);
    expect(await completions("say", "--s")).toEqual(["--sandbox"]);
    expect(await completions("connect", "sink:x", "--")).toEqual(
      expect.arrayContaining(["--header", "--url", "--sandbox", "--control-token", "--json"]),
    );
    expect(await completions("say", "9001", "")).toEqual([]);
    expect(await completions("window", "9001", "")).toEqual(["open", "closed"]);
    expect(await completions("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await completions("schema", "op")).toEqual(["openapi"]);
    expect(await completions("run", "x.yaml", "--reporter", "j")).toEqual(["junit", "json"]);
    expect(await completions("help", "ta")).toEqual(["tail"]);
    const { url } = await startSimulator();
    expect(await completions("chat", "--url", url, "90")).toEqual(["9001", "9002", "9003", "9004", "9005"]);
    expect(await completions("say", "--url", "127.0.0.1:1", "")).toEqual([]);
    expect(await completions("nothing", "--")).toEqual([]);
  });

  it.each(["bash", "zsh", "fish"])("prints a script for %s", async (shell) => {
    const { code, out } = await run(["completion", shell]);
    expect([code, out]).toEqual([0, expect.stringContaining("messaging-sim --completions")]);
  });
});
