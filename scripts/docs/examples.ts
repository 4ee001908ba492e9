/** Example calls against the fixture that ships, and what a simulator answers to them. */
import type { Operation } from "../../src/api/operation.js";
import { omitUndefined } from "../../src/kernel/objects.js";
import { createSimulator } from "../../src/server/simulator.js";
import { type Blocks, block, jsonBlock } from "./markdown.js";

/** Where the clock stands in examples, so that they are the same every time. */
const CLOCK = "2026-01-01T09:00:00Z";
const BASE = "http://127.0.0.1:4020";
const TOKEN = "acme-token";
/** Parameters that lead somewhere in the fixture that ships. */
const IDS: Readonly<Record<string, string>> = {
  customerId: "cust_001",
  webHookId: "crm",
  customerThreadId: "9001",
};

interface Call {
  readonly method: string;
  readonly target: string;
  readonly body?: unknown;
  readonly type?: string;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The example call of an operation. */
export function exampleOf({ method, path, query, example, body }: Operation): Call {
  const names = Object.keys(query?.properties ?? {});
  const search = names.length === 0 ? "" : `?${names.map((name) => `${name}=${IDS[name]}`).join("&")}`;
  const target = path.replace(/:(\w+)/g, (_, name: string) => IDS[name] ?? "") + search;
  return { method, target, ...omitUndefined({ body: body && example }) };
}

/** A call that the operation's validation refuses; undefined where no body and no query could be wrong. */
export function wrongCallOf(operation: Operation): Call | undefined {
  const { method, query, body } = operation;
  const { target } = exampleOf(operation);
  if (query !== undefined) return { method, target: target.replace(/\?.*/, "") };
  if (body === undefined)
    return method === "GET" ? undefined : { method, target, body: "not JSON", type: "text/plain" };
  const [field = ""] = Object.keys(body.properties ?? {});
  return { method, target, body: body.required === undefined ? { [field]: 1 } : {} };
}

/** An example call as a command line. */
export function curlOf({ method, target, body }: Call): string {
  const address = `${BASE}${target}`;
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${target.includes("?") ? `'${address}'` : address}`,
    `-H 'token: ${TOKEN}'`,
    "-H 'Content-Type: application/json'",
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ];
  return block("sh", lines.join(" \\\n  "));
}

export const answerBlock = ({ status, body }: Answer): Blocks => [`It returns ${status}:`, jsonBlock(body)];

/** A simulator as a bare start makes it, with its clock standing still: examples are asked of it. */
export class Examples {
  static async start(): Promise<Examples> {
    return new Examples(await createSimulator({ clock: CLOCK }));
  }

  constructor(private readonly simulator: Awaited<ReturnType<typeof createSimulator>>) {}

  close(): Promise<void> {
    return this.simulator.close();
  }

  /** Makes an example call in a world that is as at the start. */
  async ask(call: Call): Promise<Answer> {
    await this.#control("POST", "/reset");
    return this.#made((status) => status < 300, call);
  }

  /** Makes a call that must be refused as invalid. */
  async askWrong(call: Call): Promise<Answer> {
    await this.#control("POST", "/reset");
    return this.#made((status) => status === 400, call);
  }

  /** One payload of each kind, as a receiver gets it. */
  async payloads(): Promise<Record<"message" | "transfer" | "legacy", unknown>> {
    await this.ask({ method: "POST", target: "/api/update-hook-url", body: { url: "sink:legacy" } });
    await this.#control("POST", "/threads/9001/inbound", { text: "Is my order ready?" });
    await this.#control("POST", "/threads/9001/transfer", { businessId: "1002" });
    await this.#control("POST", "/wait", { for: "idle" });
    const { body } = await this.#control("GET", "/deliveries");
    const deliveries = body as { eventType: string; legacy: boolean; body: unknown }[];
    return {
      message: deliveries.find(({ eventType, legacy }) => eventType === "message" && !legacy)?.body,
      transfer: deliveries.find(({ eventType }) => eventType === "transfer")?.body,
      legacy: deliveries.find(({ legacy }) => legacy)?.body,
    };
  }

  #control(method: string, route: string, body?: unknown): Promise<Answer> {
    return this.#made((status) => status < 300, { method, target: `/__sim${route}`, body });
  }

  async #made(
    isExpected: (status: number) => boolean,
    { method, target, body, type }: Call,
  ): Promise<Answer> {
    const response = await fetch(this.simulator.url + target, {
      method,
      headers: { token: TOKEN, "content-type": type ?? "application/json" },
      ...omitUndefined({ body: body === undefined ? undefined : JSON.stringify(body) }),
    });
    const answer = { status: response.status, body: (await response.json()) as unknown };
    if (isExpected(answer.status)) return answer;
    throw new Error(`${method} ${target} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
}
