/** A client's session with a simulator whose settings are secret, recorded as HAR with pseudonyms for its keys. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { createSimulator } from "../../src/index.js";
import { omitUndefined } from "../../src/kernel/objects.js";

export interface RecordedEntry {
  readonly startedDateTime: string;
  readonly time: number;
  readonly _direction: "call" | "delivery";
  readonly request: { method: string; url: string; headers: unknown; postData?: { text: string } };
  readonly response: { status: number; headers: unknown; content: { text?: string; size?: number } };
}

type Headers = Record<string, string>;
/** What later calls need of an answer. */
interface Answer {
  readonly hookId?: string;
  readonly webhook?: { readonly hookId?: string };
  readonly customerThreadId?: string;
}
interface CallOptions {
  readonly token?: string | null;
  readonly body?: unknown;
  /** A header that is "" is not sent. */
  readonly headers?: Headers;
}

const START = "2026-01-05T09:00:00Z";
const listed = (headers: Headers) => Object.entries(headers).map(([name, value]) => ({ name, value }));

/** Speaks to the simulator as a client would, and moves its world as people do. */
export class Session {
  readonly entries: RecordedEntry[] = [];
  /** The threads and webhooks that answers have named. */
  readonly threads: string[] = [];
  readonly hooks: string[] = [];
  #pending: RecordedEntry[] = [];
  #now = Date.parse(START);
  readonly #tokens: string[] = [];

  constructor(
    readonly url: string,
    readonly hook: string,
    /** For how long the next call has been under way before the service gets it, ms. */
    readonly latency: () => number = () => 0,
  ) {}

  received(path: string, headers: Headers, text: string, status: number): void {
    const postData = { mimeType: "application/json", text };
    this.#pending.push({
      ...this.#common("delivery"),
      request: { method: "POST", url: this.hook + path, headers: listed(headers), postData },
      response: { status, headers: [], content: { size: 0 } },
    });
  }

  #common = (_direction: "call" | "delivery", latency = 0) => ({
    _direction,
    startedDateTime: new Date(this.#now - latency).toISOString(),
    time: latency,
  });

  /** A call, followed by the deliveries that it causes. */
  async call(
    method: string,
    path: string,
    { token = "acme-token", body, headers = {} }: CallOptions = {},
  ): Promise<Answer | undefined> {
    const type = { "content-type": "application/json", ...headers };
    const sent: Headers = { ...(type["content-type"] !== "" && type), ...(token !== null && { token }) };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(this.url + path, omitUndefined({ method, headers: sent, body: text }));
    const answer = await response.text();
    const recorded = { ...sent, ...(token !== null && { token: this.#pseudonym(token) }) };
    this.entries.push({
      ...this.#common("call", this.latency()),
      request: {
        method,
        url: `https://api.service.example${path}`,
        headers: listed(recorded),
        ...(text !== undefined && { postData: { text } }),
      },
      response: {
        status: response.status,
        headers: listed(Object.fromEntries(response.headers)),
        content: { text: answer },
      },
    });
    await this.#settle();
    await this.pass(1_000);
    return answer === "" ? undefined : JSON.parse(answer);
  }

  get = (path: string, options: CallOptions = {}) => this.call("GET", path, options);
  async post(path: string, body: unknown, options: CallOptions = {}): Promise<void> {
    const {
      customerThreadId,
      webhook,
      hookId = webhook?.hookId,
    } = (await this.call("POST", path, { body, ...options })) ?? {};
    if (customerThreadId !== undefined) this.threads.push(customerThreadId);
    if (hookId !== undefined) this.hooks.push(hookId);
  }

  details = (thread: unknown, options?: CallOptions) =>
    this.get(`/api/get-customer-thread-details?customerThreadId=${thread}`, options);
  templates = (thread: unknown, options?: CallOptions) =>
    this.get(`/api/get-whatsapp-templates?customerThreadId=${thread}`, options);
  send = (message: object, options?: CallOptions) =>
    this.post("/api/send-message-to-customer-thread", { customerThreadId: "9001", ...message }, options);
  move = (status: string, customerThreadId: unknown = "9001", options?: CallOptions) =>
    this.post("/api/update-thread-status", { customerThreadId, status }, options);
  start = (fields: object, options?: CallOptions) =>
    this.post(
      "/api/widget/send-message-to-business",
      { businessId: "1001", message: "Hi from the site", ...fields },
      options,
    );
  profile = (customer: string, options?: CallOptions) =>
    this.get(`/api/customers/${customer}/profile`, options);
  update = (customer: string, fields: object, options?: CallOptions) =>
    this.post(`/api/customers/${customer}/profile/update`, fields, options);
  remove = (user: object, options?: CallOptions) => this.post("/api/user/delete-by-email", user, options);
  subscribe = (url: string, subscribedEvents: readonly string[], options?: CallOptions) =>
    this.post("/api/webhooks/", { url, subscribedEvents }, options);
  graphql = (query: string, variables?: unknown, options?: CallOptions) =>
    this.post("/graphql", omitUndefined({ query, variables }), options);

  /** What people do, of whom the recording shows deliveries only. */
  async people(path: string, body: object): Promise<void> {
    await this.control("POST", path, body);
    await this.#settle();
    await this.pass(1_000);
  }

  say = (text: string, thread = "9001") => this.people(`/threads/${thread}/inbound`, { text });
  employee = (text: string, internal = false, thread = "9001") =>
    this.people(`/threads/${thread}/employee-message`, { userId: "501", text, internal });
  showPicture = (text: string) => {
    const attachment = { uuid: "5e1", contentType: "image/png", name: "a.png", contentLength: 1234 };
    return this.people("/threads/9001/inbound", { text, attachment });
  };

  async pass(ms: number): Promise<void> {
    this.#now += ms;
    await this.control("POST", "/clock/advance", { by: ms });
    await this.#settle();
  }

  async control(method: string, path: string, body: object): Promise<void> {
    const response = await fetch(`${this.url}/__sim${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok && response.status !== 409) throw new Error(`${path}: ${response.status} ${text}`);
  }

  async #settle(): Promise<void> {
    await this.control("POST", "/wait", { for: "idle" });
    this.entries.push(...this.#pending);
    this.#pending = [];
  }

  /** The customer whom the newest delivery of a message names. */
  lastCustomer(): string {
    const [, id] = /.*\\"customerId\\":\\"([^"]+)\\"/s.exec(JSON.stringify(this.entries)) ?? [];
    if (id === undefined) throw new Error("no delivery names a customer");
    return id;
  }

  #pseudonym(token: string): string {
    if (!this.#tokens.includes(token)) this.#tokens.push(token);
    return `token-${this.#tokens.indexOf(token) + 1}`;
  }
}

interface Circumstances {
  readonly latency?: () => number;
  /** What the receiver answers a delivery. */
  readonly receiver?: () => number;
}

/** Plays a session against a simulator with these settings. */
export async function recorded(
  behaviour: Record<string, unknown>,
  play: (session: Session) => Promise<void>,
  { latency, receiver = () => 200 }: Circumstances = {},
): Promise<RecordedEntry[]> {
  let session: Session | undefined;
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const status = receiver();
    session?.received(request.url ?? "/", request.headers as Headers, body, status);
    response.writeHead(status).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const simulator = await createSimulator({ port: 0, behaviour: behaviour as never, clock: START });
  try {
    session = new Session(simulator.url, hook, latency);
    await session.control("POST", "/connect", { url: `${hook}/hooks` });
    await play(session);
    return session.entries;
  } finally {
    await simulator.close();
    server.close().closeAllConnections();
  }
}

export const harOf = (entries: readonly RecordedEntry[]) => ({
  log: { version: "1.2", creator: { name: "test", version: "1" }, entries },
});

const TEMPLATE = (number: number) => `HX${"0".repeat(31)}${number}`;

/** About 160 calls of a bot, a CRM and a curious developer. */
export async function busySession(s: Session): Promise<void> {
  for (const id of [9001, 9002, 9003, 9004]) {
    await s.details(id);
    await s.templates(id);
  }
  for (const id of ["cust_001", "cust_002", "cust_003", "cust_004"]) await s.profile(id);
  // Messages and status.
  await s.say("Hello, where is my order?");
  await s.details(9001);
  await s.send({ text: "We are looking." });
  await s.details(9001);
  await s.send({ customerThreadId: 9001, text: "As a number." });
  await s.send({ text: "A note for colleagues", internal: true });
  await s.send({ text: "" });
  await s.send({ text: "With more", colour: "red" });
  await s.send({ text: "null is nothing", internal: null });
  await s.send({});
  await s.send({ text: "both", contentSid: TEMPLATE(1) });
  await s.send({ contentSid: TEMPLATE(1) });
  await s.send({ contentSid: TEMPLATE(2), internal: true });
  await s.send({ contentSid: `HX${"9".repeat(32)}` });
  await s.send({ customerThreadId: "9003", text: "An SMS" });
  await s.send({ customerThreadId: "9003", contentSid: TEMPLATE(1) });
  await s.send({ customerThreadId: "9004", text: "An e-mail" });
  await s.send({ customerThreadId: "9002", text: "Is it open?" });
  await s.send({ customerThreadId: "9002", text: "Between us", internal: true });
  await s.send({ customerThreadId: "9002", contentSid: TEMPLATE(3) });
  await s.say("I am back", "9002");
  await s.details(9002);
  await s.send({ customerThreadId: "9002", text: "Welcome back" });
  await s.employee("I take over", false, "9002");
  await s.details(9002);
  for (const status of ["resolved", "replied", "waiting", "replied", "resolved", "waiting", "resolved"]) {
    await s.move(status);
    await s.details(9001);
  }
  await s.say("One more thing");
  await s.details(9001);
  await s.employee("Yes?");
  await s.details(9001);
  await s.employee("Hm", true);
  await s.showPicture("See this");
  await s.move("closed");
  await s.move("waiting", "77777777");
  await s.send({ customerThreadId: "88888888", text: "Nobody" });
  await s.details(66666666);
  await s.templates(66666666);
  // Who may do what.
  for (const id of ["9005", "9101"]) {
    await s.details(id);
    await s.templates(id);
    await s.send({ customerThreadId: id, text: "Whose?" });
  }
  await s.details(9005, { token: "acme-no-delete" });
  await s.details(9101, { token: "globex-token" });
  await s.details(9001, { token: "nobody-knows-this" });
  await s.send({ text: "x" }, { token: "nobody-knows-this" });
  await s.details(9001, { token: null });
  await s.graphql("get-hook-query", undefined, { token: null });
  await s.remove({ email: "chloe@acme.example" }, { token: "acme-no-delete" });
  // Forms of calls.
  await s.details(9001, { headers: { "content-type": "" } });
  await s.get("/api/get-customer-thread-details");
  await s.details("9001&customerThreadId=66666666");
  await s.details("66666666&customerThreadId=9001");
  await s.get("/api/get-whatsapp-templates/?customerThreadId=9001");
  await s.get("/api/nothing-here");
  await s.get("/api/update-thread-status");
  await s.post("/api/send-message-to-customer-thread", "{ broken");
  await s.send({ text: "plain" }, { headers: { "content-type": "text/plain" } });
  // Profiles.
  await s.update("cust_001", { firstName: "Alain" });
  await s.profile("cust_001");
  await s.update("cust_001", { company: "" });
  await s.profile("cust_001");
  await s.update("cust_002", { lastName: "Garcia", company: "Nuevo" });
  await s.profile("cust_002");
  await s.update("cust_002", { firstName: 7 });
  await s.update("cust_002", { firstName: null });
  await s.profile("cust_nobody");
  await s.update("cust_nobody", { firstName: "No" });
  await s.profile("cust_101");
  // The widget.
  const ida = { email: "ida@customer.example" };
  await s.start({ user: ida });
  await s.details(s.threads.at(-1));
  await s.send({ customerThreadId: s.threads.at(-1), text: "Hello Ida" });
  await s.start({ user: ida });
  await s.start({ user: { email: "IDA@customer.example" } });
  await s.profile(s.lastCustomer());
  await s.start({ user: { whatsapp: "+33612345678" } });
  await s.details(s.threads.at(-1));
  await s.send({ customerThreadId: s.threads.at(-1), text: "Hello" });
  await s.start({ user: { sms: "+33612345679" }, businessId: "1002" });
  await s.details(s.threads.at(-1));
  await s.details(s.threads[1]);
  await s.start({ user: { whatsapp: "+33612345670" }, businessId: "1002" });
  await s.start({ user: { whatsapp: "+33612345670" }, businessId: "1003" });
  await s.start({ user: { sms: "+33612345670" }, businessId: "1003" });
  await s.start({ user: ida, businessId: "2001" });
  await s.start({ user: ida, message: "Whose is it?" }, { token: "globex-token" });
  await s.profile("cust_101", { token: "globex-token" });
  await s.start({ user: ida, businessId: "4040" });
  await s.start({ user: { email: "not an address" } });
  await s.start({ user: { email: "a@shop.co.uk" } });
  await s.start({ user: { sms: "whatsapp:+33612345670" } });
  await s.start({ user: { sms: "+33612345670", email: "b@customer.example" } });
  await s.start({ user: {} });
  await s.start({ user: { email: "c@customer.example" }, message: "" });
  // Webhooks.
  await s.subscribe("https://bot.example/a", ["messages"]);
  const hookId = s.hooks.at(-1);
  await s.get(`/api/webhooks/${hookId}`);
  await s.post(`/api/webhooks/${hookId}/update`, { enabled: false });
  await s.subscribe("https://bot.example/b", []);
  await s.subscribe("https://bot.example/c", ["messages", "messages"]);
  await s.subscribe("http://127.0.0.1:9/d", ["messages"]);
  await s.subscribe("http://bot.example/e", ["messages"]);
  await s.post("/api/update-hook-url", { url: `${s.hook}/legacy` });
  await s.get("/api/webhooks/");
  await s.get("/api/webhooks/nothing");
  await s.post(`/api/webhooks/${hookId}/delete`, undefined, { headers: { "content-type": "" } });
  await s.post(`/api/webhooks/${hookId}/delete`, undefined);
  await s.graphql("get-hook-query");
  await s.graphql("get-hook-query", { hookId: [] });
  await s.graphql("get-hook-query", null);
  await s.graphql("save-hook-mutation", { hookId: "mine", url: "https://bot.example/g" });
  await s.graphql("save-hook-mutation", { hookId: "mine", enabled: null });
  await s.graphql("save-hook-mutation", { hookId: "mine", enabled: false });
  await s.get("/api/webhooks/mine");
  await s.graphql("save-hook-mutation", { hookId: "new-one" });
  await s.graphql("delete-hook-mutation", { hookId: ["mine", "unknown"] });
  await s.graphql("get-hook-query", { hookId: ["mine"] });
  await s.graphql("delete-hook-mutation", { hookId: [] });
  await s.graphql("delete-hook-mutation", { hookId: ["mine"] });
  await s.graphql("unknown-query");
  // Events in both forms.
  await s.say("For both hooks");
  await s.employee("Answer for both hooks");
  await s.send({ text: "From the bot to both" });
  await s.people("/threads/9001/transfer", { businessId: "1002" });
  await s.people("/threads/9003/transfer", { businessId: "1002", employeeUserId: "502" });
  // Users.
  await s.remove({});
  for (const email of ["nobody", "Chloe", "chloe", "bruno"])
    await s.remove({ email: `${email}@acme.example` });
  // Time.
  await s.say("Before the night", "9002");
  // A second before and a second after 12, 24 and 48 hours.
  for (const hours of [12, 12, 24]) {
    await s.pass(hours * 3_600_000 - 2_000);
    await s.details(9002);
    await s.details(9002);
  }
  await s.send({ customerThreadId: "9002", text: "Good morning" });
  await s.say("The last word", "9002");
  await s.employee("And mine", true, "9002");
  await s.details(9002);
}
