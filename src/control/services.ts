/** What control routes use of the simulator. */
import type { Connections } from "../kernel/http/server.js";
import type { Problem } from "../kernel/problems.js";
import type { Coverage, CoverageReport } from "../sandbox/coverage.js";
import type { Delivery } from "../sandbox/deliveries.js";
import type { Cause } from "../sandbox/journal.js";
import type { RanScenario } from "../sandbox/observer.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { Run } from "../sandbox/run.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { StoreStatus } from "../sandbox/saver.js";
import type { Thread, Webhook } from "../service/world/records.js";
import type { eventFeeds } from "./event-feed.js";
import type { NoReply } from "./replies.js";
import type { OwnershipControl, SandboxMaker, StartContext } from "./sandbox-maker.js";

/** The outcome of a scenario: its report, why it could not run, or that a reset or the client ended it. */
type ScenarioOutcome =
  | { readonly report: RanScenario }
  | { readonly problems: readonly Problem[] }
  | { readonly ended: true };

export interface ScenarioControl {
  /** The scenarios that ship and those of the working folder, by name. */
  list(): Promise<readonly { readonly name: string; readonly file: string }[]>;
  run(
    sandbox: Sandbox,
    request: { readonly name?: string; readonly scenario?: unknown; readonly hook?: string },
    clientGone: AbortSignal,
  ): Promise<ScenarioOutcome>;
}

export type Descriptions = Readonly<Record<"openapi" | "control" | "asyncapi", () => Promise<unknown>>>;

interface StoreControl {
  readonly status: StoreStatus;
  /** Resolves if changes can be saved. @throws Refusal if they cannot */
  ready(): Promise<void>;
  /** Resolves once everything that is kept is on the disk. @throws Refusal if that fails */
  flush(): Promise<void>;
}

export interface ControlServices extends StartContext {
  readonly version: string;
  readonly registry: SandboxRegistry;
  readonly sandboxes: SandboxMaker;
  readonly feedOf: ReturnType<typeof eventFeeds>;
  readonly delivery: {
    replay(run: Run, webhook: Webhook, delivery: Delivery, cause: Cause): Delivery;
    ping(run: Run, webhook: Webhook): Promise<object>;
    /** Why the outbound guard blocks deliveries to an address, and which option would allow them; null if it does not. */
    objection(run: Run, url: string): string | null;
  };
  readonly scenarios: ScenarioControl;
  readonly descriptions: Descriptions;
  /** Why the customer of a thread has no reply. */
  readonly why: (sandbox: Sandbox, thread: Thread) => Promise<NoReply>;
  /** A sentence on the newest call since the sandbox's last reset whose token no sandbox knows; undefined if there is none. */
  readonly unknownToken: (sandbox: Sandbox) => Promise<string | undefined>;
  readonly coverageReport: (coverage: Coverage) => Promise<CoverageReport>;
  readonly url: () => string;
  readonly connections: Connections;
  readonly store: StoreControl | undefined;
  /** Undefined if this process holds all sandboxes. */
  readonly ownership: OwnershipControl | undefined;
  readonly uptime: () => number;
}
