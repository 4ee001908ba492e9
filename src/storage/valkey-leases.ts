import { monotonicNow } from "../kernel/realtime.js";
import { secretToken } from "../kernel/secret.js";
import type { Claim, Leases } from "./port.js";
import { LEASE_MS, LeaseLost } from "./port.js";
import type { ValkeyClient } from "./valkey-client.js";
import { channelOf, FENCES, INDEX, keyOf, NUMBERS } from "./valkey-keys.js";
import type { Script } from "./valkey-scripts.js";
import { SCRIPTS } from "./valkey-scripts.js";

/** What this process has taken: an id, and how far its log is. */
interface Held {
  readonly fence: number;
  /** The number of the last entry. */
  seq: number;
  /** Whether an entry may be there with the next number: nobody has heard what became of it. */
  isDoubtful: boolean;
  /** The number of the last entry that the next base document holds. */
  mark: number;
  log: number;
  /** What was appended since `mark`, bytes. */
  logSince: number;
  base: number;
  /** When the lease runs out, of monotonic time, ms. */
  until: number;
}

/** Which ids this process has in a server that several use; whatever changes what is kept of them goes through `fenced`. */
export class ValkeyLeases implements Leases {
  readonly #client: ValkeyClient;
  readonly #process = secretToken();
  readonly #held = new Map<string, Held>();
  #listening: ValkeyClient | undefined;
  #onAsked: (id: string) => void = () => {};

  constructor(client: ValkeyClient) {
    this.#client = client;
  }

  /** Hears what other processes ask for from now on. @throws Error with the reason */
  async listen(): Promise<void> {
    this.#listening = await this.#client.listen(channelOf(this.#process), (id) => this.#onAsked(id));
  }

  async acquire(id: string, create: boolean): Promise<Claim> {
    for (;;) {
      const fence = Number(await this.#client.call("INCR", FENCES));
      const began = monotonicNow();
      const args = [fence, create ? "create" : "open"];
      const [answer, told] = (await this.#run("acquire", id, args)) as string[];
      if (answer === "elsewhere") return { holder: String(told) };
      if (answer === "absent" || answer === "taken") return answer;
      if (answer !== "held") continue;
      const seq = Number(told);
      const until = began + LEASE_MS;
      this.#held.set(id, { fence, seq, isDoubtful: false, mark: seq, log: 0, logSince: 0, base: 0, until });
      return "held";
    }
  }

  isHeld(id: string): boolean {
    const held = this.#held.get(id);
    return held !== undefined && monotonicNow() < held.until;
  }

  async renew(id: string): Promise<boolean> {
    try {
      await this.fenced("renew", id, []);
      return true;
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      return false;
    }
  }

  async release(id: string): Promise<void> {
    if (!this.#held.has(id)) return;
    await this.fenced("release", id, []).catch((error: unknown) => {
      if (!(error instanceof LeaseLost)) throw error;
    });
    this.#held.delete(id);
  }

  async ask(holder: string, id: string): Promise<void> {
    await this.#client.call("PUBLISH", channelOf(holder), id);
  }

  onAsked(listener: (id: string) => void): void {
    this.#onAsked = listener;
  }

  async note(id: string, text: string): Promise<void> {
    await this.#client.call("HSET", INDEX, id, text);
  }

  async notes(): Promise<ReadonlyMap<string, string>> {
    const flat = (await this.#client.call("HGETALL", INDEX)) as string[];
    return new Map(flat.flatMap((id, at) => (at % 2 === 0 ? [[id, flat[at + 1] ?? ""] as const] : [])));
  }

  async nextNumber(): Promise<number> {
    return Number(await this.#client.call("INCR", NUMBERS));
  }

  async ping(): Promise<void> {
    await this.#client.call("PING");
  }

  /** What this process knows of an id that it has; undefined where it does not have it. */
  find(id: string): Held | undefined {
    return this.#held.get(id);
  }

  /** @throws LeaseLost where this process does not have the id */
  get(id: string): Held {
    const held = this.#held.get(id);
    if (held === undefined) throw new LeaseLost(id);
    return held;
  }

  /** Runs a function that changes what is kept of an id. @throws LeaseLost where another process has it by now */
  async fenced(
    name: Exclude<keyof typeof SCRIPTS, "acquire">,
    id: string,
    args: readonly (string | number)[],
    staged?: string,
  ): Promise<unknown> {
    const held = this.get(id);
    const began = monotonicNow();
    const answer = await this.#run(name, id, [held.fence, ...args], staged);
    if (answer === "lost") {
      if (this.#held.get(id) === held) this.#held.delete(id);
      throw new LeaseLost(id);
    }
    held.until = began + LEASE_MS;
    return answer;
  }

  /** An id is removed: nobody has it. */
  forget(id: string): void {
    this.#held.delete(id);
  }

  /** Lets others have all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((id) => this.release(id))).catch(() => {});
    this.#listening?.close();
  }

  #run(
    name: keyof typeof SCRIPTS,
    id: string,
    [fence = 0, ...args]: readonly (string | number)[],
    staged = "",
  ): Promise<unknown> {
    const { keys, text }: Script = SCRIPTS[name];
    const names = keys.map((part) => keyOf(id, part === "staged" ? staged : part));
    return this.#client.run(text, names, [fence, this.#process, LEASE_MS, ...args]);
  }
}
