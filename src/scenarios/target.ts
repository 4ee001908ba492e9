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
  /** It is of this process, so its certificate is trusted. */
  readonly isOwn?: boolean | undefined;
}

/** The control API of a target's sandbox. */
export const transportTo = (
  { url, sandbox = DEFAULT_SANDBOX, controlToken, isOwn }: Target,
  http = new Http({ isOwn }),
): Transport => controlApi(url, { controlToken, maker: "scenario", fetch: http.fetch }).ofSandbox(sandbox);
