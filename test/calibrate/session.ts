/** A client's session with a simulator whose settings are secret, recorded as HAR with pseudonyms for its keys. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSimulator } from "../../src/index.js";

export interface RecordedEntry {
  readonly startedDateTime: string;
  readonly time: number;
  readonly _direction: "call" | "delivery";
  readonly request: object;
  readonly response: object;
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
  readonly headers?: Headers;
}

/** Speaks to the simulator as a client would, and moves its world as people do. */
export class Session {
  readonly entries: RecordedEntry[] = [];
  #pending: RecordedEntry[] = [];
  #now = Date.parse("2026-01-05T09:00:00Z");
  readonly #tokens = new Map<string, string>();

  constructor(
    readonly url: string,
    readonly hook: string,
    /** For how long the next call has been under way before the service gets it, ms. */
    readonly latency: () => number = () => 0,
  ) {}

  received(path: string, headers: Headers, body: string, status = 200): void {
    const request = {
      method: "POST",
      url: this.hook + path,
      headers: listed(headers),
      postData: { mimeType: "application/json", text: body },
    };
    this.#pending.push({
      ...this.#common("delivery"),
      request,
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
    const json: Headers = headers["content-type"] === "" ? {} : { "content-type": "application/json" };
    const { "content-type": type, ...rest } = headers;
    const sent: Headers = {
      ...json,
      ...rest,
      ...(type ? { "content-type": type } : {}),
      ...(token === null ? {} : { token }),
    };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(this.url + path, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body: text }),
    });
    const answer = await response.text();
    const recorded = { ...sent, ...(token === null ? {} : { token: this.#pseudonym(token) }) };
    const request = {
      method,
      url: `https://api.service.example${path}`,
      headers: listed(recorded),
      ...(body === undefined ? {} : { postData: { text } }),
    };
    const own = Object.fromEntries(response.headers);
    this.entries.push({
      ...this.#common("call", this.latency()),
      request,
      response: { status: response.status, headers: listed(own), content: { text: answer } },
    });
    await this.#settle();
    await this.pass(1_000);
    return answer === "" ? undefined : JSON.parse(answer);
  }

  get = (path: string, options: CallOptions = {}) => this.call("GET", path, options);
  post = (path: string, body: unknown, options: CallOptions = {}) =>
    this.call("POST", path, { body, ...options });

  /** What people do, of whom the recording shows deliveries only. */
  async people(path: string, body: object): Promise<void> {
    await this.control("POST", path, body);
    await this.#settle();
    await this.pass(1_000);
  }

  async pass(ms: number): Promise<void> {
    this.#now += ms;
    await this.control("POST", "/clock/advance", { by: ms });
    await this.#settle();
  }

  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${this.url}/__sim${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok && response.status !== 409)
      throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  async #settle(): Promise<void> {
    await this.control("POST", "/wait", { for: "idle" });
    this.entries.push(...this.#pending);
    this.#pending = [];
  }

  /** The customer whom the newest delivery of a message names. */
  lastCustomer(): string | undefined {
    const texts = this.entries.map(
      ({ request }) => (request as { postData?: { text?: string } }).postData?.text ?? "",
    );
    return texts.map((text) => /"customerId":"([^"]+)"/.exec(text)?.[1]).findLast((id) => id !== undefined);
  }

  #pseudonym(token: string): string {
    const known = this.#tokens.get(token) ?? `token-${this.#tokens.size + 1}`;
    this.#tokens.set(token, known);
    return known;
  }
}

const listed = (headers: Headers) => Object.entries(headers).map(([name, value]) => ({ name, value }));

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
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const status = receiver();
      session?.received(request.url ?? "/", request.headers as Headers, body, status);
      response.writeHead(status).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const simulator = await createSimulator({
    port: 0,
    behaviour: behaviour as never,
    clock: "2026-01-05T09:00:00Z",
  });
  try {
    session = new Session(simulator.url, hook, latency);
    await session.control("POST", "/connect", { url: `${hook}/hooks` });
    await play(session);
    return session.entries;
  } finally {
    await simulator.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

export const harOf = (entries: readonly RecordedEntry[]) => ({
  log: { version: "1.2", creator: { name: "test", version: "1" }, entries },
});

const SEND = "/api/send-message-to-customer-thread";
const WIDGET = "/api/widget/send-message-to-business";
const details = (id: string | number) => `/api/get-customer-thread-details?customerThreadId=${id}`;
const templates = (id: string | number) => `/api/get-whatsapp-templates?customerThreadId=${id}`;

/** About 160 calls of a bot, a CRM and a curious developer. */
export async function busySession(s: Session): Promise<void> {
  const say = (text: string, id = "9001") => s.people(`/threads/${id}/inbound`, { text });
  const employee = (text: string, internal = false, id = "9001") =>
    s.people(`/threads/${id}/employee-message`, { userId: "501", text, internal });
  for (const id of ["9001", "9002", "9003", "9004"]) {
    await s.get(details(id));
    await s.get(templates(id));
  }
  for (const id of ["cust_001", "cust_002", "cust_003", "cust_004"])
    await s.get(`/api/customers/${id}/profile`);
  // Messages and status.
  await say("Hello, where is my order?");
  await s.get(details(9001));
  await s.post(SEND, { customerThreadId: "9001", text: "We are looking." });
  await s.get(details(9001));
  await s.post(SEND, { customerThreadId: 9001, text: "As a number." });
  await s.post(SEND, { customerThreadId: "9001", text: "A note for colleagues", internal: true });
  await s.post(SEND, { customerThreadId: "9001", text: "" });
  await s.post(SEND, { customerThreadId: "9001", text: "With more", colour: "red" });
  await s.post(SEND, { customerThreadId: "9001", text: "null is nothing", internal: null });
  await s.post(SEND, { customerThreadId: "9001" });
  await s.post(SEND, {
    customerThreadId: "9001",
    text: "both",
    contentSid: "HX00000000000000000000000000000001",
  });
  await s.post(SEND, { customerThreadId: "9001", contentSid: "HX00000000000000000000000000000001" });
  await s.post(SEND, {
    customerThreadId: "9001",
    contentSid: "HX00000000000000000000000000000002",
    internal: true,
  });
  await s.post(SEND, { customerThreadId: "9001", contentSid: "HX99999999999999999999999999999999" });
  await s.post(SEND, { customerThreadId: "9003", text: "An SMS" });
  await s.post(SEND, { customerThreadId: "9003", contentSid: "HX00000000000000000000000000000001" });
  await s.post(SEND, { customerThreadId: "9004", text: "An e-mail" });
  await s.post(SEND, { customerThreadId: "9002", text: "Is it open?" });
  await s.post(SEND, { customerThreadId: "9002", text: "Between us", internal: true });
  await s.post(SEND, { customerThreadId: "9002", contentSid: "HX00000000000000000000000000000003" });
  await say("I am back", "9002");
  await s.get(details(9002));
  await s.post(SEND, { customerThreadId: "9002", text: "Welcome back" });
  await employee("I take over", false, "9002");
  await s.get(details(9002));
  for (const status of ["resolved", "replied", "waiting", "replied", "resolved", "waiting", "resolved"]) {
    await s.post("/api/update-thread-status", { customerThreadId: "9001", status });
    await s.get(details(9001));
  }
  await say("One more thing");
  await s.get(details(9001));
  await employee("Yes?", false);
  await s.get(details(9001));
  await employee("Hm", true);
  await s.people("/threads/9001/inbound", {
    text: "See this",
    attachment: { uuid: "5e1", contentType: "image/png", name: "a.png", contentLength: 1234 },
  });
  await s.post("/api/update-thread-status", { customerThreadId: "9001", status: "closed" });
  await s.post("/api/update-thread-status", { customerThreadId: "77777777", status: "waiting" });
  await s.post(SEND, { customerThreadId: "88888888", text: "Nobody" });
  await s.get(details(66666666));
  await s.get(templates(66666666));
  // Who may do what.
  for (const id of ["9005", "9101"]) {
    await s.get(details(id));
    await s.get(templates(id));
    await s.post(SEND, { customerThreadId: id, text: "Whose?" });
  }
  await s.get(details("9005"), { token: "acme-no-delete" });
  await s.get(details("9101"), { token: "globex-token" });
  await s.get(details(9001), { token: "nobody-knows-this" });
  await s.post(SEND, { customerThreadId: "9001", text: "x" }, { token: "nobody-knows-this" });
  await s.get(details(9001), { token: null });
  await s.post("/graphql", { query: "get-hook-query" }, { token: null });
  await s.post("/api/user/delete-by-email", { email: "chloe@acme.example" }, { token: "acme-no-delete" });
  // Forms of calls.
  await s.get(details(9001), { headers: { "content-type": "" } });
  await s.get("/api/get-customer-thread-details");
  await s.get("/api/get-customer-thread-details?customerThreadId=9001&customerThreadId=66666666");
  await s.get("/api/get-customer-thread-details?customerThreadId=66666666&customerThreadId=9001");
  await s.get("/api/get-whatsapp-templates/?customerThreadId=9001");
  await s.get("/api/nothing-here");
  await s.call("GET", "/api/update-thread-status");
  await s.call("POST", SEND, { body: "{ broken", headers: {} });
  await s.call("POST", SEND, {
    body: JSON.stringify({ customerThreadId: "9001", text: "plain" }),
    headers: { "content-type": "text/plain" },
  });
  // Profiles.
  const profile = (id: string) => `/api/customers/${id}/profile`;
  await s.post(`${profile("cust_001")}/update`, { firstName: "Alain" });
  await s.get(profile("cust_001"));
  await s.post(`${profile("cust_001")}/update`, { company: "" });
  await s.get(profile("cust_001"));
  await s.post(`${profile("cust_002")}/update`, { lastName: "Garcia", company: "Nuevo" });
  await s.get(profile("cust_002"));
  await s.post(`${profile("cust_002")}/update`, { firstName: 7 });
  await s.post(`${profile("cust_002")}/update`, { firstName: null });
  await s.get(profile("cust_nobody"));
  await s.post(`${profile("cust_nobody")}/update`, { firstName: "No" });
  await s.get(profile("cust_101"));
  // The widget.
  const widget = (user: object, businessId = "1001", message = "Hi from the site") =>
    s.post(WIDGET, { businessId, message, user });
  const first = await widget({ email: "ida@customer.example" });
  await s.get(details(first?.customerThreadId ?? 1));
  await s.post(SEND, { customerThreadId: String(first?.customerThreadId), text: "Hello Ida" });
  const again = await widget({ email: "ida@customer.example" });
  await widget({ email: "IDA@customer.example" });
  const customer = s.lastCustomer();
  if (customer !== undefined) await s.get(profile(customer));
  const whatsapp = await widget({ whatsapp: "+33612345678" });
  await s.get(details(whatsapp?.customerThreadId ?? 1));
  await s.post(SEND, { customerThreadId: String(whatsapp?.customerThreadId), text: "Hello" });
  const other = await widget({ sms: "+33612345679" }, "1002");
  await s.get(details(other?.customerThreadId ?? 1));
  await s.get(details(again?.customerThreadId ?? 1));
  await widget({ whatsapp: "+33612345670" }, "1002");
  await widget({ whatsapp: "+33612345670" }, "1003");
  await widget({ sms: "+33612345670" }, "1003");
  await widget({ email: "ida@customer.example" }, "2001");
  const foreign = { email: "ida@customer.example" };
  await s.post(
    WIDGET,
    { businessId: "1001", message: "Whose is it?", user: foreign },
    { token: "globex-token" },
  );
  await s.get(profile("cust_101"), { token: "globex-token" });
  await widget({ email: "ida@customer.example" }, "4040");
  await widget({ email: "not an address" });
  await widget({ email: "a@shop.co.uk" });
  await widget({ sms: "whatsapp:+33612345670" });
  await widget({ sms: "+33612345670", email: "b@customer.example" });
  await widget({});
  await widget({ email: "c@customer.example" }, "1001", "");
  // Webhooks.
  const created = await s.post("/api/webhooks/", {
    url: "https://bot.example/a",
    subscribedEvents: ["messages"],
  });
  const hookId = created?.hookId ?? created?.webhook?.hookId;
  await s.get(`/api/webhooks/${hookId}`);
  await s.post(`/api/webhooks/${hookId}/update`, { enabled: false });
  await s.post("/api/webhooks/", { url: "https://bot.example/b", subscribedEvents: [] });
  await s.post("/api/webhooks/", {
    url: "https://bot.example/c",
    subscribedEvents: ["messages", "messages"],
  });
  await s.post("/api/webhooks/", { url: "http://127.0.0.1:9/d", subscribedEvents: ["messages"] });
  await s.post("/api/webhooks/", { url: "http://bot.example/e", subscribedEvents: ["messages"] });
  await s.post("/api/update-hook-url", { url: `${s.hook}/legacy` });
  await s.get("/api/webhooks/");
  await s.get("/api/webhooks/nothing");
  await s.call("POST", `/api/webhooks/${hookId}/delete`, { headers: { "content-type": "" } });
  await s.post(`/api/webhooks/${hookId}/delete`, undefined, { headers: {} });
  const graphql = (query: string, variables?: unknown) =>
    s.post("/graphql", { query, ...(variables === undefined ? {} : { variables }) });
  await graphql("get-hook-query");
  await graphql("get-hook-query", { hookId: [] });
  await graphql("get-hook-query", null);
  await graphql("save-hook-mutation", { hookId: "mine", url: "https://bot.example/g" });
  await graphql("save-hook-mutation", { hookId: "mine", enabled: null });
  await graphql("save-hook-mutation", { hookId: "mine", enabled: false });
  await s.get("/api/webhooks/mine");
  await graphql("save-hook-mutation", { hookId: "new-one" });
  await graphql("delete-hook-mutation", { hookId: ["mine", "unknown"] });
  await graphql("get-hook-query", { hookId: ["mine"] });
  await graphql("delete-hook-mutation", { hookId: [] });
  await graphql("delete-hook-mutation", { hookId: ["mine"] });
  await graphql("unknown-query");
  // Events in both forms.
  await say("For both hooks");
  await employee("Answer for both hooks");
  await s.post(SEND, { customerThreadId: "9001", text: "From the bot to both" });
  await s.people("/threads/9001/transfer", { businessId: "1002" });
  await s.people("/threads/9003/transfer", { businessId: "1002", employeeUserId: "502" });
  // Users.
  await s.post("/api/user/delete-by-email", {});
  await s.post("/api/user/delete-by-email", { email: "nobody@acme.example" });
  await s.post("/api/user/delete-by-email", { email: "Chloe@acme.example" });
  await s.post("/api/user/delete-by-email", { email: "chloe@acme.example" });
  await s.post("/api/user/delete-by-email", { email: "bruno@acme.example" });
  // Time.
  await say("Before the night", "9002");
  // A second before and a second after 12, 24 and 48 hours.
  for (const hours of [12, 12, 24]) {
    await s.pass(hours * 3_600_000 - 2_000);
    await s.get(details(9002));
    await s.get(details(9002));
  }
  await s.post(SEND, { customerThreadId: "9002", text: "Good morning" });
  await say("The last word", "9002");
  await employee("And mine", true, "9002");
  await s.get(details(9002));
}
