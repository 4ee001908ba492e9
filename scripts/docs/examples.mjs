// Example calls against the fixture that ships, and what a simulator answers to them.

import { block, jsonBlock } from "./markdown.mjs";

/** Where the clock stands in examples, so that they are the same every time. */
const CLOCK = "2026-01-01T09:00:00Z";
const BASE = "http://127.0.0.1:4020";
const TOKEN = "acme-token";
/** Parameters that lead somewhere in the fixture that ships. */
const IDS = { customerId: "cust_001", webHookId: "crm", customerThreadId: "9001" };

/** The example call of an operation: method, target, body. */
export function exampleOf({ method, path, query, example, body }) {
  const names = Object.keys(query?.properties ?? {});
  const search = names.length === 0 ? "" : `?${names.map((name) => `${name}=${IDS[name]}`).join("&")}`;
  const target = path.replace(/:(\w+)/g, (_, name) => IDS[name]) + search;
  return { method, target, ...(body === undefined ? {} : { body: example }) };
}

/** A call that the operation's validation refuses; undefined where no body and no query could be wrong. */
export function wrongCallOf(operation) {
  const { method, query, body } = operation;
  const { target } = exampleOf(operation);
  if (query !== undefined) return { method, target: target.split("?")[0] };
  if (body === undefined)
    return method === "GET" ? undefined : { method, target, body: "not JSON", type: "text/plain" };
  const [field] = Object.keys(body.properties);
  return { method, target, body: body.required === undefined ? { [field]: 1 } : {} };
}

/** An example call as a command line. */
export function curlOf({ method, target, body }) {
  const address = `${BASE}${target}`;
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${target.includes("?") ? `'${address}'` : address}`,
    `-H 'token: ${TOKEN}'`,
    "-H 'Content-Type: application/json'",
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ];
  return block("sh", lines.join(" \\\n  "));
}

/** A simulator as a bare start makes it, with its clock standing still. */
export async function startExamples({ createSimulator }) {
  const simulator = await createSimulator({ clock: CLOCK });
  const call = async (method, target, body, headers = {}) => {
    const response = await fetch(simulator.url + target, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    return { status: response.status, body: answer };
  };
  const made = async (expected, method, target, ...rest) => {
    const answer = await call(method, target, ...rest);
    if (expected(answer.status)) return answer;
    throw new Error(`${method} ${target} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  };
  const isSuccess = (status) => status < 300;
  const control = (method, route, body) => made(isSuccess, method, `/__sim${route}`, body);
  return {
    close: () => simulator.close(),
    /** Makes an example call in a world that is as at the start. */
    async ask({ method, target, body }) {
      await control("POST", "/reset");
      return made(isSuccess, method, target, body, { token: TOKEN });
    },
    /** Makes a call that must be refused as invalid. */
    async askWrong({ method, target, body, type = "application/json" }) {
      await control("POST", "/reset");
      return made((status) => status === 400, method, target, body, { token: TOKEN, "content-type": type });
    },
    /** One payload of each kind, as a receiver gets it. */
    async payloads() {
      await control("POST", "/reset");
      await made(isSuccess, "POST", "/api/update-hook-url", { url: "sink:legacy" }, { token: TOKEN });
      await control("POST", "/threads/9001/inbound", { text: "Is my order ready?" });
      await control("POST", "/threads/9001/transfer", { businessId: "1002" });
      await control("POST", "/wait", { for: "idle" });
      const { body: deliveries } = await control("GET", "/deliveries");
      const first = (fits) => deliveries.find(fits)?.body;
      return {
        message: first(({ eventType, legacy }) => eventType === "message" && !legacy),
        transfer: first(({ eventType }) => eventType === "transfer"),
        legacy: first(({ legacy }) => legacy),
      };
    },
  };
}

export const answerBlock = ({ status, body }) => [`It answers ${status}:`, jsonBlock(body)];
