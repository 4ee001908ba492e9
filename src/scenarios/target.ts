import type { Agent } from "node:http";
import { DEFAULT_SANDBOX } from "../client/address.js";
import type { Transport } from "../client/transport.js";
import { controlApi } from "../client/transport.js";
import { Http } from "./http.js";

/** Where a scenario runs. */
export interface Target {
  /** The base address of the simulated API. */
  readonly url: string;
  /** The id of the sandbox; default: `default`. */
  readonly sandbox?: string;
  readonly controlToken?: string | undefined;
  /** Makes the connections to it, which speak plain HTTP. Default: those of the network. */
  readonly agent?: Agent | undefined;
}

/** The control API of a target's sandbox. */
export const transportTo = (
  { url, sandbox = DEFAULT_SANDBOX, controlToken, agent }: Target,
  http = new Http({ agent }),
): Transport => controlApi(url, { controlToken, maker: "scenario", fetch: http.fetch }).ofSandbox(sandbox);
