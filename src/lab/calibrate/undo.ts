/** Sets back what probes have changed. */

import { isObject, valueAt } from "../../kernel/json.js";
import { type HttpAnswer, type HttpCall, parsedBody } from "../../scenarios/http.js";
import { CannotProbe, type ProbedService, type ServiceLine } from "./service-line.js";
import { hooksIn } from "./trace.js";

const WRITTEN = ["firstName", "lastName", "company"] as const;
const SHOWN = [...WRITTEN, "displayName"] as const;

/** What was there before the probes, and what they have changed since. */
export class Undo {
  #webhooks: ReadonlySet<string> | undefined;
  #profile: unknown;
  #status: unknown;
  /** The webhooks that calls of probes have made: their ids, and their addresses where the answer has no id. */
  readonly #made = new Set<unknown>();
  /** The fields of the profile and the thread that calls of probes may have changed. */
  readonly #changed = new Set<string>();
  readonly #left: string[] = [];

  constructor(
    readonly line: ServiceLine,
    readonly service: ProbedService,
  ) {}

  /** @throws CannotProbe where it cannot be read: then nothing must be changed */
  async remember(): Promise<void> {
    const { thread, customer } = this.service;
    this.#webhooks = new Set(
      hooksIn(await this.#read("/api/webhooks/", "--write")).map(({ hookId }) => hookId),
    );
    if (customer !== undefined) this.#profile = await this.#read(this.#profilePath(), "--customer");
    if (thread !== undefined)
      this.#status = valueAt(await this.#read(this.#threadPath(), "--thread"), ["status"]);
  }

  /** Sends a call of a probe, and notes what it may change. */
  readonly send = async (call: HttpCall): Promise<HttpAnswer> => {
    const { pathname } = new URL(call.url);
    const sent = parsedBody(call.body ?? "");
    const url = valueAt(sent, ["url"]) ?? valueAt(sent, ["variables", "url"]);
    if (call.method === "POST" && url !== undefined) this.#made.add(url);
    if (pathname.endsWith("/profile/update") && isObject(sent))
      for (const name of Object.keys(sent)) this.#changed.add(name);
    if (call.method === "POST" && String(valueAt(sent, ["customerThreadId"])) === this.service.thread)
      this.#changed.add("status");
    const answer = await this.line.send(call);
    if (call.method === "POST" && url !== undefined)
      for (const { hookId } of hooksIn(parsedBody(answer.text))) this.#made.add(hookId);
    return answer;
  };

  /** Sets everything back; what could not be, in words. */
  async run(): Promise<readonly string[]> {
    if (this.#made.size > 0) await this.#removeWebhooks();
    if (WRITTEN.some((name) => this.#changed.has(name))) await this.#writeProfile();
    const { thread: customerThreadId } = this.service;
    if (this.#changed.has("status") && typeof this.#status === "string")
      await this.#attempt(
        `the status of thread ${customerThreadId} was not restored`,
        "POST",
        "/api/update-thread-status",
        { customerThreadId, status: this.#status },
      );
    return this.#left;
  }

  async #removeWebhooks(): Promise<void> {
    const now = await this.#attempt(
      "the webhooks of the probes could not be listed",
      "GET",
      "/api/webhooks/",
    );
    for (const { hookId, url } of hooksIn(now))
      if (!this.#webhooks?.has(hookId) && (this.#made.has(hookId) || this.#made.has(url)))
        await this.#attempt(
          `the webhook ${hookId} was not deleted`,
          "POST",
          `/api/webhooks/${encodeURIComponent(hookId)}/delete`,
        );
  }

  async #writeProfile(): Promise<void> {
    const what = `the profile of ${this.service.customer} was not restored`;
    const fields = WRITTEN.filter((name) => this.#changed.has(name)).map(
      (name) => [name, String(valueAt(this.#profile, [name]) ?? "")] as const,
    );
    await this.#attempt(what, "POST", `${this.#profilePath()}/update`, Object.fromEntries(fields));
    const now = await this.#attempt(what, "GET", this.#profilePath());
    for (const name of SHOWN)
      if (isObject(now) && now[name] !== valueAt(this.#profile, [name]))
        this.#left.push(`${name} of ${this.service.customer} was not restored: set it by hand`);
  }

  async #attempt(what: string, method: string, path: string, sent?: unknown): Promise<unknown> {
    const { status, body } = await this.line.call(method, path, sent).catch((error: Error) => ({
      status: error.message,
      body: undefined,
    }));
    if (typeof status === "string" || status >= 300) this.#left.push(`${what} (${status}): do it by hand`);
    return body;
  }

  #profilePath = (): string => `/api/customers/${encodeURIComponent(this.service.customer ?? "")}/profile`;
  #threadPath = (): string =>
    `/api/get-customer-thread-details?customerThreadId=${encodeURIComponent(this.service.thread ?? "")}`;

  async #read(path: string, option: string): Promise<unknown> {
    const { status, body } = await this.line.call("GET", path);
    if (status === 200) return body;
    throw new CannotProbe(option, `GET ${path} returned ${status}, so nothing could be restored afterwards`);
  }
}
