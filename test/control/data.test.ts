import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COLLECTIONS } from "../../src/service/world/records.js";
import { type Caller, openSandbox, startSimulator } from "../support/simulator.js";

const ids = ({ body }: { body: { id: string }[] }) => body.map(({ id }) => id);
const THREAD = {
  businessId: "1001",
  customerId: "cust_001",
  channel: "SMS",
  status: "waiting",
  isMessagingWindowOpen: true,
};
const HOOK = { organizationId: "200", url: "sink:x", subscribedEvents: ["messages"] };

it("a part of a text that takes too long to search for is refused", async () => {
  const { control } = await openSandbox();
  await control("PATCH /data/messages/555001", { text: "a".repeat(900_000) });
  const part = `${"a".repeat(2_000)}b${"a".repeat(2_000)}`;
  const { status, body } = await control(`GET /data/messages?text:contains=${part}`);
  expect([status, body.error.details]).toEqual([
    400,
    [{ path: "text", message: expect.stringContaining("too expensive") }],
  ]);
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

  it("come whole without a query", async () => {
    const { control } = await openSandbox();
    const { body: state } = await control("GET /state");
    for (const collection of COLLECTIONS)
      expect((await control(`GET /data/${collection}`)).body).toEqual(state[collection]);
  });

  it("come in pages", async () => {
    const { control } = await openSandbox();
    const { body } = await control("GET /data/threads?_page=2&_per_page=3&_sort=id");
    expect(ids({ body: body.data })).toEqual(["9004", "9005", "9101"]);
    expect(body).toMatchObject({ first: 1, prev: 1, next: 3, last: 3, pages: 3, items: 7 });
    const { body: filtered } = await control("GET /data/threads?channel=SMS&_page=1&_per_page=1");
    expect(filtered).toMatchObject({ items: 2, pages: 2, next: 2, data: [{ id: "9003" }] });
  });

  it("embed what is related", async () => {
    const { control } = await openSandbox();
    const { body } = await control(
      "GET /data/threads?id=9001&_embed=customer&_embed=messages&_embed=business",
    );
    expect(body[0].customer.displayName).toBe("Alan Johnson");
    expect(body[0].business.name).toBe("Acme Paris");
    expect(body[0].messages).toHaveLength(5);
    const { body: page } = await control("GET /data/threads?_page=1&_per_page=1&_embed=customer");
    expect([page.items, page.data[0].customer.id]).toEqual([7, "cust_001"]);
    expect((await control("GET /data/threads/9001")).body.messages).toBeUndefined();
  });

  it("are sorted by lists that are embedded, which they carry whole", async () => {
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

  it("refuse collections that are none, and say which there are", async () => {
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

  it("take any query without failing", async () => {
    const { control } = await startSimulator();
    const key = fc.oneof(
      fc.constantFrom(
        "_sort",
        "_page",
        "_per_page",
        "_start",
        "_end",
        "_limit",
        "_embed",
        "id_gt",
        "text_ne",
        "__proto__",
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
  it("is found by id, with what it embeds", async () => {
    const { control } = await openSandbox();
    const { body } = await control("GET /data/threads/9001?_embed=messages&_embed=customer");
    expect([body.messages.length, body.customer.id]).toEqual([5, "cust_001"]);
    for (const path of ["threads/1", "threads/constructor", "nothing/1"])
      expect((await control(`GET /data/${path}`)).status, path).toBe(404);
  });
});

/** What a refused write must not change. */
async function unchanged({ control }: Caller, write: () => Promise<{ status: number; body: unknown }>) {
  const { body: before } = await control("GET /state");
  const answer = await write();
  expect((await control("GET /state")).body).toEqual(before);
  return answer as { status: number; body: { error: { message: string; details: { path: string }[] } } };
}

describe("POST", () => {
  it("adds a record with every default", async () => {
    const { control } = await openSandbox();
    const { status, body } = await control("POST /data/webhooks", { id: "2", ...HOOK });
    expect(status).toBe(201);
    expect(body).toEqual({ id: "2", ...HOOK, hookId: "2", enabled: true, extraHeaders: [], legacy: false });
    expect((await control("GET /data/webhooks/2")).body).toEqual(body);
  });

  it("draws ids where the service would, the same again after a reset", async () => {
    const { control } = await openSandbox();
    const drawn = async () => [
      (await control("POST /data/threads", THREAD)).body.id,
      (
        await control("POST /data/messages", {
          threadId: "9001",
          fromCustomer: true,
          text: "Hi",
          timestamp: 1,
        })
      ).body.id,
      (await control("POST /data/customers", { organizationId: "200" })).body.id,
      (await control("POST /data/webhooks", HOOK)).body.id,
    ];
    const first = await drawn();
    expect(first).toEqual([
      "9103",
      "555023",
      expect.stringMatching(/^cust_/),
      expect.stringMatching(/^hook_/),
    ]);
    await control("POST /reset");
    expect(await drawn()).toEqual(first);
  });

  it("leaves no gap in the ids when it is refused", async () => {
    const { control } = await openSandbox();
    expect((await control("POST /data/threads", { ...THREAD, status: "new" })).status).toBe(400);
    expect((await control("POST /data/threads", THREAD)).body.id).toBe("9103");
  });

  it.each<[string, object, number, string?]>([
    ["threads", { ...THREAD, id: "9001" }, 409],
    ["threads", { ...THREAD, id: "x" }, 400, "id"],
    ["threads", { ...THREAD, customerId: "nobody" }, 400, "customerId"],
    ["threads", { ...THREAD, customerId: "cust_101" }, 400, "customerId"],
    ["threads", { ...THREAD, own: 1 }, 400, "own"],
    ["organizations", { name: "No id" }, 400, "id"],
    [
      "users",
      { id: "7", organizationId: "200", email: "ANA@acme.example", displayName: "A", businessIds: [] },
      409,
    ],
    ["webhooks", { ...HOOK, hookId: "crm" }, 409],
    ["customers", { organizationId: "200", emailAddress: "nobody" }, 400, "emailAddress"],
  ])("to %s of %o is refused with %i", async (collection, value, status, path) => {
    const simulator = await openSandbox();
    const answer = await unchanged(simulator, () => simulator.control(`POST /data/${collection}`, value));
    expect(answer.status).toBe(status);
    if (path !== undefined) expect(answer.body.error.details.map((detail) => detail.path)).toEqual([path]);
  });
});

describe("PATCH and PUT", () => {
  it("change fields, or the whole record", async () => {
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

  it.each<[string, string, object, number]>([
    ["PATCH", "threads/9001", { status: "new" }, 400],
    ["PATCH", "threads/9001", { id: "9009" }, 400],
    ["PATCH", "threads/9001", { businessId: "2001" }, 400],
    ["PATCH", "threads/1", { status: "waiting" }, 404],
    ["PUT", "threads/1", THREAD, 404],
    ["PUT", "threads/9001", { status: "waiting" }, 400],
    ["PATCH", "users/501", { email: "bruno@acme.example" }, 409],
    ["PATCH", "businesses/1001", { organizationId: "300", escalationPool: [] }, 409],
    ["PATCH", "customers/cust_001", { organizationId: "300" }, 409],
  ])("%s %s %o is refused with %i", async (method, path, value, status) => {
    const simulator = await openSandbox();
    const answer = await unchanged(simulator, () => simulator.control(`${method} /data/${path}`, value));
    expect(answer.status).toBe(status);
  });

  it("may move a record that nobody names to another organization", async () => {
    const { control } = await openSandbox();
    await control("POST /data/customers", { id: "free", organizationId: "200" });
    const { status, body } = await control("PATCH /data/customers/free", { organizationId: "300" });
    expect([status, body.organizationId]).toEqual([200, "300"]);
  });
});

describe("DELETE", () => {
  it("takes a record out and answers it", async () => {
    const { control } = await openSandbox();
    const { body: before } = await control("GET /data/messages/555001");
    const { status, body } = await control("DELETE /data/messages/555001");
    expect([status, body]).toEqual([200, before]);
    expect((await control("GET /data/messages/555001")).status).toBe(404);
    expect((await control("DELETE /data/messages/555001")).status).toBe(404);
  });

  it.each([
    [
      "threads/9003",
      ['messages["555014"].threadId', 'messages["555015"].threadId', 'messages["555016"].threadId'],
    ],
    ["templates/HX00000000000000000000000000000002", ['messages["555022"].contentSid']],
    ["users/502", ['businesses["1002"].escalationPool']],
  ])("of %s is refused, with who names it", async (path, expected) => {
    const simulator = await openSandbox();
    const answer = await unchanged(simulator, () => simulator.control(`DELETE /data/${path}`));
    expect(answer.status).toBe(409);
    expect(answer.body.error.details.map((detail) => detail.path)).toEqual(expected);
  });

  it("takes along so many dependents and no more", async () => {
    const { control } = await startSimulator();
    const { body: state } = await control("GET /state");
    const message = { threadId: "9003", fromCustomer: true, text: "x", timestamp: 1 };
    const messages = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...message, id: String(at + 1) }));
    await control("PUT /state", { ...state, messages: messages(12_001) });
    const { status, body } = await control("DELETE /data/threads/9003?_dependent=messages");
    expect([status, body.error.details]).toEqual([
      400,
      [{ path: "_dependent", message: "would delete more than 12000 other records" }],
    ]);
    await control("PUT /state", { ...state, messages: messages(12_000) });
    expect((await control("DELETE /data/threads/9003?_dependent=messages")).status).toBe(200);
  });

  it("takes along the dependents that the query names", async () => {
    const { control } = await startSimulator();
    expect((await control("DELETE /data/threads/9003?_dependent=messages")).status).toBe(200);
    expect((await control("GET /data/messages?threadId=9003")).body).toEqual([]);
    const simulator = await startSimulator();
    const partly = await unchanged(simulator, () =>
      simulator.control("DELETE /data/customers/cust_003?_dependent=threads"),
    );
    expect(partly.status).toBe(409);
    const whole = await simulator.control("DELETE /data/customers/cust_003?_dependent=messages,threads");
    expect(whole.status).toBe(200);
    expect((await simulator.control("PUT /state", (await simulator.control("GET /state")).body)).status).toBe(
      200,
    );
    expect((await simulator.control("DELETE /data/tokens/acme-token?_dependent=nothing")).status).toBe(404);
  });
});
