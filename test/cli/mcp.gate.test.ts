/** `mcp` as an assistant uses it: the SDK's client over the real process. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SimClient } from "../../src/client/client.js";
import { receiver } from "../scenarios/support.js";
import { MAIN } from "./program.js";
import { run } from "./terminal.js";

const assistant = new Client({ name: "assistant", version: "1" });
const errors: string[] = [];
/** The simulator's address, as the assistant learns it. */
let url = "";

beforeAll(async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "mcp"],
    stderr: "pipe",
  });
  transport.stderr?.on("data", (chunk) => errors.push(String(chunk)));
  await assistant.connect(transport);
  url = /http:\/\/[\d.:]+\d/.exec(assistant.getInstructions() ?? "")?.[0] ?? "";
});
afterAll(() => assistant.close());

async function use(name: string, input: object = {}) {
  const { content, structuredContent, isError } = await assistant.callTool({ name, arguments: { ...input } });
  const [{ text = "" } = {}] = content as { text?: string }[];
  return { text, value: structuredContent as Record<string, unknown>, isError: isError === true };
}

const send = (thread: string, token: string) =>
  fetch(`${url}/api/send-message-to-customer-thread`, {
    method: "POST",
    headers: { token, "content-type": "application/json" },
    body: JSON.stringify({ customerThreadId: thread, text: "On its way" }),
  });

it("says where its own simulator is, and writes nothing but the protocol to standard output", () => {
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(errors.join("")).toBe(`messaging-sim mcp uses its own simulator at ${url}\n`);
});

it("lists every tool with a schema of its arguments, and what can be read", async () => {
  const { tools } = await assistant.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(
    "advance behaviour check_scenario connect coverage customer_says deliveries employee_says fault faults requests reset restore run_scenario snapshot status threads transcript transfer wait_for_reply why_no_reply window".split(
      " ",
    ),
  );
  for (const { inputSchema, description } of tools) {
    expect(inputSchema.type).toBe("object");
    expect(description).toMatch(/^[A-Z]/);
  }
  const { resources } = await assistant.listResources();
  for (const { uri } of resources) {
    const { contents } = await assistant.readResource({ uri });
    expect(Object.keys(JSON.parse((contents[0] as { text: string }).text)).length).toBeGreaterThan(0);
  }
  const operations = "messaging-sim://schema/openapi";
  expect(resources.map(({ uri }) => uri)).toContain(operations);
  await expect(assistant.readResource({ uri: `${operations}x` })).rejects.toThrow(
    /did you mean "schema\/openapi"/,
  );
});

it("finds out why a broken bot is silent, until it replies", async () => {
  expect((await use("threads")).text).toMatch(/^id +channel +status +window +customer +last message\n9001 /);
  await use("customer_says", { thread: 9001, text: "Is my order ready?" });
  expect((await use("why_no_reply", { thread: "9001" })).text).toContain("no bot is connected");

  let reply: (thread: string) => unknown = () => {};
  const bot = await receiver(({ eventType, data }) => {
    if (eventType === "message" && data.fromCustomer) void reply(String(data.customerThreadId));
  });
  await use("connect", { url: bot });
  const answered = new Promise((resolve) => {
    reply = (thread) => send(thread, "acme-tokne").then(resolve);
  });
  await use("customer_says", { thread: "9001", text: "Hello?" });
  await answered;
  const refused = await use("why_no_reply", { thread: "9001" });
  expect(refused.text).toMatch(
    /^Your bot's call was refused: 401 .*Unknown token `acme-tokne`; use `acme-token`/,
  );
  expect(refused.value).toMatchObject({ due: true, entry: expect.stringMatching(/^r\d/) });

  reply = (thread) => send(thread, "acme-token");
  await use("customer_says", { thread: "9001", text: "Still there?" });
  const replied = await use("wait_for_reply", { thread: "9001", contains: "way" });
  expect(replied.value).toMatchObject({ text: "On its way" });
  expect((await use("why_no_reply", { thread: "9001" })).value).toMatchObject({ due: false });
  expect((await use("transcript", { thread: "9001" })).text).toContain("> On its way");
  expect((await use("requests", { thread: "9001", limit: 1 })).text).toMatch(/→ 200$/);

  const fault = await use("fault", { on: "request", then: "unavailable", times: 1 });
  expect(fault.text).toBe("Fault f1 is armed.");
  await use("customer_says", { thread: "9001", text: "And now?" });
  const late = await use("wait_for_reply", { thread: "9001", within: "300ms" });
  expect([late.isError, late.text.split("\n")[0]]).toEqual([
    true,
    expect.stringMatching(/^waited 300 ms for a visible message in thread 9001, but none arrived/),
  ]);
  expect((await use("why_no_reply", { thread: "9001" })).text).toMatch(
    /^Fault f1 answered your bot's call with 503/,
  );

  const scenario = "name: Greets\nthread: '9001'\nsteps:\n  - customer: Hi\n  - reply: On its way\n";
  const wrong = await use("check_scenario", { scenario: scenario.replace("customer", "custmer") });
  expect(wrong.text).toContain('4:5  steps[0].custmer: unknown step "custmer": did you mean "customer"?');
  expect((await use("check_scenario", { scenario })).value).toEqual({ ok: true, problems: [] });
  expect((await use("run_scenario", { scenario })).value).toMatchObject({ ok: true });
  // The bot stays connected where the scenario resets the sandbox.
  const fresh = await use("run_scenario", { scenario: `clock: 2026-01-01T09:00:00Z\n${scenario}` });
  expect(fresh.value).toMatchObject({ ok: true });
  expect((await use("requests", { thread: "9001", limit: 1 })).text).toMatch(/^r1 .*→ 200$/);
  expect((await use("requests", { thread: "9002", limit: 1 })).text).toBe("No API calls about thread 9002.");
  await send("9003", "acme-token");
  expect((await use("requests", { thread: "9001", limit: 1 })).text).toMatch(/^r1 /);
  expect((await use("requests", { thread: "77" })).text).toContain(
    'there is no record in threads with the id "77"',
  );
  await use("reset");
});

it("moves clock, window and threads, and goes back to a snapshot", async () => {
  await use("snapshot", { name: "before" });
  const state = () => new SimClient(url).data("threads").get("9001");
  await use("window", { thread: "9001", state: "closed" });
  await use("transfer", { thread: "9001", to: "1002" });
  await use("status", { thread: "9001", status: "resolved" });
  expect(await state()).toMatchObject({
    isMessagingWindowOpen: false,
    businessId: "1002",
    status: "resolved",
  });
  const { value: clock } = await use("advance", { by: "25h" });
  expect(clock).toMatchObject({ frozen: false });
  await use("employee_says", { thread: "9001", text: "Call them back", internal: true });
  const { value: behaviour } = await use("behaviour", { values: { "window.duration": "24h" } });
  expect(behaviour).toMatchObject({ behaviour: [{ key: "window.duration", value: "24h" }] });
  await use("restore", { name: "before" });
  expect(await state()).toMatchObject({ businessId: "1001" });
  expect((await use("faults", { clear: true })).value).toEqual({ faults: [] });
  expect((await use("coverage")).value).toMatchObject({ met: expect.any(Number) });
  expect((await use("reset")).text).toBe("The sandbox default was reset to its initial state.");
});

it.each([
  ["customer_says", { thread: "77", text: "Hi" }, /^there is no thread "77"; threads: 9001, 9002, /],
  ["customer_says", { thred: "9001", text: "Hi" }, /unknown field "thred": did you mean "thread"/],
  ["window", { thread: "9001", state: "shut" }, /state: must be one of open, closed/],
  ["advance", { by: "-1h" }, /by: must be a duration/],
  ["fault", { on: "request", then: "explode" }, /then/],
  ["behaviour", { values: { "window.durations": "1h" } }, /did you mean "window.duration"/],
  ["connect", { url: "ftp://bot" }, /url: must be/],
  ["restore", { name: "nothing" }, /^there is no snapshot "nothing"/],
  ["constructor", {}, /^unknown tool "constructor"/],
  ["customer_say", {}, /^unknown tool "customer_say": did you mean "customer_says"/],
])("%s refuses %j in words", async (name, input, message) => {
  const { text, isError } = await use(name, input);
  expect(isError).toBe(true);
  expect(text).toMatch(message);
  expect(text).not.toMatch(/\/__sim|POST|GET/);
});

it("ends with code 2 where none answers", async () => {
  const { code, err } = await run(["mcp", "--url", "http://127.0.0.1:9"]);
  expect([code, err]).toEqual([2, expect.stringContaining("http://127.0.0.1:9")]);
});
