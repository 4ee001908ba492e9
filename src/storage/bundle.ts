import type { Chunked } from "../kernel/chunked.js";
import { fromKeys } from "../kernel/keys.js";
import { mapped } from "../kernel/mapped.js";
import { JournalEntry } from "../sandbox/journal.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { COLLECTIONS } from "../service/world/records.js";
import { World } from "../service/world/world.js";
import type { IsTestToken } from "./bundle-mask.js";
import { masked, maskedInSteps } from "./bundle-mask.js";
import { capture } from "./capture.js";

/**
 * One document that shows all of a sandbox: its base document, and its logs under `journal`, without secrets. It is as the
 * sandbox stands now, and put together in steps; its lists are made while they are read.
 */
export function takeBundle(sandbox: Sandbox): () => Chunked<Record<string, unknown>> {
  const { run, start, id } = sandbox;
  const base = capture(sandbox);
  const at = run.clock.now();
  // What may still change is copied; entries that have come to their end stay as they are.
  const requests = [...run.logs.journal.from()].map((entry) =>
    entry.settled ? entry : JournalEntry.from(entry.toJSON(), entry.ownToken),
  );
  const deliveries = [...run.logs.deliveries.from()].map((delivery) =>
    delivery.status === "pending" ? { ...delivery } : delivery,
  );
  const controls = [...run.logs.controls.from()];
  const warnings = [...run.logs.warnings.from()];
  const changes = [...run.logs.changes.from()];
  const { scenarioRun } = run.logs;
  const worlds = [run.world.snapshot(), run.start.state, start.state].map((state) => new World(state));
  const isTestToken: IsTestToken = (text) => {
    const own = ownName(id, text);
    return worlds.some((world) => world.get("tokens", own) !== undefined);
  };
  const mask = (value: object) => masked(value, isTestToken);
  return function* () {
    const { simulator, ...state } = yield* base();
    return {
      ...fromKeys(COLLECTIONS, (collection) => mapped(state[collection] as Iterable<object>, mask)),
      simulator: yield* maskedInSteps(simulator as object, isTestToken),
      journal: {
        at,
        requests: mapped(requests, (entry) => maskedEntry(entry, isTestToken)),
        deliveries: mapped(deliveries, mask),
        warnings: mapped(warnings, mask),
        controls: mapped(controls, (control) => mask(control.toJSON())),
        changes: mapped(changes, mask),
        ...(scenarioRun && { scenarioRun: masked(scenarioRun, isTestToken) }),
      },
    };
  };
}

/** A call knew its token on receipt, even where the token is gone by now. */
const maskedEntry = (entry: JournalEntry, isTestToken: IsTestToken): unknown =>
  masked(entry.toJSON(), (text) => (entry.ownToken !== null && text === entry.token) || isTestToken(text));

/** A token without the sandbox that callers put in front of it. */
export const ownName = (sandboxId: string, token: string): string =>
  token.startsWith(`${sandboxId}.`) ? token.slice(sandboxId.length + 1) : token;
