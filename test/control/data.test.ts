import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COLLECTIONS } from "../../src/service/world/records.js";
import { type Caller, openSandbox, startSimulator } from "../support/simulator.js";
import { HOOK, THREAD } from "./records.js";

const ids = ({ body }: { body: { id: string }[] }) => body.map(({ id }) => id);
const MESSAGE = { fromCustomer: true, text: "Hi", timestamp: 1 };

it("a text search that would take too long is refused", async () => {
  const { control } = await openSandbox();
  await control("PATCH /data/messages/555001", { text: "a".repeat(900_000) });
  const part = `${"a".repeat(2_000)}b${"a".repeat(2_000)}`;
  const details = [{ path: "text", message: expect.stringContaining("too expensive") }];
  const answer = await control(`GET /data/messages?text:contains=${part}`);
  expect(answer).toMatchObject({ status: 400, body: { error: { details } } });
});

describe("lists", () => {
  it.each([
    ["threads?channel=SMS", ["9003", "9005"]],
    ["threads?channel=SMS&status=waiting", ["9003"]],
    ["threads?channel_ne=WHATSAPP&_sort=-id", ["9102", "9005", "9004", "9003"]],
    ["threads?isMessagingWindowOpen=false", ["9002"]],
    ["messages?employeeUserId=null&threadId=9003", ["555014", "555016"]],
    ["customers?lastSurveys.nps=null&organizationId=200", ["cust_002", "cust_003", "cust_005"]],
    ["businesses?whatsappSender=null", ["1002"]],
    ["businesses?whatsappSender_ne=null", ["1001", "1003", "2001", "2002"]],
    ["businesses?whatsappSender.phoneNumber=null", ["1002"]],
    ["businesses?whatsappSender.active=true", ["1001", "1003", "2001"]],
    ["businesses?whatsappSender.phoneNumber_ne=%2B33155550100", ["1002", "1003", "2001", "2002"]],
    ["threads?_sort=status,-id&_limit=3", ["9102", "9005", "9002"]],
    ["threads?_start=1&_end=3", ["9002", "9003"]],
    ["threads?_start=5&_limit=10", ["9101", "9102"]],
    ["messages?timestamp_gt=1700194400000", ["555021", "555022"]],
    ["messages?timestamp_lte=1700000120000", ["555001", "555002"]],
    ["messages?contentSid=HX00000000000000000000000000000002", ["555022"]],
    ["messages?employeeUserId=602", ["555020"]],
    ["messages?threadId=9003&_sort=-timestamp&_limit=1", ["555016"]],
    ["businesses?whatsappSender.phoneNumber=%2B33155550100", ["1001"]],
    ["customers?lastSurveys.nps.text=8", ["cust_001"]],
    ["messages?text:contains=RAINCOAT", ["555005"]],
    ["threads?channel:ne=WHATSAPP&_sort=-id", ["9102", "9005", "9004", "9003"]],
    ["threads?id:in=9102,9001, 1", ["9001", "9102"]],
    ["messages?timestamp:gt=1700194400000", ["555021", "555022"]],
    ["customers?displayName:startsWith=alan", ["cust_001"]],
    ["customers?emailAddress:endsWith=JOHNSON", []],
    ["messages?threadId=9003&fromCustomer=true", ["555014", "555016"]],
    [
      'threads?_where={"or":[{"channel":{"eq":"SMS"}},{"status":{"in":["resolved"]}}]}&_sort=id',
      ["9003", "9004", "9005"],
    ],
    ['businesses?_where={"whatsappSender":{"phoneNumber":{"startsWith":"%2B3315555"}}}', ["1001", "1003"]],
    ['threads?status=waiting&_where={"channel":{"eq":"SMS"},"or":[{"id":{"ne":"9005"}}]}', ["9003"]],
    ["threads?_sort=isMessagingWindowOpen,id&_limit=2", ["9001", "9003"]],
    ["messages?_embed=thread&_sort=-thread.id,id&_limit=2", ["555019", "555020"]],
    ["messages?_embed=thread&thread.channel=SMS&fromCustomer=true&_sort=-id", ["555017", "555016", "555014"]],
  ])("%s", async (query, expected) => {
    const { control } = await openSandbox();
    const answer = await control(`GET /data/${query}`);
    expect(answer.status).toBe(200);
    expect(ids(answer)).toEqual(expected);
  });

  it("are complete without a query", async () => {
    const { control } = await openSandbox();
    const { body: state } = await control("GET /state");
    for (const collection of COLLECTIONS)
      expect((await control(`GET /data/${collection}`)).body).toEqual(state[collection]);
  });

  it.each(["", "/9001"])("accept secrets=show: %s", async (id) => {
    const { control } = await openSandbox();
    const asked = await control(`GET /data/threads${id}?secrets=show`);
    expect(asked).toMatchObject({ status: 200, body: (await control(`GET /data/threads${id}`)).body });
  });

  it("can be paged", async () => {
    const { control } = await openSandbox();
    const { body } = await control("GET /data/threads?_page=2&_per_page=3&_sort=id");
    expect(ids({ body: body.data })).toEqual(["9004", "9005", "9101"]);
    expect(body).toMatchObject({ first: 1, prev: 1, next: 3, last: 3, pages: 3, items: 7 });
    const { body: filtered } = await control("GET /data/threads?channel=SMS&_page=1&_per_page=1");
    expect(filtered).toMatchObject({ items: 2, pages: 2, next: 2, data: [{ id: "9003" }] });
  });

  it("embed related records", async () => {
    const { control } = await openSandbox();
    const query = "id=9001&_embed=customer&_embed=messages&_embed=business";
    const { body } = await control(`GET /data/threads?${query}`);
    const related = { customer: { displayName: "Alan Johnson" }, business: { name: "Acme Paris" } };
    expect(body).toMatchObject([related]);
    expect(body[0].messages).toHaveLength(5);
    const { body: page } = await control("GET /data/threads?_page=1&_per_page=1&_embed=customer");
    expect([page.items, page.data[0].customer.id]).toEqual([7, "cust_001"]);
    expect((await control("GET /data/threads/9001")).body.messages).toBeUndefined();
  });

  it("can be sorted by embedded lists, which are complete", async () => {
    const { control } = await openSandbox();
    const { body } = await control("GET /data/threads?_embed=messages&_sort=-messages[0].id");
    const firsts: number[] = body.flatMap((thread: { messages: { id: string }[] }) =>
      thread.messages.slice(0, 1).map(({ id }) => Number(id)),
    );
    expect(firsts).toEqual([...firsts].sort((a, b) => b - a));
    const { body: all } = await control("GET /data/messages");
    expect(body.flatMap((thread: { messages: object[] }) => thread.messages)).toHaveLength(all.length);
    const { body: one } = await control("GET /data/businesses/1001?_embed=threads");
    const { body: threads } = await control("GET /data/threads?businessId=1001");
    expect(one.threads).toEqual(threads);
  });

  it.each(["_page=x", "[=1", "_limit=1.5", "id=1&id=2", "_sort=a&_sort=b"])("refuse %s", async (query) => {
    const { control } = await openSandbox();
    expect((await control(`GET /data/threads?${query}`)).status).toBe(400);
  });

  it.each([
    ["threads?nothing=1", 'unknown field "nothing"'],
    ["threads?chanel=SMS", 'unknown field "chanel": did you mean "channel"?'],
    ["threads?constructor=1", 'unknown field "constructor"'],
    ["threads?toString_ne=1", 'unknown field "toString"'],
    ["threads?__proto__.x=1", 'unknown field "__proto__"'],
    ["threads?id.length=4", 'unknown field "length"'],
    ["threads?_limt=4", 'unknown field "_limt"'],
    ["businesses?whatsappSender.phone=1", 'unknown field "phone"'],
    ["messages?thread.channel=SMS", 'unknown field "thread"'],
    ["threads?_sort=-stats", 'unknown field "stats": did you mean "status"?'],
    ["threads?_embed=costumer", 'nothing related to threads is called "costumer"'],
    ["threads/9001?_embed=costumer", "it must be business, customer or messages"],
    ["threads?id_gt=9000", "id is not a number"],
    ["businesses?whatsappSender=true", "whatsappSender is not a single value"],
    ["businesses?escalationPool_ne=501", "escalationPool is not a single value"],
    ["threads?status:equals=waiting", 'unknown operator "equals"'],
    ["threads?status:contain=wait", 'unknown operator "contain": did you mean "contains"?'],
    ["messages?fromCustomer=yes", 'fromCustomer is true or false, and never "yes"'],
    ["threads?status=closed", 'unknown status "closed": it must be waiting, replied or resolved'],
    ["threads?status:in=waiting,close", 'unknown status "close"'],
    ["threads?status:in=waiting,", 'unknown status ""'],
    ['threads?_where={"status":{"ne":"closed"}}', 'unknown status "closed"'],
    ["messages?timestamp:lt=soon", 'timestamp is an integer, and never "soon"'],
    ["messages?fromCustomer:contains=t", "fromCustomer is not text"],
    ["threads?_where=x", "_where: must be JSON"],
    ["threads?_where=[]", "_where: must be an object"],
    ['threads?_where={"stats":{"eq":"x"}}', 'unknown field "stats": did you mean "status"?'],
    ['threads?_where={"status":"waiting"}', "_where.status: must be an object with lt,"],
    ['threads?_where={"status":{"eqq":"waiting","eq":"x"}}', 'unknown operator "eqq": did you mean "eq"?'],
    ['threads?_where={"or":{}}', "_where.or: must be an array"],
    ['threads?_where={"or":[1]}', "_where: must be an object"],
  ])("refuse %s and say why", async (query, message) => {
    const { control } = await openSandbox();
    const { status, body } = await control(`GET /data/${query}`);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it("refuse unknown collections and name the known ones", async () => {
    const { control } = await openSandbox();
    for (const call of [
      "GET /data/thread",
      "GET /data/constructor",
      "POST /data/thread",
      "DELETE /data/thread/1",
    ]) {
      const { status, body } = await control(call, call.startsWith("POST") ? {} : undefined);
      expect([status, body.error.message]).toEqual([404, expect.stringContaining("threads")]);
    }
  });

  it("never fail, whatever the query", async () => {
    const { control } = await startSimulator();
    const key = fc.oneof(
      fc.constantFrom(
        ...["_sort", "_page", "_per_page", "_start", "_end", "_limit", "_embed"],
        ...["id_gt", "text_ne", "__proto__"],
      ),
      fc.constantFrom("a.b", "a[0]", "constructor.name", "attachment.name", "customerData[0].name", "\\."),
      fc.string(),
    );
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom("-", ",", "-id", "constructor", "toString", "-1", "0", "thread"),
    );
    const query = fc.array(fc.tuple(key, value), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom("messages", "customers"), async (pairs, collection) => {
        const { status } = await control(`GET /data/${collection}?${new URLSearchParams(pairs)}`);
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 200 },
    );
    expect((await control("GET /health")).status).toBe(200);
  });
});

describe("one record", () => {
  it("is found by id, with embedded records", async () => {
    const { control } = await openSandbox();
    const { body } = await control("GET /data/threads/9001?_embed=messages&_embed=customer");
    expect([body.messages.length, body.customer.id]).toEqual([5, "cust_001"]);
    for (const path of ["threads/1", "threads/constructor", "nothing/1"])
      expect((await control(`GET /data/${path}`)).status, path).toBe(404);
  });
});

/** Expects a write to leave the state unchanged. */
async function unchanged({ control }: Caller, write: () => Promise<{ status: number; body: unknown }>) {
  const { body: before } = await control("GET /state");
  const answer = await write();
  expect((await control("GET /state")).body).toEqual(before);
  return answer as { status: number; body: { error: { message: string; details: { path: string }[] } } };
}

describe("POST", () => {
  it("adds a record and fills in the defaults", async () => {
    const { control } = await openSandbox();
    const { status, body } = await control("POST /data/webhooks", { id: "2", ...HOOK });
    expect(status).toBe(201);
    expect(body).toEqual({ id: "2", ...HOOK, hookId: "2", enabled: true, extraHeaders: [], legacy: false });
    expect((await control("GET /data/webhooks/2")).body).toEqual(body);
  });

  it("generates ids as the service would, and the same ones after a reset", async () => {
    const { control } = await openSandbox();
    const drawn = async () => [
      (await control("POST /data/threads", THREAD)).body.id,
      (await control("POST /data/messages", { ...MESSAGE, threadId: "9001" })).body.id,
      (await control("POST /data/customers", { organizationId: "200" })).body.id,
      (await control("POST /data/webhooks", HOOK)).body.id,
    ];
    const first = await drawn();
    expect(first.join()).toMatch(/^9103,555023,cust_\w+,hook_\w+$/);
    await control("POST /reset");
    expect(await drawn()).toEqual(first);
  });

  it("uses up no id if it is refused", async () => {
    const { control } = await openSandbox();
    expect((await control("POST /data/threads", { ...THREAD, status: "new" })).status).toBe(400);
    expect((await control("POST /data/threads", THREAD)).body.id).toBe("9103");
  });
});

describe("PATCH and PUT", () => {
  it("change some fields, or the whole record", async () => {
    const { control } = await openSandbox();
    const patched = await control("PATCH /data/customers/cust_001", { firstName: "Al" });
    expect(patched.status).toBe(200);
    expect(patched.body).toMatchObject({ firstName: "Al", lastName: "Johnson" });
    const put = await control("PUT /data/customers/cust_001", { organizationId: "200", lastName: "J" });
    expect(put.body).toMatchObject({ id: "cust_001", firstName: null, lastName: "J" });
    expect((await control("GET /data/customers/cust_001")).body).toEqual(put.body);
  });

  it("keep the order of the collection", async () => {
    const { control } = await openSandbox();
    await control("PATCH /data/threads/9002", { status: "resolved" });
    expect(ids(await control("GET /data/threads")).slice(0, 3)).toEqual(["9001", "9002", "9003"]);
  });

  it("can move a record without references to another organization", async () => {
    const { control } = await openSandbox();
    await control("POST /data/customers", { id: "free", organizationId: "200" });
    const { status, body } = await control("PATCH /data/customers/free", { organizationId: "300" });
    expect([status, body.organizationId]).toEqual([200, "300"]);
  });
});

describe("DELETE", () => {
  it("removes a record and returns it", async () => {
    const { control } = await openSandbox();
    const { body: before } = await control("GET /data/messages/555001");
    const { status, body } = await control("DELETE /data/messages/555001");
    expect([status, body]).toEqual([200, before]);
    expect((await control("GET /data/messages/555001")).status).toBe(404);
    expect((await control("DELETE /data/messages/555001")).status).toBe(404);
  });

  it.each([
    ["threads/9003", ["555014", "555015", "555016"].map((id) => `messages["${id}"].threadId`)],
    ["templates/HX00000000000000000000000000000002", ['messages["555022"].contentSid']],
    ["users/502", ['businesses["1002"].escalationPool']],
  ])("of %s is refused, listing the records that refer to it", async (path, expected) => {
    const simulator = await openSandbox();
    const answer = await unchanged(simulator, () => simulator.control(`DELETE /data/${path}`));
    expect(answer.status).toBe(409);
    expect(answer.body.error.details.map((detail) => detail.path)).toEqual(expected);
  });

  it("removes up to 12,000 dependents", async () => {
    const { control } = await startSimulator();
    const { body: state } = await control("GET /state");
    const messages = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...MESSAGE, threadId: "9003", id: String(at + 1) }));
    await control("PUT /state", { ...state, messages: messages(12_001) });
    const { status, body } = await control("DELETE /data/threads/9003?_dependent=messages");
    const details = [{ path: "_dependent", message: "would delete more than 12000 other records" }];
    expect([status, body.error.details]).toEqual([400, details]);
    await control("PUT /state", { ...state, messages: messages(12_000) });
    expect((await control("DELETE /data/threads/9003?_dependent=messages")).status).toBe(200);
  });

  it("removes the dependents named in the query", async () => {
    const { control } = await startSimulator();
    expect((await control("DELETE /data/threads/9003?_dependent=messages")).status).toBe(200);
    expect((await control("GET /data/messages?threadId=9003")).body).toEqual([]);
    const whole = await control("DELETE /data/customers/cust_004?_dependent=messages,threads");
    expect(whole.status).toBe(200);
    expect((await control("PUT /state", (await control("GET /state")).body)).status).toBe(200);
    expect((await control("DELETE /data/tokens/acme-token?_dependent=nothing")).status).toBe(404);
  });
});
