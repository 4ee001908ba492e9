import type { HttpRequest, HttpResponse } from "../client/transport.js";
import { loadPackage } from "../kernel/load.js";
import type { HttpAnswer, HttpCall } from "../scenarios/http.js";
import { onceMore } from "../scenarios/http.js";

/** Connections to the simulator; calls beyond them wait. */
const CONNECTIONS = 256;

/** The connections of a generator to its simulator: many calls a second, each of them cheap. */
export class Connections {
  readonly #pool: import("undici").Pool;
  readonly #origin: string;

  constructor(url: string) {
    const { Pool } = loadPackage<typeof import("undici")>("undici");
    this.#origin = new URL(url).origin;
    this.#pool = new Pool(this.#origin, { connections: CONNECTIONS, pipelining: 1 });
  }

  /** @throws the system's error when there is no answer */
  send(call: HttpCall): Promise<HttpAnswer> {
    return onceMore(() => this.#send(call));
  }

  async #send({ method, url, headers, body }: HttpCall): Promise<HttpAnswer> {
    const path = url.slice(this.#origin.length);
    const answer = await this.#pool.request({ method: method as "GET", path, headers, body: body ?? null });
    const received = Object.entries(answer.headers).map(([name, value]) => [name, String(value ?? "")]);
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(received),
      text: await answer.body.text(),
    };
  }

  /** The same in the form in which a transport takes it. */
  fetch = async (url: string, { method, headers, body }: HttpRequest): Promise<HttpResponse> => {
    const { status, headers: received, text } = await this.send({ method, url, headers, body });
    const get = (name: string) => received[name] ?? null;
    return { status, headers: { get }, body: null, text: async () => text };
  };

  close(): void {
    void this.#pool.destroy();
  }
}
