/** Probes a service: selects the probes, sends their calls one by one, and undoes their changes. */

import { createServer, type IncomingMessage } from "node:http";
import { reasonOf } from "../../kernel/errors.js";
import { isObject, valueAt } from "../../kernel/json.js";
import { isoOf, monotonicNow, onAbort, sleep, wallNow, within } from "../../kernel/realtime.js";
import { counted } from "../../kernel/words.js";
import { Http, type HttpAnswer, type HttpCall, parsedBody } from "../../scenarios/http.js";
import type { Scenario } from "../../scenarios/read.js";
import { Runner } from "../../scenarios/runner.js";
import type { ParsedStep } from "../../scenarios/step.js";
import { type HarEntry, harEntryOf, seenText } from "../proxy/har.js";
import { CannotProbe, PACE_MS, type ProbedService, type ProbeOptions, ServiceLine } from "./service-line.js";
import { hooksIn } from "./trace.js";

interface ProbeResult {
  /** Every call and delivery, in the order of their beginning. */
  readonly entries: readonly HarEntry[];
  /** What could not be undone, and why probes were ended early. */
  readonly problems: readonly string[];
}

interface ProbePlan {
  readonly chosen: readonly Scenario[];
  readonly leftOut: readonly { readonly name: string; readonly why: string }[];
}

/** Time for deliveries of the last calls. */
const LAST_DELIVERIES_MS = 2_000;
const MAX_DELIVERY_BYTES = 1024 * 1024;

/** Which probes can be sent with what is given. */
export function planProbes(probes: readonly Scenario[], service: ProbedService): ProbePlan {
  const whyNot = ({ probe }: Scenario): string | undefined => {
    if (probe?.writes === true && !service.write) return "requires --write";
    const missing = probe?.needs?.filter((need) => service[need] === undefined) ?? [];
    return missing.length === 0 ? undefined : `requires ${missing.map((need) => `--${need}`).join(" and ")}`;
  };
  const judged = probes.map((one) => ({ one, why: whyNot(one) }));
  return {
    chosen: judged.flatMap(({ one, why }) => (why === undefined ? one : [])),
    leftOut: judged.flatMap(({ one: { name }, why }) => (why === undefined ? [] : { name, why })),
  };
}

const callsIn = (steps: readonly ParsedStep[]): number =>
  steps.filter(({ kind }) => kind.effect === "calls").length;

/** The plan for people to agree to. `url` is shown as it is. */
export function planText({ chosen, leftOut }: ProbePlan, url: string): string {
  const calls = chosen.reduce((sum, { steps }) => sum + callsIn(steps), 0);
  const seconds = Math.ceil((calls * PACE_MS) / 1000);
  return [
    `${counted(chosen.length, "probe")} with ${counted(calls, "call")} to ${url}, at most two a second (${seconds} s or more):`,
    ...chosen.flatMap(({ name, steps, probe }) => [
      `  ${name} (${counted(callsIn(steps), "call")})`,
      `    effect    ${probe?.does}`,
      `    measures  ${probe?.tells.join(", ")}`,
    ]),
    ...(leftOut.length === 0 ? [] : ["Left out:", ...leftOut.map(({ name, why }) => `  ${name}: ${why}`)]),
    "",
  ].join("\n");
}

/**
 * Sends the planned probes. Whatever happens, what they have changed of the profile and the status gets its earlier value, and the
 * webhooks that they have made are removed.
 *
 * @throws CannotProbe
 */
export async function runProbes(
  { chosen }: ProbePlan,
  service: ProbedService,
  options: ProbeOptions,
): Promise<ProbeResult> {
  const http = new Http();
  const line = new ServiceLine(http, service, options);
  const receiver = service.hook === undefined ? undefined : await receive(options.hookPort, line);
  const undo = new Undo(line, service);
  let problems: readonly string[] = [];
  try {
    await greet(line, service);
    if (service.write) await undo.remember();
    for (const probe of chosen) {
      if (options.signal.aborted || line.stopped !== undefined) break;
      options.onProbe(probe.name);
      const runner = new Runner(probe, service, { http, keepGoing: true, sendApi: undo.send });
      const forget = onAbort(options.signal, () => runner.interrupt("interrupted"));
      await runner.execute(probe.steps).finally(forget);
    }
    if (receiver !== undefined && !options.signal.aborted)
      await sleep(LAST_DELIVERIES_MS, options.signal).catch(() => {});
  } finally {
    line.isUndoing = true;
    problems = await undo.run();
    await receiver?.close();
    http.close();
  }
  const { stopped } = line;
  return { entries: line.entries(), problems: [...(stopped === undefined ? [] : [stopped]), ...problems] };
}

/** Whether the service answers, and takes the token. */
async function greet(line: ServiceLine, { url }: ProbedService): Promise<void> {
  let status: number;
  try {
    ({ status } = await line.call("GET", "/api/webhooks/"));
  } catch (error) {
    throw new CannotProbe("--against", `${url} does not respond: ${reasonOf(error)}`);
  }
  if (status === 401) throw new CannotProbe("--token", `${url} refuses the key: 401 for GET /api/webhooks/`);
}

/** Takes the deliveries of the service, and answers each with 200. */
async function receive(port: number, line: ServiceLine): Promise<{ close(): Promise<void> }> {
  const take = async (request: IncomingMessage): Promise<void> => {
    const [begun, startedAt] = [monotonicNow(), isoOf(wallNow())];
    let text = "";
    request.setEncoding("utf8");
    for await (const chunk of request) if (text.length < MAX_DELIVERY_BYTES) text += chunk;
    if (text.length > MAX_DELIVERY_BYTES) return;
    const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value) => ({ name, value })),
    );
    const exchange = {
      direction: "delivery",
      startedAt,
      timings: { send: 0, wait: 0, receive: 0 },
      method: request.method ?? "POST",
      url: new URL(request.url ?? "/", line.service.hook).href,
      headers,
      body: seenText(text),
      status: 200,
      statusText: "OK",
      responseHeaders: [],
      responseBody: seenText(""),
    } as const;
    line.add(begun, harEntryOf(exchange));
  };
  const server = createServer((request, response) => {
    take(request).then(
      () => response.end(),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", ({ message }) =>
      reject(new CannotProbe("--hook-port", `cannot listen on ${port}: ${message}`)),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await within(1_000, closed);
    },
  };
}

const WRITTEN = ["firstName", "lastName", "company"] as const;
const SHOWN = [...WRITTEN, "displayName"] as const;

/** What was there before the probes, and what they have changed since. */
class Undo {
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
