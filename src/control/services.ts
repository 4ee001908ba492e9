/** What control routes need of the simulator. */
import type { Admission } from "../kernel/http/admission.js";
import type { LoopLag } from "../kernel/metrics.js";
import type { Problem } from "../kernel/problems.js";
import type { InferReadonly } from "../kernel/schema.js";
import { array, boolean, object, string } from "../kernel/schema.js";
import type { Coverage, CoverageReport } from "../sandbox/coverage.js";
import type { Delivery } from "../sandbox/deliveries.js";
import type { StoreStatus } from "../sandbox/durable.js";
import type { Cause } from "../sandbox/journal.js";
import type { ScenarioRun } from "../sandbox/observer.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { Run } from "../sandbox/run.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Webhook } from "../service/world/records.js";
import type { EventFeeds } from "./event-feed.js";
import type { OwnershipControl, SandboxMaker, StartContext } from "./sandbox-maker.js";

export const pingReportSchema = object({
  ok: boolean(),
  message: string(),
  steps: array(object({ step: string(), ok: boolean(), message: string() })),
});
/** The steps of one attempt to reach a webhook's receiver, and how they ended. */
export type PingReport = InferReadonly<typeof pingReportSchema>;

interface DeliveryControl {
  replay(run: Run, delivery: Delivery, cause: Cause): Delivery;
  ping(run: Run, webhook: Webhook): Promise<PingReport>;
  /** Why the outbound guard blocks deliveries to an address, and which option would let them through; null where it does not. */
  objection(run: Run, url: string): string | null;
}

/** A scenario that ran, or why it could not, or that a reset of its sandbox or the end of its client has ended. */
type ScenarioOutcome =
  | { readonly ran: ScenarioRun }
  | { readonly problems: readonly Problem[] }
  | { readonly ended: true };

/** The scenario runner, as the composition root hands it in. */
export interface ScenarioControl {
  /** The shipped scenarios and those of the working folder, by name. */
  list(): Promise<readonly { readonly name: string; readonly file: string }[]>;
  /** The text of one of them; undefined where there is none with the name. */
  textOf(name: string): Promise<string | undefined>;
  run(
    sandbox: Sandbox,
    request: { readonly name?: string; readonly scenario?: unknown; readonly timeoutMs?: number },
    clientGone: AbortSignal,
  ): Promise<ScenarioOutcome>;
}

/** A description that is served as JSON; made when it is asked for. */
export interface Descriptions {
  readonly openapi: () => Promise<unknown>;
  readonly control: () => Promise<unknown>;
  readonly asyncapi: () => Promise<unknown>;
}

interface StoreControl {
  readonly status: StoreStatus;
  /** Resolves when changes can be kept. @throws Refusal where that cannot be kept */
  ready(): Promise<void>;
  /** Writes base documents in place of logs. @throws Refusal where that cannot be kept */
  checkpoint(sandboxes: Iterable<Sandbox>): Promise<void>;
}

interface CoverageControl {
  reportOf(coverage: Coverage): Promise<CoverageReport>;
  textOf(report: CoverageReport, format: "pretty" | "markdown" | "html"): Promise<string>;
}

export interface ControlServices extends StartContext {
  readonly version: string;
  readonly registry: SandboxRegistry;
  readonly sandboxes: SandboxMaker;
  readonly feeds: EventFeeds;
  readonly delivery: DeliveryControl;
  readonly scenarios: ScenarioControl;
  readonly descriptions: Descriptions;
  readonly coverage: CoverageControl;
  readonly url: () => string;
  readonly lag: LoopLag;
  readonly load: Admission;
  /** What keeps the sandboxes beyond the process; undefined where nothing does. */
  readonly store: StoreControl | undefined;
  /** Undefined where this process has all sandboxes. */
  readonly ownership: OwnershipControl | undefined;
  /** One document that shows all of a sandbox as it stands now. */
  readonly bundleOf: (sandbox: Sandbox) => Promise<Readonly<Record<string, unknown>>>;
  /** Milliseconds since the start. */
  readonly uptime: () => number;
}
