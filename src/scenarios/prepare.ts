/** Gets a sandbox ready for a scenario: one of its own, or one that is reset to what the scenario starts from. */
import { DEFAULT_SANDBOX, segment } from "../client/address.js";
import { SimError } from "../client/errors.js";
import type { SandboxInfo } from "../client/types.js";
import type { Problem } from "../kernel/problems.js";
import type { Target } from "./http.js";
import { transportTo } from "./http.js";
import type { Scenario } from "./read.js";

/** The simulator refused what a scenario starts from. Each problem has its location in the scenario's files. */
export class UnusableScenario extends Error {
  override readonly name = "UnusableScenario";

  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(({ path, message }) => `${path} ${message}`).join("; "));
  }
}

/** A sandbox that a scenario runs in, and how it is deleted. */
interface Prepared extends Target {
  readonly sandbox: string;
  readonly dispose: () => Promise<void>;
}

/** What the sandbox of a scenario starts from; what it leaves out is the target's own. */
const startOf = ({ fixtures, behaviour, seed, clock }: Scenario) => ({ fixtures, behaviour, seed, clock });

/** Whether the scenario says anything about what it starts from. */
export const namesStart = (scenario: Scenario): boolean =>
  Object.values(startOf(scenario)).some((value) => value !== undefined);

/** Makes a sandbox for the scenario. @throws UnusableScenario, SimError */
export async function ownSandbox(scenario: Scenario, target: Target): Promise<Prepared> {
  const server = transportTo({ ...target, sandbox: DEFAULT_SANDBOX });
  const { id } = await refusedAt(scenario, () =>
    server.call<SandboxInfo>("POST", "/sandboxes", { body: startOf(scenario) }),
  );
  const dispose = async () => void (await server.call("DELETE", `/sandboxes/${segment(id)}`));
  return { ...target, sandbox: id, dispose };
}

/**
 * Resets a sandbox to what the scenario starts from. With `apart` no id of a thread or message comes a second time: for
 * a system under test that remembers them.
 *
 * @throws UnusableScenario, SimError
 */
export async function resetSandbox(
  scenario: Scenario,
  target: Target,
  { apart = false }: { readonly apart?: boolean } = {},
): Promise<void> {
  const body = { ...startOf(scenario), ...(apart && { ids: "apart" }) };
  await refusedAt(scenario, () => transportTo(target).call("POST", "/reset", { body }));
}

/** Makes a sandbox if there is none with its id. @throws SimError */
export async function ensureSandbox(target: Target): Promise<void> {
  const { sandbox = DEFAULT_SANDBOX } = target;
  if (sandbox === DEFAULT_SANDBOX) return;
  const server = transportTo({ ...target, sandbox: DEFAULT_SANDBOX });
  await server.call("PUT", `/sandboxes/${segment(sandbox)}`, { body: {} });
}

/** Points every webhook of a sandbox at one address; where there is none, gives each organization one. */
export async function pointWebhooksAt(hook: string, target: Target): Promise<void> {
  await transportTo(target).call("POST", "/connect", { body: { url: hook } });
}

async function refusedAt<T>(scenario: Scenario, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof SimError) || error.status !== 400) throw error;
    const problems = error.details.length > 0 ? error.details : [{ path: "", message: error.message }];
    throw new UnusableScenario(scenario.locate(problems.map(({ path, message }) => ({ path, message }))));
  }
}
