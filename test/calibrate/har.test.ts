/** HAR files of other recorders, of other APIs, and hostile ones. */
import { truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTrace } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import { filesFor } from "../support/folder.js";
import { type Call, entriesOf, PROFILE } from "./calls.js";

const details = { customerChannel: "SMS", status: "waiting", isMessagingWindowOpen: true };
const PATH = "/api/get-customer-thread-details?customerThreadId=77";

const file = filesFor("har");
const fileOf = async (content: unknown): Promise<string> =>
  file("session.har", typeof content === "string" ? content : JSON.stringify(content));
const harWith = (entries: unknown) => fileOf({ log: { version: "1.2", creator: {}, entries } });
const problemOf = async (file: string): Promise<string> =>
  readTrace([file]).then(
    () => "none",
    ({ problems }) =>
      problems.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`).join("; "),
  );

test("reads what a browser records: pages, pseudo headers, timings, entries of other hosts and preflights", async () => {
  const request = (method: string, url: string) => ({
    method,
    url,
    httpVersion: "h2",
    headers: [
      { name: ":authority", value: "x" },
      { name: "Token", value: "t" },
    ],
    cookies: [],
    queryString: [],
    headersSize: -1,
    bodySize: 0,
  });
  const response = (status: number, body: unknown) => ({
    status,
    statusText: "",
    headers: [],
    content: { size: 9, mimeType: "application/json", text: JSON.stringify(body) },
  });
  const file = await fileOf({
    log: {
      version: "1.2",
      pages: [{ id: "page_1", pageTimings: {} }],
      entries: [
        {
          pageref: "page_1",
          startedDateTime: "2026-01-05T10:00:00.000+01:00",
          request: request("GET", "https://cdn.example/app.js"),
          response: response(200, "x"),
          timings: {},
        },
        {
          startedDateTime: "2026-01-05T10:00:01.000+01:00",
          request: request("OPTIONS", `https://api.example/v2${PATH}`),
          response: response(204, null),
        },
        {
          startedDateTime: "2026-01-05T10:00:02.000+01:00",
          request: request("GET", `https://api.example/v2${PATH}`),
          response: response(200, details),
        },
      ],
    },
  });
  const [exchange, ...others] = await readTrace([file]);
  expect(others).toEqual([]);
  expect(exchange).toMatchObject({
    index: 2,
    kind: "call",
    operation: "getCustomerThreadDetails",
    path: "/api/get-customer-thread-details",
    at: Date.parse("2026-01-05T09:00:02Z"),
  });
  expect((await learn([exchange!])).exchanges).toEqual({
    total: 1,
    agree: 1,
    explained: 0,
    contradict: 0,
    unjudged: 0,
  });
});

test("reads what mitmproxy records: base64 bodies, no mime types", async () => {
  const text = Buffer.from(JSON.stringify(details)).toString("base64");
  const file = await harWith([
    {
      startedDateTime: "2026-01-05T09:00:00Z",
      request: {
        method: "GET",
        url: `https://api.example${PATH}`,
        headers: [["token", "t"], { name: "token", value: "t" }],
      },
      response: { status: 200, content: { text, encoding: "base64" } },
    },
  ]);
  expect((await readTrace([file]))[0]?.message.response.value).toEqual(details);
});

test("reads what Playwright records: no time, no headers, entries without an answer, and deliveries by their form", async () => {
  const event = {
    eventType: "message",
    timestamp: 1,
    data: { customerThreadId: 77, messageId: 5, messageBody: "Hi", fromCustomer: true },
  };
  const file = await harWith([
    { request: { method: "get", url: `https://api.example${PATH}` }, response: { status: -1, content: {} } },
    {
      request: { method: "GET", url: `https://api.example${PATH}` },
      response: { status: 200, content: { text: JSON.stringify(details) } },
    },
    {
      request: { method: "POST", url: "https://bot.example/hook", postData: { text: JSON.stringify(event) } },
      response: { status: 204, content: {} },
    },
    null,
    { request: { url: "no address" }, response: {} },
  ]);
  expect((await readTrace([file])).map(({ index, kind }) => [index, kind])).toEqual([
    [1, "call"],
    [2, "message"],
  ]);
});

test("binary bodies have no value", async () => {
  const text = Buffer.from([0xff, 0xfe, 0x00, 0x80]).toString("base64");
  const file = await harWith([
    {
      request: { method: "GET", url: `https://api.example${PATH}` },
      response: { status: 200, content: { text, encoding: "base64" } },
    },
  ]);
  const trace = await readTrace([file]);
  expect(trace[0]?.message.response.value).toBeUndefined();
  expect((await learn(trace)).exchanges.contradict).toBe(1);
});

test("says that nothing is of this API, of one that has GraphQL at the same path, too", async () => {
  const body = { query: "{ pets { name } }" };
  const pets = await harWith([
    {
      request: {
        method: "POST",
        url: "https://pets.example/graphql",
        postData: { text: JSON.stringify(body) },
      },
      response: { status: 200, content: { text: '{"data":{"pets":[]}}' } },
    },
    {
      request: { method: "GET", url: "https://pets.example/api/pets" },
      response: { status: 200, content: {} },
    },
  ]);
  expect(await problemOf(pets)).toContain("contains no call or delivery of this API");
  const file = await harWith([
    {
      request: { method: "GET", url: "https://pets.example/v1/pets" },
      response: { status: 200, content: { text: "[]" } },
    },
  ]);
  expect(await problemOf(file)).toBe("log.entries contains no call or delivery of this API");
});

test("refuses what is damaged or beyond the bounds, before parsing it", async () => {
  const big = await fileOf("{");
  await truncate(big, 500 * 1024 * 1024);
  expect(await problemOf(big)).toContain("is larger than 64 MiB (524288000 bytes)");
  expect(await problemOf(await fileOf(`{"log":{"entries":[${"{},".repeat(1_000_000)}{}]}}`))).toBe(
    "log.entries has more than 20,000 entries: split the recording",
  );
  expect(await problemOf(await fileOf("[".repeat(100_000)))).toBe(
    "log.entries is nested deeper than 64 levels",
  );
  expect(await problemOf(await fileOf('{"log":'))).toBe(" is not a HAR file: must be valid JSON");
  expect(await problemOf(await fileOf("{}"))).toBe(
    "log.entries is not a HAR file: log.entries must be an array",
  );
  expect(await problemOf(join(tmpdir(), "no-such-file.har"))).toBe(" does not exist");
  expect(await problemOf(tmpdir())).toContain("cannot be read");
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

const learnFrom = async (calls: readonly Call[]) => learn(await readTrace([await harWith(entriesOf(calls))]));

test.each(Object.entries(LARGE))(
  "5,000 different %s are judged in time",
  async (_, callOf) => {
    const { exchanges } = await learnFrom(Array.from({ length: 5_000 }, (__, index) => callOf(index)));
    expect(exchanges.total).toBe(5_000);
  },
  60_000,
);

test("conversations of one contact are judged about as fast as those of many", async () => {
  const cpuFor = async (callOf: (index: number) => Call) => {
    const { user } = process.cpuUsage();
    await learnFrom(Array.from({ length: 1_000 }, (_, index) => callOf(index)));
    return process.cpuUsage().user - user;
  };
  const ofMany = await cpuFor((index) => conversation("1001", index, `a${index}@b.example`));
  expect(await cpuFor((index) => conversation("1001", index))).toBeLessThan(12 * ofMany);
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
  expect(await problemOf(await harWith(entriesOf(calls)))).toContain("more than 500 API keys");
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
