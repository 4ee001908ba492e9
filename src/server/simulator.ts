/** The composition root: the only place where the parts are wired together. */

import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import { ApiApp } from "../api/app.js";
import { createAccess } from "../control/access.js";
import { controlApp } from "../control/app.js";
import { ControlError } from "../control/errors.js";
import { eventFeeds } from "../control/event-feed.js";
import { SandboxMaker } from "../control/sandbox-maker.js";
import type { ControlServices } from "../control/services.js";
import { BOUNDS } from "../kernel/bounds.js";
import { reasonOf, SILENT } from "../kernel/errors.js";
import { type Connections, connectionsOf, createHttpServer } from "../kernel/http/server.js";
import { HostNames } from "../kernel/http/target.js";
import { LoopLag } from "../kernel/loop-lag.js";
import { maskedAddress } from "../kernel/masking.js";
import { VERSION } from "../kernel/packages.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { elapsedSince, monotonicNow, nextTurn, sleep, within } from "../kernel/realtime.js";
import { DeliveryService } from "../sandbox/delivery/service.js";
import type { JournalEntry } from "../sandbox/journal.js";
import { Heap } from "../sandbox/memory.js";
import { SandboxRegistry } from "../sandbox/registry.js";
import type { StartFiles } from "../sandbox/states.js";
import { BehaviourChecker } from "../service/behaviour/check.js";
import { FixtureLoader } from "../service/world/load.js";
import type { Ownership, OwnershipContext } from "../storage/ownership.js";
import type { Persistence } from "../storage/persistence.js";
import { createApplication, isControl } from "./application.js";
import { LIBRARY_OPTIONS, type SimulatorOptions } from "./config/options.js";
import { logTraffic, withoutSecrets } from "./log.js";
import { coverageControl, describe, scenarioControl, whyControl } from "./services.js";
import {
  filesOf,
  type LoadOptions,
  type ReadOptions,
  refuseUnknownOptions,
  reload,
  startOf,
} from "./start.js";

export type { SimulatorOptions } from "./config/options.js";
export type { LoadOptions } from "./start.js";

/** A running simulator. */
export interface Simulator extends AsyncDisposable {
  /** The base address of the simulated API, such as `http://127.0.0.1:4020`. */
  readonly url: string;
  readonly registry: SandboxRegistry;
  /** Logs and counts internal errors: `what failed inside the simulator`. */
  failed(error: unknown, what: string, where?: object): void;
  /**
   * Reloads fixtures, behaviour or faults from files or values: sandboxes that started with the simulator's own are reset to
   * them, and later ones start with them. Returns what was reloaded; omitted or unchanged parts stay. With `source`, so do sandboxes
   * that started with none of the changed files.
   *
   * @throws UnusableDocument for invalid input: then nothing changes
   */
  reload(options: LoadOptions, source?: StartFiles): Promise<readonly string[]>;
  /** Stops listening; requests and deliveries in flight get up to `graceMs` (default 0) of real time. */
  close(graceMs?: number): Promise<void>;
  /** False if `close` could not save the last changes. */
  readonly isSaved: boolean;
}

/**
 * Starts a simulator.
 *
 * @example
 * const sim = await createSimulator({ fixtures: "fixtures/acme.json", behaviour: "realistic" });
 * await fetch(`${sim.url}/api/get-customer-thread-details?customerThreadId=9001`, { headers: { token: "acme-token" } });
 * await sim.close();
 *
 * `startFiles` are the files that sandboxes start from, as `--watch` watches them.
 *
 * @throws UnusableDocument for an unknown option, and for an invalid fixture, behaviour, clock or file; it lists every
 * problem.
 */
export async function createSimulator(
  given: SimulatorOptions = {},
  startFiles: readonly string[] = [],
): Promise<Simulator> {
  const startedAt = monotonicNow();
  refuseUnknownOptions(given, LIBRARY_OPTIONS);
  const options = { ...(await filesOf(given)), logger: withoutSecrets(given.logger ?? SILENT) };
  const persistence = await openPersistence(options);
  try {
    return await assemble({ given, options, startFiles, persistence, startedAt });
  } catch (error) {
    await persistence?.close();
    throw error;
  }
}

/** The parts of a simulator. */
interface Parts {
  /** The options as given, and with the contents of their files. */
  readonly given: SimulatorOptions;
  readonly options: ReadOptions;
  readonly startFiles: readonly string[];
  readonly persistence: Persistence | undefined;
  readonly startedAt: number;
}

/**
 * The start, in order: the world that sandboxes start from, saved sandboxes, the server, deliveries, the registry, and then
 * the handlers: the simulated API, the control API and the page.
 */
async function assemble({ given, options, startFiles, persistence, startedAt }: Parts): Promise<Simulator> {
  const { host = "127.0.0.1", logger = SILENT } = options;
  const controlToken = options.controlToken || undefined;
  const loader = new FixtureLoader();
  const checker = new BehaviourChecker();
  const defaults = await startOf(options, loader, checker, startFiles);
  const current = { defaults, options: given };
  const open = { loader: loader.ofStored, checker, defaults: () => current.defaults };
  const kept = await persistence?.load(open);

  const failed = (error: unknown, what: string, where: object = {}): void => {
    registry.totals.failures += 1;
    logger.error({ err: error, ...where }, `${what} failed inside the simulator`);
  };
  const { listener, classes } = createApplication({
    control: (request, response) => control(request, response),
    api: (request, response) => api.handle(request, response),
    failed: (error) => failed(error, "a request"),
  });
  const server = createHttpServer(listener, (error) => failed(error, "a request"), {
    tls: options.tls,
    classes,
    unreadable: ({ kind, reason, method = "", target }) => {
      const scope = { limit: BOUNDS.headerBytes.limit, reason: reason === undefined ? "" : `: ${reason}` };
      const error = new ControlError(`http.${kind}`, scope);
      return target === undefined || isControl(target)
        ? error
        : api.formed({ status: error.status, body: { error: error.message } }, method, target).body;
    },
  });
  const connections = connectionsOf(server);
  // Saved sandboxes may call sinks at once, so the address must be known first; no request arrives before this turn ends.
  await once(server.listen({ port: options.port ?? 0, host }), "listening");
  const url = urlOf(server, host, options.tls !== undefined);

  const delivery = new DeliveryService({
    ownUrl: () => url,
    allowOutbound: options.allowOutbound ?? [],
    rewriteHosts: options.rewriteHosts ?? [],
    ca: options.webhookCa,
    insecureTls: options.webhookInsecureTls ?? false,
    userAgent: `messaging-sim/${VERSION}`,
    logger,
  });
  const registry = new SandboxRegistry(
    defaults,
    new Heap(),
    (run) => delivery.createOutbox(run),
    (error, sandbox) => failed(error, "work in the background", { sandbox }),
    persistence && ((sandbox) => persistence.saverOf(sandbox)),
    kept,
    persistence?.leases !== undefined,
  );
  const ownership = await ownershipOf(persistence, {
    registry,
    open,
    logger,
    report: (error) => failed(error, "the sharing of sandboxes"),
  });
  logTraffic(registry, logger, options.logCalls ?? false);

  const names = new HostNames(host, options.allowHosts);
  const reportCall = (error: unknown, entry: JournalEntry) => failed(error, "a call", { request: entry.id });
  const opened = ownership && ((id: string) => ownership.opened(id));
  const moved = new ControlError("sandboxes.elsewhere");
  const elsewhere = { status: moved.status, headers: moved.headers, body: moved.toJSON() };
  const api = new ApiApp({ registry, names, report: reportCall, elsewhere, opened });
  const lag = new LoopLag();
  const services: ControlServices = {
    version: VERSION,
    registry,
    feedOf: eventFeeds(registry),
    sandboxes: new SandboxMaker(registry, { loader, checker, defaults: () => current.defaults }, ownership),
    loader,
    delivery,
    defaults: () => current.defaults,
    scenarios: scenarioControl(() => ({ url, isOwn: true, controlToken })),
    descriptions: describe(() => url),
    coverage: coverageControl,
    why: whyControl(() => registry.all()),
    url: () => url,
    lag,
    connections,
    uptime: () => elapsedSince(startedAt, 0),
    checker,
    store: persistence,
    ownership,
  };
  const access = createAccess({ controlToken, names });
  const control = controlApp(services, access, (error) => failed(error, "a control call"));

  const close = async (graceMs = 0) => {
    lag.close();
    await shutDown(server, registry, delivery, connections, graceMs, ownership);
    await persistence?.close();
  };
  await persistence?.flush().catch(async () => {
    await close();
    throw unusableFolder(`cannot be written to: ${persistence.status.failure}`);
  });
  return {
    url,
    registry,
    failed,
    reload: (anew, source) =>
      reload(anew, { current, registry, loader, checker, logger, source, isOver: () => !server.listening }),
    close,
    get isSaved() {
      return persistence?.isSaved ?? true;
    },
    [Symbol.asyncDispose]: () => close(),
  };
}

/** The turns of the event loop that a wait takes to be answered after it ended. */
const TURNS_OF_AN_ANSWER = 4;

/** The address at which the server can be reached from this machine. */
function urlOf(server: Server, host: string, tls: boolean): string {
  const { port } = server.address() as AddressInfo;
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `${tls ? "https" : "http"}://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/** Ends all waits and lets them be answered: a wait continues in a later turn. */
async function answerWaits(registry: SandboxRegistry): Promise<void> {
  const sandboxes = [...registry.all()];
  const isWaitedFor = sandboxes.some(({ openWaits }) => openWaits > 0);
  for (const sandbox of sandboxes) sandbox.waiters.stop();
  for (let turn = 0; isWaitedFor && turn < TURNS_OF_AN_ANSWER; turn += 1) await nextTurn();
}

const BETWEEN_LOOKS_MS = 10;

/** Stops accepting connections, waits up to `graceMs` for calls in flight, then ends them. */
async function shutDown(
  server: Server,
  registry: SandboxRegistry,
  delivery: DeliveryService,
  connections: Connections,
  graceMs: number,
  ownership: Ownership | undefined,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const ends = monotonicNow() + graceMs;
  await ownership?.close(graceMs);
  await answerWaits(registry);
  server.closeIdleConnections();
  const sandboxes = [...registry.all()];
  const settled = sandboxes.map(({ run: { calls, outbox } }) => calls.settled().then(() => outbox.settled()));
  if (graceMs > 0) await within(graceMs, Promise.all(settled));
  for (const sandbox of sandboxes) sandbox.close();
  const answered = sandboxes.map(({ controlCalls }) => controlCalls.settled());
  await within(Math.max(0, ends - monotonicNow()), Promise.all(answered));
  await nextTurn();
  while (connections.isWriting && monotonicNow() < ends) await sleep(BETWEEN_LOOKS_MS);
  server.closeAllConnections();
  await Promise.all([closed, delivery.close()]);
}

/** The store that saves the sandboxes; undefined without one. @throws UnusableDocument */
async function openPersistence({ data, durability = "batched", logger = SILENT }: ReadOptions) {
  if (data === undefined) return undefined;
  // Most simulators run in memory.
  const { Persistence } = await import("../storage/persistence.js");
  try {
    return await Persistence.open(data, durability, logger);
  } catch (error) {
    if (error instanceof UnusableDocument) throw error;
    throw unusableFolder(`cannot use ${maskedAddress(data)}: ${reasonOf(error)}`);
  }
}

const unusableFolder = (message: string): UnusableDocument =>
  new UnusableDocument([problemAt(["data"], message)]);

/** Which process holds which sandbox; undefined if this one holds all. */
async function ownershipOf(
  persistence: Persistence | undefined,
  context: Omit<OwnershipContext, "persistence">,
): Promise<Ownership | undefined> {
  const { leases } = persistence ?? {};
  if (persistence === undefined || leases === undefined) return undefined;
  const { Ownership } = await import("../storage/ownership.js");
  return new Ownership(leases, { ...context, persistence });
}
