import type { BehaviourValues, ProfileName } from "../behaviour/table.js";
import type { TlsFiles } from "../http/server.js";
import type { Logger } from "../kernel/logger.js";
import type { FaultInput } from "../sandbox/faults.js";
import type { FixtureInput } from "../world/records.js";

/** How a simulator is started. Everything has a default; see `messaging-sim serve --help`. */
export interface SimulatorOptions {
  /** 0, the default here: any free port. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** A fixture document, or the path of a fixture file; default: the fixture that ships. */
  readonly fixtures?: FixtureInput | string;
  /** A profile, or values over the profile `documented`. */
  readonly behaviour?: ProfileName | Partial<BehaviourValues>;
  /** Refuse what the specification does not promise. */
  readonly strict?: boolean;
  /** Single values over all others. */
  readonly set?: Partial<BehaviourValues>;
  /** Decides every id and chance; default: 1. */
  readonly seed?: number | string;
  /** Freeze the clock at this instant, ISO or ms. */
  readonly clock?: string | number;
  /** The bearer token of the control API; without one it is open on loopback. */
  readonly controlToken?: string | false;
  readonly allowHosts?: readonly string[];
  readonly allowOutbound?: readonly string[];
  readonly rewriteHosts?: readonly { readonly from: string; readonly to: string }[];
  /** Certificate and key in PEM: serve HTTPS. */
  readonly tls?: TlsFiles;
  /** A certificate authority in PEM that webhook receivers are checked against. */
  readonly webhookCa?: string;
  readonly webhookInsecureTls?: boolean;
  /** Journal entries, deliveries and warnings kept in each sandbox; default: 10,000. */
  readonly journalLimit?: number;
  /** Faults that are armed from the start. */
  readonly faults?: readonly FaultInput[];
  readonly logger?: Logger;
  /** Log a line for each call, at level debug. */
  readonly logCalls?: boolean;
}
