import { beforeEach, expect, it } from "vitest";
import { type OpenSandbox, openSandbox } from "../support/simulator.js";
import { HOOK, idsOf, THREAD } from "./support.js";

const MESSAGE = { fromCustomer: true, text: "Hi", timestamp: 1 };

let sim: OpenSandbox;
beforeEach(async () => {
  sim = await openSandbox();
});

it.each([
  ["threads?channel=SMS&status=waiting", ["9003"]],
  ["threads?channel_ne=WHATSAPP&_sort=-id", ["9102", "9005", "9004", "9003"]],
  ["threads?isMessagingWindowOpen=false", ["9002"]],
  ["messages?employeeUserId=null&threadId=9003", ["555014", "555016"]],
  ["customers?lastSurveys.nps=null&organizationId=200", ["cust_002", "cust_003", "cust_005"]],
  ["businesses?whatsappSender=null", ["1002"]],
  ["businesses?whatsappSender_ne=null", ["1001", "1003", "2001", "2002"]],
  ["businesses?whatsappSender.phoneNumber=null", ["1002"]],
  ["businesses?whatsappSender.phoneNumber_ne=%2B33155550100", ["1002", "1003", "2001", "2002"]],
  ["threads?_sort=status,-id&channel=WHATSAPP", ["9002", "9101", "9001"]],
  ["messages?timestamp_gt=1700194400000", ["555021", "555022"]],
  ["messages?threadId=9003&_sort=-timestamp", ["555016", "555015", "555014"]],
  ["businesses?whatsappSender.phoneNumber=%2B33155550100", ["1001"]],
  ["messages?text:contains=RAINCOAT", ["555005"]],
  ["threads?id:in=9102,9001, 1", ["9001", "9102"]],
  ["customers?displayName:startsWith=alan", ["cust_001"]],
  ["customers?emailAddress:endsWith=JOHNSON", []],
  ["threads?_sort=isMessagingWindowOpen,id&channel=WHATSAPP", ["9001", "9101", "9002"]],
  ["businesses?_sort=-whatsappSender.phoneNumber,id&organizationId=200", ["1002", "1003", "1001"]],
  ["threads?status=&channel:ne=&id=9001", ["9001"]],
  ["threads?secrets=show&id=9001", ["9001"]],
])("a list of %s", async (query, expected) => {
  const answer = await sim.control(`GET /data/${query}`);
  expect([answer.status, idsOf(answer)]).toEqual([200, expected]);
});

it("lists can be paged", async () => {
  const { body } = await sim.control("GET /data/threads?_page=2&_per_page=3&_sort=id&_embed=customer");
  expect(body).toMatchObject({ first: 1, prev: 1, next: 3, last: 3, pages: 3, items: 7 });
  const customer = { id: "cust_005" };
  expect(body.data).toMatchObject([{ id: "9004" }, { id: "9005", customer }, { id: "9101" }]);
  const { body: filtered } = await sim.control("GET /data/threads?channel=SMS&_page=1&_per_page=1");
  expect(filtered).toMatchObject({ items: 2, pages: 2, next: 2, data: [{ id: "9003" }] });
});

it.each(["threads/9001?", "threads?id=9001&"])("lists embed related records: %s", async (path) => {
  const { body } = await sim.control(`GET /data/${path}_embed=customer&_embed=messages&_embed=business`);
  const [thread] = [body].flat();
  const related = { customer: { displayName: "Alan Johnson" }, business: { name: "Acme Paris" } };
  expect(thread).toMatchObject(related);
  expect(thread.messages).toHaveLength(5);
});

it("embedded lists are complete", async () => {
  const { body } = await sim.control("GET /data/threads?_embed=messages");
  const lists: { id: string }[][] = body.map(({ messages }: { messages: { id: string }[] }) => messages);
  expect(lists.flat()).toHaveLength((await sim.control("GET /data/messages")).body.length);
  const { body: one } = await sim.control("GET /data/businesses/1001?_embed=threads");
  expect(one.threads).toEqual((await sim.control("GET /data/threads?businessId=1001")).body);
});

it.each([
  ["threads?_page=x", "_page"],
  ["threads?[=1", 'unknown field "["'],
  ["threads?id=1&id=2", "id: is given twice"],
  ["threads?chanel=SMS", 'unknown field "chanel": did you mean "channel"?'],
  ["threads?__proto__.x=1", 'unknown field "__proto__"'],
  ["threads?statsu=", 'unknown field "statsu"'],
  ["threads?_limit=4", 'unknown field "_limit"'],
  ["businesses?whatsappSender.phone=1", 'unknown field "phone"'],
  ["messages?_embed=thread&thread.channel=SMS", 'unknown field "thread"'],
  ["threads?_sort=-stats", 'unknown field "stats": did you mean "status"?'],
  ["threads?_embed=costumer", 'nothing related to threads is called "costumer"'],
  ["threads/9001?_embed=costumer", "it must be business, customer or messages"],
  ["threads?id_gt=9000", "id is not a number"],
  ["businesses?whatsappSender=true", 'whatsappSender is an object or null, and never "true"'],
  ["businesses?escalationPool_ne=501", 'escalationPool is an array, and never "501"'],
  ["threads?status:contain=wait", 'unknown operator "contain": did you mean "contains"?'],
  ["messages?fromCustomer=yes", 'fromCustomer is true or false, and never "yes"'],
  ["messages?timestamp:lt=soon", 'timestamp is an integer, and never "soon"'],
  ["messages?fromCustomer:contains=t", 'fromCustomer is true or false, and never "t"'],
  ['threads?_where={"status":{"eq":"waiting"}}', 'unknown field "_where"'],
  [`messages?text:contains=${"a".repeat(251)}`, "contains takes at most 250 characters"],
])("lists refuse %s and say why", async (query, message) => {
  const { status, body } = await sim.control(`GET /data/${query}`);
  expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
});

it("POST adds a record and fills in the defaults", async () => {
  const { status, body } = await sim.control("POST /data/webhooks", { id: "2", ...HOOK });
  const added = { id: "2", ...HOOK, hookId: "2", enabled: true, extraHeaders: [], legacy: false };
  expect([status, body]).toEqual([201, added]);
  expect((await sim.control("GET /data/webhooks/2")).body).toEqual(body);
});

it("POST generates ids as the service would, the same ones after a reset, and uses up none if it is refused", async () => {
  const drawn = async () => [
    (await sim.control("POST /data/threads", THREAD)).body.id,
    (await sim.control("POST /data/messages", { ...MESSAGE, threadId: "9001" })).body.id,
    (await sim.control("POST /data/customers", { organizationId: "200" })).body.id,
    (await sim.control("POST /data/webhooks", HOOK)).body.id,
  ];
  const first = await drawn();
  expect(first.join()).toMatch(/^9103,555023,cust_\w+,hook_\w+$/);
  await sim.control("POST /reset");
  expect((await sim.control("POST /data/threads", { ...THREAD, status: "new" })).status).toBe(400);
  expect(await drawn()).toEqual(first);
});

it("PATCH and PUT change some fields, or the whole record, at its place", async () => {
  const patched = await sim.control("PATCH /data/customers/cust_001", { firstName: "Al" });
  expect(patched).toMatchObject({ status: 200, body: { firstName: "Al", lastName: "Johnson" } });
  const put = await sim.control("PUT /data/customers/cust_001", { organizationId: "200", lastName: "J" });
  expect(put.body).toMatchObject({ id: "cust_001", firstName: null, lastName: "J" });
  expect((await sim.control("GET /data/customers")).body[0]).toEqual(put.body);
});

it("PATCH can move a record without references to another organization", async () => {
  await sim.control("POST /data/customers", { id: "free", organizationId: "200" });
  const moved = await sim.control("PATCH /data/customers/free", { organizationId: "300" });
  expect(moved).toMatchObject({ status: 200, body: { organizationId: "300" } });
});

it("DELETE removes a record and returns it", async () => {
  const { body: before } = await sim.control("GET /data/messages/555001");
  const { status, body } = await sim.control("DELETE /data/messages/555001");
  expect([status, body]).toEqual([200, before]);
  expect((await sim.control("GET /data/messages/555001")).status).toBe(404);
});
