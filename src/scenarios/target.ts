import { DEFAULT_SANDBOX } from "../client/address.js";
import type { Transport } from "../client/transport.js";
import { controlApi } from "../client/transport.js";
import type { LocalServer } from "./http.js";
import { Http } from "./http.js";

/** Where a scenario runs. */
export interface Target {
  /** The base address of the simulated API. */
  readonly url: string;
  /** The id of the sandbox; default: `default`. */
  readonly sandbox?: string;
  readonly controlToken?: string | undefined;
  /** Leads to it in this process. Default: the network does. */
  readonly agent?: LocalServer | undefined;
}

/** The control API of a target's sandbox. */
export const transportTo = (
  { url, sandbox = DEFAULT_SANDBOX, controlToken, agent }: Target,
  http = new Http({ agent }),
): Transport => controlApi(url, { controlToken, maker: "scenario", fetch: http.fetch }).ofSandbox(sandbox);
