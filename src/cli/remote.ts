/** What every command by hand has in common: which simulator it calls, and how it tells what came of it. */

import { SimClient } from "../client/client.js";
import { SimError } from "../client/errors.js";
import { SERVE_OPTIONS } from "../config/options.js";
import { printable, printableIn } from "../kernel/printable.js";
import { asText, controlToken, flag, simulatorAddress, withDefault } from "./options.js";
import { OK, type Terminal, UNUSABLE } from "./terminal.js";

const DEFAULT_URL = `http://${SERVE_OPTIONS.host.default}:${SERVE_OPTIONS.port.default}`;

export const REMOTE = {
  url: simulatorAddress("the simulator's address", DEFAULT_URL),
  sandbox: withDefault("the sandbox", asText, "default"),
  "control-token": controlToken("the simulator's control token"),
  json: flag("print what came as JSON"),
};

/** When commands end with which code that make a call. */
export const CALL_EXITS = {
  0: "the call succeeded",
  2: "the simulator refused it, none answers, or an option or argument is unusable",
};

interface Remote {
  readonly url: string;
  readonly sandbox: string;
  readonly controlToken: string | undefined;
  readonly json: boolean;
}

/** Does something with a simulator; what it refuses is one line. The exit code comes back. */
export async function withClient(
  { url, sandbox, controlToken }: Remote,
  { err }: Terminal,
  use: (client: SimClient) => Promise<number>,
): Promise<number> {
  try {
    return await use(new SimClient({ url, sandbox, controlToken }));
  } catch (error) {
    if (!(error instanceof SimError)) throw error;
    err(`${printable(error.message)}\n`);
    return UNUSABLE;
  }
}

/** One call, and its outcome in words, or as it came. */
export const oneCall = <T>(
  remote: Remote,
  terminal: Terminal,
  call: (client: SimClient) => Promise<T>,
  words: (outcome: T) => string,
): Promise<number> =>
  withClient(remote, terminal, async (client) => {
    const outcome = await call(client);
    terminal.out(`${remote.json ? printable(JSON.stringify(outcome)) : words(printableIn(outcome))}\n`);
    return OK;
  });
