/** `mcp` as an assistant uses it: the SDK's client over the real process. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SimClient } from "../../src/client/client.js";
import { receiver } from "../scenarios/support.js";
import { MAIN } from "./program.js";

const assistant = new Client({ name: "assistant", version: "1" });
const errors: string[] = [];
/** The simulator's address, as the assistant learns it. */
let url = "";

beforeAll(async () => {
  const command = { command: process.execPath, args: [MAIN, "mcp"] };
  const transport = new StdioClientTransport({ ...command, stderr: "pipe" });
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

const textOf = async (name: string, input: object = {}) => (await use(name, input)).text;
const valueFrom = async (name: string, input: object = {}) => (await use(name, input)).value;

const send = (customerThreadId: string, token: string) =>
  fetch(`${url}/api/send-message-to-customer-thread`, {
    method: "POST",
    headers: { token, "content-type": "application/json" },
    body: JSON.stringify({ customerThreadId, text: "On its way" }),
  });

it("says where its own simulator is, and writes nothing but the protocol to standard output", () => {
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(errors.join("")).toBe(`messaging-sim mcp uses its own simulator at ${url}\n`);
});

it("lists every tool with a schema of its arguments, and what can be read", async () => {
  const { tools } = await assistant.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(
    "advance behaviour check_scenario connect customer_says deliveries employee_says fault faults requests reset run_scenario status threads transcript transfer wait_for_reply why_no_reply window".split(
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
  const misspelt = assistant.readResource({ uri: "messaging-sim://schema/openapix" });
  await expect(misspelt).rejects.toThrow(/did you mean "schema\/openapi"/);
});

it("finds out why a broken bot is silent, until it replies", async () => {
  const thread = "9001";
  const why = () => textOf("why_no_reply", { thread });
  const newest = () => textOf("requests", { thread, limit: 1 });
  expect(await textOf("threads")).toMatch(/^id +channel +status +window +customer +last message\n9001 /);
  await use("customer_says", { thread: 9001, text: "Is my order ready?" });
  expect(await why()).toContain("Webhook crm still points to sink:demo");

  let token = "acme-tokne";
  const bot = await receiver(({ eventType, data }) => {
    if (eventType === "message" && data.fromCustomer) void send(String(data.customerThreadId), token);
  });
  await use("connect", { url: bot });
  await use("customer_says", { thread, text: "Hello?" });
  await new SimClient(url).waitForRequest({ status: 401 });
  const refused = await use("why_no_reply", { thread });
  expect(refused.text).toMatch(
    /^Your program's call was refused: 401 .*Unknown token `acme-tokne`; use `acme-token`/,
  );
  expect(refused.value).toMatchObject({ cause: "unknown-token", entry: expect.stringMatching(/^r\d/) });

  token = "acme-token";
  await use("customer_says", { thread, text: "Still there?" });
  const said = await valueFrom("wait_for_reply", { thread, contains: "way" });
  expect(said).toMatchObject({ text: "On its way" });
  expect(await valueFrom("why_no_reply", { thread })).toEqual({ cause: "replied" });
  expect(await textOf("transcript", { thread })).toContain("> On its way");
  expect(await newest()).toMatch(/→ 200$/);

  const fault = { on: "request", then: "unavailable", times: 1 };
  expect(await textOf("fault", fault)).toBe("Armed f1: unavailable for 1 request.");
  await use("customer_says", { thread, text: "And now?" });
  const late = await use("wait_for_reply", { thread, within: "300ms" });
  const text = expect.stringMatching(/^No reply in thread 9001 within 300 ms/);
  expect(late).toMatchObject({ isError: true, text });
  expect(await why()).toMatch(/^Fault f1 answered your program's call with 503/);

  const scenario = "name: Greets\nthread: '9001'\nsteps:\n  - customer: Hi\n  - reply: On its way\n";
  const wrong = await textOf("check_scenario", { scenario: scenario.replace("customer", "custmer") });
  expect(wrong).toContain('4:5  steps[0].custmer: unknown step "custmer": did you mean "customer"?');
  expect(await valueFrom("check_scenario", { scenario })).toEqual({ ok: true, problems: [] });
  // The bot stays connected where the scenario resets the sandbox.
  for (const head of ["", "clock: 2026-01-01T09:00:00Z\n"])
    expect(await valueFrom("run_scenario", { scenario: head + scenario })).toMatchObject({ ok: true });
  expect(await newest()).toMatch(/^r1 .*→ 200$/);
  expect(await textOf("requests", { thread: "9002" })).toBe("No API calls about thread 9002.");
  await send("9003", token);
  expect(await newest()).toMatch(/^r1 /);
  const unknown = 'there is no record in threads with the id "77"; ids: 9001, ';
  expect(await textOf("requests", { thread: "77" })).toContain(unknown);
  await use("reset");
});

it("moves clock, window and threads, and goes back to the start", async () => {
  const [thread, status] = ["9001", "resolved"];
  const state = () => new SimClient(url).data("threads").get(thread);
  await use("window", { thread, state: "closed" });
  await use("transfer", { thread, to: "1002" });
  await use("status", { thread, status });
  expect(await state()).toMatchObject({ isMessagingWindowOpen: false, businessId: "1002", status });
  expect(await valueFrom("advance", { by: "25h" })).toMatchObject({ frozen: false });
  await use("employee_says", { thread, text: "Call them back", internal: true });
  const behaviour = [{ key: "window.duration", value: "24h" }];
  const changed = await valueFrom("behaviour", { values: { "window.duration": "24h" } });
  expect(changed).toMatchObject({ behaviour });
  expect(await valueFrom("faults", { clear: true })).toEqual({ faults: [] });
  expect(await textOf("reset")).toBe("The sandbox default was reset to its initial state.");
  expect(await state()).toMatchObject({ businessId: "1001" });
});

it.each([
  ["customer_says", { thread: "77", text: "Hi" }, /^there is no thread "77"; threads: 9001, 9002, /],
  ["customer_says", { thred: "9001", text: "Hi" }, /unknown field "thred": did you mean "thread"/],
  ["advance", { by: "-1h" }, /by: must be a duration/],
  ["fault", { on: "request", then: "explode" }, /then/],
  ["behaviour", { values: { "window.durations": "1h" } }, /did you mean "window.duration"/],
  ["constructor", {}, /^unknown tool "constructor"/],
  ["customer_say", {}, /^unknown tool "customer_say": did you mean "customer_says"/],
])("%s refuses %j in words", async (name, input, message) => {
  const { text, isError } = await use(name, input);
  expect(isError).toBe(true);
  expect(text).toMatch(message);
  expect(text).not.toMatch(/\/__sim|POST|GET/);
});
