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
  readonly request: {
    method: string;
    url: string;
    headers: unknown;
    postData?: { text?: string | undefined };
  };
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
    /** The key of calls that name none. */
    readonly key: () => string | null = () => "acme-token",
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
    { token = this.key(), body, headers = {} }: CallOptions = {},
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
    const [, id = "cust_nobody"] =
      /.*\\"customerId\\":\\"([^"]+)\\"/s.exec(JSON.stringify(this.entries)) ?? [];
    return id;
  }

  #pseudonym(token: string): string {
    if (!this.#tokens.includes(token)) this.#tokens.push(token);
    return `token-${this.#tokens.indexOf(token) + 1}`;
  }
}

interface Circumstances {
  readonly latency?: () => number;
  readonly key?: () => string | null;
  /** What the receiver answers a delivery. */
  readonly receiver?: () => number;
}

/** Plays a session against a simulator with these settings. */
export async function recorded(
  behaviour: Record<string, unknown>,
  play: (session: Session) => Promise<void>,
  { latency, key, receiver = () => 200 }: Circumstances = {},
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
    session = new Session(simulator.url, hook, latency, key);
    await session.control("POST", "/connect", { url: `${hook}/hooks` });
    await play(session);
    return session.entries;
  } finally {
    await simulator.close();
    server.close().closeAllConnections();
  }
}

const TEMPLATE = (number: number) => `HX${"0".repeat(31)}${number}`;

const IDA = { email: "ida@customer.example" };

/** About 160 calls of a bot, a CRM and a curious developer, in an order in which most of them succeed. */
export const busyActions = (s: Session): readonly (() => Promise<unknown>)[] => [
  ...[9001, 9002, 9003, 9004].flatMap((id) => [() => s.details(id), () => s.templates(id)]),
  ...["cust_001", "cust_002", "cust_003", "cust_004"].map((id) => () => s.profile(id)),
  // Messages and status.
  () => s.say("Hello, where is my order?"),
  () => s.details(9001),
  () => s.send({ text: "We are looking." }),
  () => s.details(9001),
  () => s.send({ customerThreadId: 9001, text: "As a number." }),
  () => s.send({ text: "A note for colleagues", internal: true }),
  () => s.send({ text: "" }),
  () => s.send({ text: "With more", colour: "red" }),
  () => s.send({ text: "null is nothing", internal: null }),
  () => s.send({}),
  () => s.send({ text: "both", contentSid: TEMPLATE(1) }),
  () => s.send({ contentSid: TEMPLATE(1) }),
  () => s.send({ contentSid: TEMPLATE(2), internal: true }),
  () => s.send({ contentSid: `HX${"9".repeat(32)}` }),
  () => s.send({ customerThreadId: "9003", text: "An SMS" }),
  () => s.send({ customerThreadId: "9003", contentSid: TEMPLATE(1) }),
  () => s.send({ customerThreadId: "9004", text: "An e-mail" }),
  () => s.send({ customerThreadId: "9002", text: "Is it open?" }),
  () => s.send({ customerThreadId: "9002", text: "Between us", internal: true }),
  () => s.send({ customerThreadId: "9002", contentSid: TEMPLATE(3) }),
  () => s.say("I am back", "9002"),
  () => s.details(9002),
  () => s.send({ customerThreadId: "9002", text: "Welcome back" }),
  () => s.employee("I take over", false, "9002"),
  () => s.details(9002),
  ...["resolved", "replied", "waiting", "replied", "resolved", "waiting", "resolved"].flatMap((status) => [
    () => s.move(status),
    () => s.details(9001),
  ]),
  () => s.say("One more thing"),
  () => s.details(9001),
  () => s.employee("Yes?"),
  () => s.details(9001),
  () => s.employee("Hm", true),
  () => s.showPicture("See this"),
  () => s.move("closed"),
  () => s.move("waiting", "77777777"),
  () => s.send({ customerThreadId: "88888888", text: "Nobody" }),
  () => s.details(66666666),
  () => s.templates(66666666),
  // Who may do what.
  ...["9005", "9101"].flatMap((id) => [
    () => s.details(id),
    () => s.templates(id),
    () => s.send({ customerThreadId: id, text: "Whose?" }),
  ]),
  () => s.details(9005, { token: "acme-no-delete" }),
  () => s.details(9101, { token: "globex-token" }),
  () => s.details(9001, { token: "nobody-knows-this" }),
  () => s.send({ text: "x" }, { token: "nobody-knows-this" }),
  () => s.details(9001, { token: null }),
  () => s.graphql("get-hook-query", undefined, { token: null }),
  () => s.remove({ email: "chloe@acme.example" }, { token: "acme-no-delete" }),
  // Forms of calls.
  () => s.details(9001, { headers: { "content-type": "" } }),
  () => s.get("/api/get-customer-thread-details"),
  () => s.details("9001&customerThreadId=66666666"),
  () => s.details("66666666&customerThreadId=9001"),
  () => s.get("/api/get-whatsapp-templates/?customerThreadId=9001"),
  () => s.get("/api/nothing-here"),
  () => s.get("/api/update-thread-status"),
  () => s.post("/api/send-message-to-customer-thread", "{ broken"),
  () => s.send({ text: "plain" }, { headers: { "content-type": "text/plain" } }),
  // Profiles.
  () => s.update("cust_001", { firstName: "Alain" }),
  () => s.profile("cust_001"),
  () => s.update("cust_001", { company: "" }),
  () => s.profile("cust_001"),
  () => s.update("cust_002", { lastName: "Garcia", company: "Nuevo" }),
  () => s.profile("cust_002"),
  () => s.update("cust_002", { firstName: 7 }),
  () => s.update("cust_002", { firstName: null }),
  () => s.profile("cust_nobody"),
  () => s.update("cust_nobody", { firstName: "No" }),
  () => s.profile("cust_101"),
  // The widget.
  () => s.start({ user: IDA }),
  () => s.details(s.threads.at(-1)),
  () => s.send({ customerThreadId: s.threads.at(-1), text: "Hello Ida" }),
  () => s.start({ user: IDA }),
  () => s.start({ user: { email: "IDA@customer.example" } }),
  () => s.profile(s.lastCustomer()),
  () => s.start({ user: { whatsapp: "+33612345678" } }),
  () => s.details(s.threads.at(-1)),
  () => s.send({ customerThreadId: s.threads.at(-1), text: "Hello" }),
  () => s.start({ user: { sms: "+33612345679" }, businessId: "1002" }),
  () => s.details(s.threads.at(-1)),
  () => s.details(s.threads[1]),
  () => s.start({ user: { whatsapp: "+33612345670" }, businessId: "1002" }),
  () => s.start({ user: { whatsapp: "+33612345670" }, businessId: "1003" }),
  () => s.start({ user: { sms: "+33612345670" }, businessId: "1003" }),
  () => s.start({ user: IDA, businessId: "2001" }),
  () => s.start({ user: IDA, message: "Whose is it?" }, { token: "globex-token" }),
  () => s.profile("cust_101", { token: "globex-token" }),
  () => s.start({ user: IDA, businessId: "4040" }),
  () => s.start({ user: { email: "not an address" } }),
  () => s.start({ user: { email: "a@shop.co.uk" } }),
  () => s.start({ user: { sms: "whatsapp:+33612345670" } }),
  () => s.start({ user: { sms: "+33612345670", email: "b@customer.example" } }),
  () => s.start({ user: {} }),
  () => s.start({ user: { email: "c@customer.example" }, message: "" }),
  // Webhooks.
  () => s.subscribe("https://bot.example/a", ["messages"]),
  () => s.get(`/api/webhooks/${s.hooks[0]}`),
  () => s.post(`/api/webhooks/${s.hooks[0]}/update`, { enabled: false }),
  () => s.subscribe("https://bot.example/b", []),
  () => s.subscribe("https://bot.example/c", ["messages", "messages"]),
  () => s.subscribe("http://127.0.0.1:9/d", ["messages"]),
  () => s.subscribe("http://bot.example/e", ["messages"]),
  () => s.post("/api/update-hook-url", { url: `${s.hook}/legacy` }),
  () => s.get("/api/webhooks/"),
  () => s.get("/api/webhooks/nothing"),
  () => s.post(`/api/webhooks/${s.hooks[0]}/delete`, undefined, { headers: { "content-type": "" } }),
  () => s.post(`/api/webhooks/${s.hooks[0]}/delete`, undefined),
  () => s.graphql("get-hook-query"),
  () => s.graphql("get-hook-query", { hookId: [] }),
  () => s.graphql("get-hook-query", null),
  () => s.graphql("save-hook-mutation", { hookId: "mine", url: "https://bot.example/g" }),
  () => s.graphql("save-hook-mutation", { hookId: "mine", enabled: null }),
  () => s.graphql("save-hook-mutation", { hookId: "mine", enabled: false }),
  () => s.get("/api/webhooks/mine"),
  () => s.graphql("save-hook-mutation", { hookId: "new-one" }),
  () => s.graphql("delete-hook-mutation", { hookId: ["mine", "unknown"] }),
  () => s.graphql("get-hook-query", { hookId: ["mine"] }),
  () => s.graphql("delete-hook-mutation", { hookId: [] }),
  () => s.graphql("delete-hook-mutation", { hookId: ["mine"] }),
  () => s.graphql("unknown-query"),
  // Events in both forms.
  () => s.say("For both hooks"),
  () => s.employee("Answer for both hooks"),
  () => s.send({ text: "From the bot to both" }),
  () => s.people("/threads/9001/transfer", { businessId: "1002" }),
  () => s.people("/threads/9003/transfer", { businessId: "1002", employeeUserId: "502" }),
  // Users.
  () => s.remove({}),
  ...["nobody", "Chloe", "chloe", "bruno"].map((name) => () => s.remove({ email: `${name}@acme.example` })),
  // Time.
  () => s.say("Before the night", "9002"),
  // A second before and a second after 12, 24 and 48 hours.
  ...[12, 12, 24].flatMap((hours) => [
    () => s.pass(hours * 3_600_000 - 2_000),
    () => s.details(9002),
    () => s.details(9002),
  ]),
  () => s.send({ customerThreadId: "9002", text: "Good morning" }),
  () => s.say("The last word", "9002"),
  () => s.employee("And mine", true, "9002"),
  () => s.details(9002),
];
