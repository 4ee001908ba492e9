/** Prepares a sandbox for a scenario: a new one, or one that is reset to the scenario's start. */

import { SimError } from "../client/errors.js";
import type { Transport } from "../client/transport.js";
import type { SandboxInfo } from "../client/types.js";
import { DEFAULT_SANDBOX, segment } from "../kernel/names.js";
import { UnusableDocument } from "../kernel/problems.js";
import type { Target } from "./http.js";
import { transportTo } from "./http.js";
import type { Scenario } from "./read.js";

/** The start of a scenario; the target supplies what it leaves out. */
const startOf = ({ fixtures, behaviour, seed, clock }: Scenario) => ({ fixtures, behaviour, seed, clock });

/** Whether the scenario defines any of its start. */
export const namesStart = (scenario: Scenario): boolean =>
  Object.values(startOf(scenario)).some((value) => value !== undefined);

/** Makes a sandbox for the scenario. @throws UnusableDocument, SimError */
export async function ownSandbox(scenario: Scenario, target: Target) {
  const server = transportTo({ ...target, sandbox: DEFAULT_SANDBOX });
  const { id } = await refusedAt(scenario, () =>
    server.call<SandboxInfo>("POST", "/sandboxes", { body: startOf(scenario) }),
  );
  const dispose = async () => void (await server.call("DELETE", `/sandboxes/${segment(id)}`));
  return { ...target, sandbox: id, dispose };
}

/**
 * Resets a sandbox to the scenario's start. With `apart` ids of threads and messages are never used again, for a system
 * under test that remembers them.
 *
 * @throws UnusableDocument, SimError
 */
export async function resetSandbox(
  scenario: Scenario,
  target: Target,
  { apart = false }: { readonly apart?: boolean } = {},
): Promise<void> {
  const body = { ...startOf(scenario), ...(apart && { ids: "apart" }) };
  await refusedAt(scenario, () => transportTo(target).call("POST", "/reset", { body }));
}

/** Creates the target's sandbox if it does not exist. @throws SimError */
export async function ensureSandbox(target: Target): Promise<void> {
  const { sandbox = DEFAULT_SANDBOX } = target;
  if (sandbox === DEFAULT_SANDBOX) return;
  const server = transportTo({ ...target, sandbox: DEFAULT_SANDBOX });
  await server.call("PUT", `/sandboxes/${segment(sandbox)}`, { body: {} });
}

/** The token of a scenario's calls: the one that it names, else the first of its fixture, or of the sandbox. @throws SimError */
export async function tokenOf(
  { token, fixtures }: Pick<Scenario, "token" | "fixtures">,
  transport: Transport,
): Promise<string | undefined> {
  if (token !== undefined) return token;
  const own = fixtures?.tokens as readonly { readonly id: string }[] | undefined;
  const [first] = own ?? (await transport.call<{ id: string }[]>("GET", "/data/tokens"));
  return first?.id;
}

/** Points every webhook of a sandbox at one address, or gives each organization a webhook if there is none. */
export async function pointWebhooksAt(hook: string, target: Target): Promise<void> {
  await transportTo(target).call("POST", "/connect", { body: { url: hook } });
}

/** If the simulator refuses a scenario's start, each problem gets its location in the scenario's files. */
async function refusedAt<T>(scenario: Scenario, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof SimError) || error.status !== 400) throw error;
    const problems = error.details.length > 0 ? error.details : [{ path: "", message: error.message }];
    throw new UnusableDocument(scenario.locate(problems.map(({ path, message }) => ({ path, message }))));
  }
}
