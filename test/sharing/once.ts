import { type Agent, request } from "node:http";
import type { Answer } from "../support/simulator.js";

/** A call that is made once, on a connection of its own or the agent's: `fetch` repeats a call that gets 421. */
export function once(
  { url }: { readonly url: string },
  line: string,
  { headers = {}, body = "", agent = false }: { headers?: object; body?: string; agent?: Agent | false } = {},
): Promise<Answer> {
  const [method, path] = line.split(" ") as [string, string];
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, {
      method,
      agent,
      headers: { "content-type": "application/json", ...headers },
    });
    call.once("error", reject);
    call.once("response", async (response) => {
      const text = (await response.toArray()).join("");
      const received = new Headers(response.headers as Record<string, string>);
      resolve({ status: response.statusCode!, headers: received, body: JSON.parse(text) });
    });
    call.end(body);
  });
}
