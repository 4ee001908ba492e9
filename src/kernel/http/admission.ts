/** The limits on concurrent work, and what is refused beyond them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { bound } from "../bounds.js";
import { fromKeys, keysOf } from "../objects.js";
import { sizeText } from "../units.js";

const REFUSED = "the simulated API immediately answers 503 with `Retry-After`";
const ALL_REFUSED = `${REFUSED}; sinks answer 503 too`;
const CONTROL_REFUSED = "the control API answers 503 with `Retry-After`";

/** The limits on concurrent work. */
export const LOAD_BOUNDS = {
  calls: bound(10_000, "Calls to the simulated API and to sinks in flight, in all sandboxes", ALL_REFUSED),
  connections: bound(
    10_000,
    "Open connections",
    `on further connections ${REFUSED} and closes the connection; the control API still responds. Beyond twice as many, new connections are closed immediately`,
  ),
  bodyBytes: bound(
    64 * 1024 * 1024,
    "Total size of bodies in flight to the simulated API and sinks",
    `for a call that would exceed it, ${ALL_REFUSED}`,
  ),
  controlBodyBytes: bound(
    128 * 1024 * 1024,
    "Total size of large bodies (64 KiB and more) of control calls in flight. A single one is always accepted",
    CONTROL_REFUSED,
  ),
  deliveries: bound(100_000, "Pending deliveries, in all sandboxes", `for all calls except GET, ${REFUSED}`),
  scenarioRuns: bound(100, "Running posted scenarios, in all sandboxes", CONTROL_REFUSED),
} as const;

type LoadLimits = Readonly<Record<keyof typeof LOAD_BOUNDS, number>>;

export const loadLimits = (): LoadLimits => fromKeys(keysOf(LOAD_BOUNDS), (name) => LOAD_BOUNDS[name].limit);

export const RETRY_AFTER_S = 1;

/** The total bytes of bodies in flight. Bodies smaller than `from` are not counted: the limit on calls covers them. */
export class BodyPool {
  bytes = 0;

  constructor(
    readonly limit: number,
    readonly from: number,
  ) {}

  /** Counts a body until its response has ended. @returns a function that reports its current size in bytes */
  open(response: ServerResponse): (bytes: number) => void {
    let held = 0;
    const hold = (bytes: number) => {
      this.bytes += bytes - held;
      held = bytes;
    };
    response.once("close", () => hold(0));
    return hold;
  }

  /** Whether a body of this size, of which `held` bytes are counted already, exceeds the total. A single body always fits. */
  isFullFor(size: number, held = 0): boolean {
    const others = this.bytes - held;
    return size >= this.from && others > 0 && others + size > this.limit;
  }
}

/** The sizes from which bodies are counted: of the simulated API and sinks, and of control calls, which take longer. */
const SMALL_BYTES = 4 * 1024;
const SMALL_CONTROL_BYTES = 64 * 1024;

/** The work in flight, measured against its limits. */
export class Admission {
  readonly limits: LoadLimits;
  readonly bodies: BodyPool;
  readonly controlBodies: BodyPool;
  /** Calls in flight to the simulated API and to sinks. */
  calls = 0;
  runs = 0;
  refused = 0;
  readonly #open = new Set<Socket>();
  readonly #late = new WeakSet<Socket>();
  readonly #pending: () => number;

  constructor(limits: LoadLimits, pending: () => number) {
    this.limits = limits;
    this.#pending = pending;
    this.bodies = new BodyPool(limits.bodyBytes, SMALL_BYTES);
    this.controlBodies = new BodyPool(limits.controlBodyBytes, SMALL_CONTROL_BYTES);
  }

  connected(socket: Socket): void {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    if (this.connections > this.limits.connections) this.#late.add(socket);
  }

  get connections(): number {
    return this.#open.size;
  }

  /** Whether a response is awaited or being written on any connection. */
  get isAnswering(): boolean {
    return [...this.#open].some((socket) => Reflect.get(socket, "_httpMessage") || socket.writableLength > 0);
  }

  isLate({ socket }: IncomingMessage): boolean {
    return this.#late.has(socket);
  }

  /** Why a call cannot be accepted now; undefined if it can. */
  excess(request: IncomingMessage): string | undefined {
    const { calls, connections, deliveries } = this.limits;
    if (this.isLate(request)) return `${connections} connections are open`;
    if (this.calls >= calls) return `${calls} calls are in flight`;
    if (this.bodies.isFullFor(Number(request.headers["content-length"] ?? 0))) return fullness(this.bodies);
    if (request.method !== "GET" && this.#pending() >= deliveries)
      return `${deliveries} deliveries are pending`;
    return undefined;
  }

  /** Why a scenario cannot be run now; undefined if it can. */
  get excessOfRuns(): string | undefined {
    const { scenarioRuns } = this.limits;
    return this.runs >= scenarioRuns ? `${scenarioRuns} scenarios are running` : undefined;
  }
}

export const fullness = ({ bytes }: BodyPool): string => `${sizeText(bytes)} of bodies are in flight`;
