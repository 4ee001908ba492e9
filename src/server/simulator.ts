/** The table of contents: what a simulator is made of, and what each part is given. Nothing else connects parts. */

import { ApiApp } from "../api/app.js";
import { createAccess } from "../control/access.js";
import { controlApp } from "../control/app.js";
import { ControlError } from "../control/errors.js";
import { eventFeeds } from "../control/event-feed.js";
import { SandboxMaker, type StartContext } from "../control/sandbox-maker.js";
import type { ControlServices } from "../control/services.js";
import { type Logger, SILENT } from "../kernel/errors.js";
import { connectionsOf, createHttpServer } from "../kernel/http/server.js";
import { HostNames } from "../kernel/http/target.js";
import { VERSION } from "../kernel/packages.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { elapsedSince, monotonicNow } from "../kernel/realtime.js";
import { DeliveryService } from "../sandbox/delivery/service.js";
import { Heap } from "../sandbox/memory.js";
import { SandboxRegistry } from "../sandbox/registry.js";
import { BehaviourChecker } from "../service/behaviour/check.js";
import { FixtureLoader } from "../service/world/load.js";
import type { Persistence } from "../storage/persistence.js";
import { createApplication } from "./application.js";
import type { SimulatorOptions } from "./config/options.js";
import { listen, shutDown } from "./listening.js";
import { logTraffic, withoutSecrets } from "./log.js";
import { coverageReport, describe, scenarioControl, whyControl } from "./services.js";
import { type LoadOptions, refuseUnknownOptions, reload, startOf } from "./start.js";

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
   * Reloads the fixture, if it is given, and the behaviour: sandboxes that started with the simulator's own are reset to
   * them, and later ones start with them. Returns what was reloaded; unchanged parts stay.
   *
   * @throws UnusableDocument for invalid input: then nothing changes
   */
  reload(options: LoadOptions): Promise<readonly string[]>;
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
 * @throws UnusableDocument for an unknown option, and for an invalid fixture, behaviour, clock or file; it lists every
 * problem.
 */
export async function createSimulator(given: SimulatorOptions = {}): Promise<Simulator> {
  refuseUnknownOptions(given);
  const options = { ...given, logger: withoutSecrets(given.logger ?? SILENT) };
  const persistence = await openPersistence(options);
  try {
    return await composed(options, persistence);
  } catch (error) {
    await persistence?.close();
    throw error;
  }
}

/** Most simulators run in memory. @throws UnusableDocument if the folder or server cannot be used */
async function openPersistence({ data, durability = "batched", logger = SILENT }: SimulatorOptions) {
  if (data === undefined) return undefined;
  const { Persistence } = await import("../storage/persistence.js");
  return Persistence.open(data, durability, logger);
}

/** Makes everything, in the order in which one part needs the other. */
async function composed(
  options: SimulatorOptions & { readonly logger: Logger },
  persistence: Persistence | undefined,
): Promise<Simulator> {
  const startedAt = monotonicNow();
  const { host = "127.0.0.1", logger } = options;
  const controlToken = options.controlToken || undefined;
  const failed = (error: unknown, what: string, where: object = {}): void => {
    registry.failures += 1;
    logger.error({ err: error, ...where }, `${what} failed inside the simulator`);
  };

  // The worlds that sandboxes start from, or were saved with.
  const loader = new FixtureLoader();
  const checker = new BehaviourChecker();
  const defaults = await startOf(options, loader, checker);
  const current = { defaults };
  const starts: StartContext = { loader, checker, defaults: () => current.defaults };
  const open = { ...starts, loader: loader.ofStored };
  const kept = await persistence?.load(open);
  const sharing = persistence?.leases && (await import("../storage/ownership.js"));

  // The server: it listens before there are sandboxes, because saved ones may call their own sinks at once, and needs to know its
  // address. No request arrives before this turn ends.
  const { listener, classes } = createApplication({
    control: (request, response) => control(request, response),
    api: (request, response) => api.handle(request, response),
    failed: (error) => failed(error, "a request"),
  });
  const server = createHttpServer(listener, (error) => failed(error, "a request"), {
    tls: options.tls,
    classes,
  });
  const connections = connectionsOf(server);
  const url = await listen(server, { host, port: options.port ?? 0, tls: options.tls !== undefined });

  // The sandboxes, with their deliveries, and which of them this process holds.
  const delivery = new DeliveryService({
    ownUrl: url,
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
  const ownership =
    sharing &&
    new sharing.Ownership(persistence.leases, {
      persistence,
      registry,
      open,
      logger,
      report: (error) => failed(error, "the sharing of sandboxes"),
    });
  logTraffic(registry, logger, options.logCalls ?? false);

  // The simulated API.
  const names = new HostNames(host, options.allowHosts);
  const moved = new ControlError("sandboxes.elsewhere");
  const api = new ApiApp({
    registry,
    names,
    report: (error, entry) => failed(error, "a call", { request: entry?.id }),
    elsewhere: { status: moved.status, headers: moved.headers, body: moved.toJSON() },
    opened: ownership && ((id) => ownership.opened(id)),
  });

  // The control API.
  const services: ControlServices = {
    ...starts,
    version: VERSION,
    registry,
    feedOf: eventFeeds(registry),
    sandboxes: new SandboxMaker(registry, starts, ownership),
    delivery,
    scenarios: scenarioControl(() => ({ url, isOwn: true, controlToken })),
    descriptions: describe(() => url),
    coverageReport,
    ...whyControl(registry),
    url: () => url,
    connections,
    uptime: () => elapsedSince(startedAt, 0),
    store: persistence,
    ownership,
  };
  const access = createAccess({ controlToken, names });
  const control = controlApp(services, access, (error) => failed(error, "a control call"));

  // The end; without a first write there is no beginning either.
  const close = async (graceMs = 0) => {
    await shutDown(server, registry, delivery, connections, graceMs, ownership);
    await persistence?.close();
  };
  await persistence?.flush().catch(async () => {
    await close();
    const message = `cannot be written to: ${persistence.status.failure}`;
    throw new UnusableDocument([problemAt(["data"], message)]);
  });
  return {
    url,
    registry,
    failed,
    reload: (anew) => reload(anew, { ...starts, current, registry, logger, isOver: () => !server.listening }),
    close,
    get isSaved() {
      return persistence?.isSaved ?? true;
    },
    [Symbol.asyncDispose]: () => close(),
  };
}
