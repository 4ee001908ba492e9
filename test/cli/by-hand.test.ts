/** The commands by hand, as a person runs them: the real command against a real simulator. */
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { nextTurn } from "../../src/kernel/realtime.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { until } from "../support/until.js";
import { MAIN, start } from "./program.js";

const SEND = "POST /api/send-message-to-customer-thread";

async function byHand(sim: Running, words: string[], env: Record<string, string> = {}) {
  const program = start(words, { MESSAGING_SIM_URL: sim.url, ...env });
  const code = await program.exited;
  return { code, out: program.stdout(), err: program.stderr() };
}

/** Waits until a text has been printed. */
async function printed(program: ReturnType<typeof start>, text: string | RegExp): Promise<void> {
  const isThere = () =>
    typeof text === "string" ? program.stdout().includes(text) : text.test(program.stdout());
  await until(() => isThere() || program.child.exitCode !== null);
  expect(program.stdout() + program.stderr()).toMatch(text);
}

describe("a command by hand", () => {
  it("says something as the customer", async () => {
    const sim = await startSimulator();
    const { code, out, err } = await byHand(sim, ["say", "9001", "Is", "my order", "ready?"]);
    const { body: messages } = await sim.control("GET /data/messages?threadId=9001&_sort=-id");
    expect(messages[0]).toMatchObject({ fromCustomer: true, text: "Is my order ready?" });
    expect({ code, out, err }).toEqual({
      code: 0,
      out: `The customer of thread 9001 wrote message ${messages[0].id}: Is my order ready?\n`,
      err: "",
    });
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
    expect(await said("--", "9001", "--help")).toEqual({ ...well, text: "--help" });
    expect(await byHand(sim, ["window", "9001", "--", "--opn"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^state: unknown state "--opn"/),
    });
    expect((await byHand(sim, ["reset", "--", "-x"])).err).toBe("unknown argument: -x\n");
  });

  it("opens and closes a window, and says until when", async () => {
    const sim = await startSimulator({ set: { "window.duration": "24h" }, clock: "2026-01-01T09:00:00Z" });
    const closed = await byHand(sim, ["window", "9001", "closed"]);
    expect(closed.out).toBe("The messaging window of thread 9001 is closed.\n");
    expect((await sim.control("GET /data/threads/9001")).body.isMessagingWindowOpen).toBe(false);
    const open = await byHand(sim, ["window", "9001", "open"]);
    expect(open.out).toBe("The messaging window of thread 9001 is open until 2026-01-02T09:00:00.000Z.\n");
    expect((await sim.control("GET /data/threads/9001")).body.isMessagingWindowOpen).toBe(true);
  });

  it("moves the clock, a thread, and everything back", async () => {
    const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
    expect((await byHand(sim, ["advance", "25h"])).out).toBe(
      "The clock stands at 2026-01-02T10:00:00.000Z.\n",
    );
    expect((await byHand(sim, ["transfer", "9001", "1002"])).out).toBe(
      "Thread 9001 is with business 1002 now.\n",
    );
    expect((await sim.control("GET /data/threads/9001")).body.businessId).toBe("1002");
    expect((await byHand(sim, ["reset"])).out).toBe("The sandbox default is as it was at its start.\n");
    expect((await sim.control("GET /data/threads/9001")).body.businessId).toBe("1001");
    expect((await sim.control("GET /clock")).body.now).toBe(Date.parse("2026-01-01T09:00:00Z"));
  });

  it("triggers an event with the fields that it is given, each of the payload's type", async () => {
    const sim = await startSimulator();
    const fields = ["customerThreadId=9002", "messageBody=123", "fromCustomer=false"];
    const { out } = await byHand(sim, ["trigger", "message", ...fields]);
    expect(out).toBe("The message event goes out in 1 delivery: d1\n");
    const { body: deliveries } = await sim.control("GET /deliveries");
    expect(deliveries[0].body.data).toMatchObject({
      customerThreadId: 9002,
      messageBody: "123",
      fromCustomer: false,
    });
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
    const said = await byHand(sim, ["say", "9001", "Hello", "--json"]);
    const message = JSON.parse(said.out);
    expect(message).toEqual((await sim.control(`GET /data/messages/${message.id}`)).body);
    const connected = await byHand(sim, ["connect", "sink:demo", "--json"]);
    expect(JSON.parse(connected.out)).toMatchObject({ webhooks: [{ id: "1", changed: false }] });
    expect(JSON.parse((await byHand(sim, ["reset", "--json"])).out)).toEqual({ sandbox: "default" });
  });

  it("acts on the sandbox and with the control token that it is given", async () => {
    const sim = await startSimulator({ controlToken: "secret" });
    await sim.control("POST /sandboxes", { id: "s1" }, { authorization: "Bearer secret" });
    const words = ["transfer", "9001", "1002", "--sandbox", "s1"];
    const refused = await byHand(sim, words);
    expect({ code: refused.code, out: refused.out }).toEqual({ code: 2, out: "" });
    expect(refused.err).toContain("→ 401");
    const flagged = ["--control-token", "secret", "--url", `${sim.url}/`];
    expect(
      (await byHand(sim, [...words, ...flagged], { MESSAGING_SIM_URL: "http://127.0.0.1:1" })).code,
    ).toBe(0);
    const headers = { authorization: "Bearer secret" };
    const threads = await sim.control("GET /sandboxes/s1/data/threads/9001", undefined, headers);
    expect(threads.body.businessId).toBe("1002");
    const others = await sim.control("GET /data/threads/9001", undefined, headers);
    expect(others.body.businessId).toBe("1001");
    const env = { MESSAGING_SIM_CONTROL_TOKEN: "secret" };
    expect((await byHand(sim, ["reset", "--sandbox", "s1"], env)).out).toContain("sandbox s1");
  });

  it.each([
    [["say", "1", "Hello"], 'there is no thread "1"'],
    [["window", "9003", "closed"], "has no messaging window"],
    [["window", "9001", "ajar"], 'state: unknown state "ajar"'],
    [["advance", "soon"], "duration: must be a duration"],
    [["trigger", "typing"], 'event: unknown event "typing"'],
    [["trigger", "message", "text"], 'fields: must be name=value, but is "text"'],
    [["connect", "nowhere"], "url must be"],
    [["say", "9001"], "say needs <thread> <text..>"],
    [["reset", "--url", "nowhere"], "--url: must be an http or https URL"],
    [["reset", "--url", "http://127.0.0.1:1"], "no simulator answers there"],
    [["chat", "1"], "there is no"],
    [["tail", "--sandbox", "none"], 'there is no sandbox "none"'],
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

describe("tail", () => {
  it("follows calls, deliveries, warnings and state changes until the simulator ends", async () => {
    const sim = await startSimulator();
    const program = start(["tail", "--url", sim.url]);
    while (sim.registry.default.streams.idle) await nextTurn();
    await sim.api(SEND, { customerThreadId: 9001, text: "\u001b[31mRed" });
    await sim.control("POST /threads/9001/window", { open: false });
    await sim.api(SEND, { customerThreadId: "9001", text: "Hello" });
    await sim.control("POST /clock/advance", { by: "1h" });
    await sim.control("POST /reset");
    await printed(program, "reset    the sandbox begins anew\n");
    const out = program.stdout();
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
    expect(await program.exited).toBe(1);
    expect(program.stderr()).toContain("The simulator has ended the stream.");
  });

  it("ends in words when the simulator is killed", async () => {
    const server = start(["serve", "--port", "0"]);
    const program = start(["tail", "--json", "--url", await server.url()]);
    expect(await program.line()).toContain("hello");
    server.child.kill("SIGKILL");
    expect(await program.exited).toBe(1);
    expect(program.stderr()).toMatch(/^Following .*\nThe simulator has ended the stream\.\n$/);
  });

  it("prints each event as an object with --json, and ends with its reader", async () => {
    const sim = await startSimulator();
    const program = start(["tail", "--url", sim.url, "--json"]);
    expect(JSON.parse(await program.line())).toMatchObject({ event: "hello", data: { sandbox: "default" } });
    await sim.control("POST /threads/9001/window", { open: false });
    expect(JSON.parse(await program.line())).toMatchObject({
      event: "state",
      data: { changes: [{ collection: "threads", id: "9001", after: { isMessagingWindowOpen: false } }] },
    });
    program.child.stdout.destroy();
    await sim.control("POST /threads/9001/window", { open: true });
    expect(await program.exited).toBe(141);
  });
});

/** A bot that answers what the customer writes, and cannot once the window is closed. */
async function startBot(api: string): Promise<string> {
  const bot = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { data } = JSON.parse(text);
    if (data.fromCustomer)
      await fetch(`${api}/api/send-message-to-customer-thread`, {
        method: "POST",
        headers: { token: String(request.headers.token), "content-type": "application/json" },
        body: JSON.stringify({
          customerThreadId: String(data.customerThreadId),
          text: `You said: ${data.messageBody}`,
        }),
      });
    response.end();
  });
  await new Promise<void>((resolve) => bot.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void bot.close().closeAllConnections());
  return `http://127.0.0.1:${(bot.address() as AddressInfo).port}/`;
}

describe("chat", () => {
  it("lets a person be the customer, and shows replies, what was refused and why", async () => {
    const sim = await startSimulator();
    await byHand(sim, ["connect", await startBot(sim.url), "--header", "token"]);
    const program = start(["chat", "9001", "--url", sim.url], {}, undefined, { typed: true });
    await printed(program, "Can I exchange it for a size 43?\n");
    program.child.stdin.write("Is it ready?\n");
    await printed(program, /^Alan Johnson: Is it ready\?\n(?:.*\n)*Ana Martin: You said: Is it ready\?$/m);
    await printed(program, /^r1 .*send-message-to-customer-thread → 200$/m);
    await sim.control("POST /threads/9002/inbound", { text: "Elsewhere" });
    await sim.control("POST /threads/9001/window", { open: false });
    await printed(program, "state    threads/9001 isMessagingWindowOpen: true → false\n");
    program.child.stdin.write("\nAnd now?\n");
    await printed(program, /^r\d .* → 400: The messaging window is closed: send a template$/m);
    program.child.stdin.end();
    expect(await program.exited).toBe(0);
    expect(program.stdout()).not.toContain("Elsewhere");
    expect(program.stderr()).toBe("");
    const { body: messages } = await sim.control("GET /data/messages?threadId=9001");
    const texts = messages.slice(-3).map(({ text }: { text: string }) => text);
    expect(texts).toEqual(["Is it ready?", "You said: Is it ready?", "And now?"]);
  });

  it("shows the whole conversation of input that is piped in, before it ends", async () => {
    const sim = await startSimulator();
    await byHand(sim, ["connect", await startBot(sim.url), "--header", "token"]);
    const program = start(["chat", "9001", "--url", sim.url], {}, undefined, { typed: true });
    program.child.stdin.end("One\nTwo\n");
    expect(await program.exited).toBe(0);
    for (const text of ["Alan Johnson: One", "You said: One", "Alan Johnson: Two", "You said: Two"])
      expect(program.stdout()).toContain(text);
  });

  it("ends when the simulator does", async () => {
    const sim = await startSimulator();
    const program = start(["chat", "9001", "--url", sim.url, "--json"], {}, undefined, { typed: true });
    expect(JSON.parse(await program.line())).toMatchObject({ event: "hello" });
    await sim.close();
    expect(await program.exited).toBe(1);
    expect(program.stderr()).toContain("The simulator has ended the stream.");
  });
});

describe("completion", () => {
  const completions = async (...typed: string[]) => {
    const program = start(["--completions", "messaging-sim", ...typed]);
    expect(await program.exited).toBe(0);
    return program.stdout().split("\n").slice(0, -1);
  };

  it("knows commands and their options", async () => {
    expect(await completions("")).toEqual(expect.arrayContaining(["serve", "say", "chat", "tail"]));
    expect(await completions("co")).toEqual(["compare", "coverage", "connect", "completion"]);
    expect(await completions("say", "--s")).toEqual(["--sandbox"]);
    expect(await completions("connect", "sink:x", "--")).toEqual(
      expect.arrayContaining(["--header", "--url", "--sandbox", "--control-token", "--json"]),
    );
    expect(await completions("say", "9001", "")).toEqual([]);
    expect(await completions("nothing", "--")).toEqual([]);
  });

  it.each(["bash", "zsh", "fish"])("prints a script for %s", async (shell) => {
    const program = start(["completion", shell]);
    expect(await program.exited).toBe(0);
    expect(program.stdout()).toContain("messaging-sim --completions");
  });

  it("completes in bash", async () => {
    const program = start(["completion", "bash"]);
    expect(await program.exited).toBe(0);
    const script = `messaging-sim() { "${process.execPath}" "${MAIN}" "$@"; }
${program.stdout()}
COMP_WORDS=(messaging-sim tr); COMP_CWORD=1; _messaging_sim; echo "\${COMPREPLY[@]}"
COMP_WORDS=(messaging-sim trigger --sand); COMP_CWORD=2; _messaging_sim; echo "\${COMPREPLY[@]}"`;
    const out = execFileSync("bash", ["-c", script], { encoding: "utf8" });
    expect(out).toBe("transfer trigger\n--sandbox\n");
  });

  it("refuses a shell that it does not know", async () => {
    const program = start(["completion", "tcsh"]);
    expect(await program.exited).toBe(2);
    expect(program.stderr()).toContain('shell: unknown shell "tcsh"');
  });
});
