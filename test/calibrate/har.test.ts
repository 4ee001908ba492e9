// Slow: judges recordings of thousands of calls.
/** HAR files of other recorders, of other APIs, and hostile ones. */
import { truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readTrace } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import { type Choices, worldsOf } from "../../src/lab/calibrate/possible.js";
import { filesFor } from "../support/folder.js";
import { type Call, entriesOf, PROFILE } from "./calls.js";

const details = { customerChannel: "SMS", status: "waiting", isMessagingWindowOpen: true };
const PATH = "/api/get-customer-thread-details?customerThreadId=77";

const file = filesFor("har");
const fileOf = (content: unknown): string =>
  file("session.har", typeof content === "string" ? content : JSON.stringify(content));
const traceOf = (entries: unknown) => readTrace([fileOf({ log: { version: "1.2", creator: {}, entries } })]);
const problemIn = async (trace: ReturnType<typeof readTrace>): Promise<string> =>
  trace.then(
    () => "none",
    ({ problems }) =>
      problems.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`).join("; "),
  );
/** An entry of a recorder that writes little. */
const entry = (url: string, content: object, request: object = {}) => ({
  request: { method: "GET", url, ...request },
  response: { status: 200, content },
});
const text = (value: unknown) => ({ text: JSON.stringify(value) });
const base64 = (bytes: Buffer) => ({ text: bytes.toString("base64"), encoding: "base64" });

test("reads what a browser records: pages, pseudo headers, timings, entries of other hosts and preflights", async () => {
  const headers = [
    { name: ":authority", value: "x" },
    { name: "Token", value: "t" },
  ];
  const more = { httpVersion: "h2", headers, cookies: [], queryString: [], headersSize: -1, bodySize: 0 };
  const at = (second: number, method: string, url: string, body: unknown) => ({
    ...{ pageref: "page_1", startedDateTime: `2026-01-05T10:00:0${second}.000+01:00`, timings: {} },
    ...entry(url, { size: 9, mimeType: "application/json", ...text(body) }, { method, ...more }),
  });
  const entries = [
    at(0, "GET", "https://cdn.example/app.js", "x"),
    at(1, "OPTIONS", `https://api.example/v2${PATH}`, null),
    at(2, "GET", `https://api.example/v2${PATH}`, details),
  ];
  const pages = [{ id: "page_1", pageTimings: {} }];
  const [exchange, ...others] = await readTrace([fileOf({ log: { version: "1.2", pages, entries } })]);
  expect(others).toEqual([]);
  expect(exchange).toMatchObject({
    index: 2,
    kind: "call",
    operation: "getCustomerThreadDetails",
    path: "/api/get-customer-thread-details",
    at: Date.parse("2026-01-05T09:00:02Z"),
  });
  expect((await learn([exchange!])).exchanges).toMatchObject({ total: 1, agree: 1 });
});

test("reads what mitmproxy records: base64 bodies, no mime types, headers as pairs", async () => {
  const headers = [["token", "t"], { name: "token", value: "t" }];
  const body = base64(Buffer.from(JSON.stringify(details)));
  const [exchange] = await traceOf([entry(`https://api.example${PATH}`, body, { headers })]);
  expect(exchange?.message.response.value).toEqual(details);
});

test("reads what Playwright records: no time, no headers, entries without an answer, and deliveries by their form", async () => {
  const data = { customerThreadId: 77, messageId: 5, messageBody: "Hi", fromCustomer: true };
  const postData = text({ eventType: "message", timestamp: 1, data });
  const trace = await traceOf([
    { ...entry(`https://api.example${PATH}`, {}, { method: "get" }), response: { status: -1, content: {} } },
    entry(`https://api.example${PATH}`, text(details)),
    entry("https://bot.example/hook", {}, { method: "POST", postData }),
    null,
    { request: { url: "no address" }, response: {} },
  ]);
  expect(trace.map(({ index, kind }) => [index, kind])).toEqual([
    [1, "call"],
    [2, "message"],
  ]);
});

test("binary bodies have no value", async () => {
  const trace = await traceOf([
    entry(`https://api.example${PATH}`, base64(Buffer.from([0xff, 0xfe, 0x00, 0x80]))),
  ]);
  expect(trace[0]?.message.response.value).toBeUndefined();
  expect((await learn(trace)).exchanges.contradict).toBe(1);
});

test("says that nothing is of this API, of one that has GraphQL at the same path, too", async () => {
  const postData = text({ query: "{ pets { name } }" });
  const pets = entry("https://pets.example/graphql", text({ data: { pets: [] } }), {
    method: "POST",
    postData,
  });
  for (const entries of [[pets], [entry("https://pets.example/api/pets", text([]))]])
    expect(await problemIn(traceOf(entries))).toBe("log.entries contains no call or delivery of this API");
});

test("refuses what is damaged or beyond the bounds, before parsing it", async () => {
  const big = fileOf("{");
  await truncate(big, 500 * 1024 * 1024);
  expect(await problemIn(readTrace([big]))).toContain("is larger than 64 MiB (524288000 bytes)");
  for (const [content, problem] of [
    [
      `{"log":{"entries":[${"{},".repeat(1_000_000)}{}]}}`,
      "log.entries has more than 20,000 entries: split the recording",
    ],
    ["[".repeat(100_000), "log.entries is nested deeper than 64 levels"],
    ['{"log":', " is not a HAR file: must be valid JSON"],
    ["{}", "log.entries is not a HAR file: log.entries must be an array"],
  ])
    expect(await problemIn(readTrace([fileOf(content)]))).toBe(problem);
  expect(await problemIn(readTrace([join(tmpdir(), "no-such-file.har")]))).toBe(" does not exist");
  expect(await problemIn(readTrace([tmpdir()]))).toContain("cannot be read");
});

const conversation = (businessId: string, index: number, email = "a@b.example"): Call => ({
  line: "POST /api/widget/send-message-to-business",
  sent: { businessId, message: "m", user: { email } },
  body: { result: "ok", customerThreadId: String(index) },
});

/** Recordings that made the reading of them quadratic. */
const LARGE: Readonly<Record<string, (index: number) => Call>> = {
  "threads and customers": (index) =>
    index % 2
      ? { line: `GET /api/get-customer-thread-details?customerThreadId=${index + 1}`, body: details }
      : { line: `GET /api/customers/c${index}/profile`, body: { id: `c${index}` } },
  businesses: (index) => conversation(String(index + 1), index, `a${index}@b.example`),
};

const learnFrom = async (calls: readonly Call[]) => learn(await traceOf(entriesOf(calls)));

test.each(Object.entries(LARGE))(
  "5,000 different %s are judged in time",
  async (_, callOf) => {
    const { exchanges } = await learnFrom(Array.from({ length: 5_000 }, (__, index) => callOf(index)));
    expect(exchanges.total).toBe(5_000);
  },
  60_000,
);

test("a conversation is read no more often after many with its contact than after few", async () => {
  const readsPerCall = async (count: number) => {
    const calls = Array.from({ length: count }, (_, index) => conversation("1001", index));
    let reads = 0;
    const trace = (await traceOf(entriesOf(calls))).map(({ message, ...exchange }) => ({
      ...exchange,
      get message() {
        reads += 1;
        return message;
      },
    }));
    await learn(trace);
    return reads / count;
  };
  expect(await readsPerCall(400)).toBeLessThan(1.2 * (await readsPerCall(100)));
});

test("worlds with the same beginning share it, and what is checked first is checked once", () => {
  const checked = vi.fn((choices: Choices) => choices.isTrue("it passes"));
  const worlds = worldsOf((choices) => {
    choices.begin(() => checked(choices));
    return choices.pick("the status", [1, 2, 3]);
  });
  expect(worlds?.map(({ result }) => result)).toEqual([1, 2, 3, 1, 2, 3]);
  expect(checked).toHaveBeenCalledTimes(2);
  expect(new Set(worlds?.flatMap(({ world }) => world)).size).toBe(5);
});

test.each([
  ["messages to one thread", "/api/send-message-to-customer-thread", { customerThreadId: "77", text: "Hi" }],
  ["changes of one name", "/api/customers/c1/profile/update", { firstName: "Ida" }],
])(
  "8,000 %s between two reads are judged",
  async (_, path, sent) => {
    const profile = { ...PROFILE, firstName: "Ida" };
    const reads = [
      { line: `GET ${PATH}`, body: details },
      { line: "GET /api/customers/c1/profile", body: profile },
    ];
    const change = { line: `POST ${path}`, sent, body: {}, at: 1 };
    const { exchanges } = await learnFrom([
      ...reads,
      ...Array.from({ length: 8_000 }, () => change),
      ...reads.map((read) => ({ ...read, at: 2 })),
    ]);
    expect(exchanges).toMatchObject({ total: 8_004, contradict: 0, unjudged: 0 });
  },
  60_000,
);

test("a key of its own in every call is refused", async () => {
  const calls = Array.from({ length: 501 }, (_, index) => ({ line: `GET ${PATH}`, token: `t${index}` }));
  expect(await problemIn(traceOf(entriesOf(calls)))).toContain("more than 500 API keys");
});

test("ids that name each other in a circle do no harm", async () => {
  const send = (customerThreadId: string): Call => ({
    line: "POST /api/send-message-to-customer-thread",
    sent: { customerThreadId, text: "x" },
    body: {},
  });
  const calls = [conversation("1", 2), conversation("2", 1), send("1"), send("2"), conversation("1", 1)];
  const { total, agree, explained, contradict, unjudged } = (await learnFrom(calls)).exchanges;
  expect(agree + explained + contradict + unjudged).toBe(total);
});
