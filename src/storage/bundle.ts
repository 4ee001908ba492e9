import { isObject } from "../kernel/json.js";
import { MASK, masked, OF_NAMED_VALUES } from "../kernel/masking.js";
import { fromKeys, mapped } from "../kernel/objects.js";
import type { Chunked } from "../kernel/realtime.js";
import { JournalEntry } from "../sandbox/journal.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { COLLECTIONS } from "../service/world/records.js";
import { World } from "../service/world/world.js";
import { capture } from "./capture.js";

/** What a bundle omits: secrets of the systems around the simulator. Tokens of the fixture stay, because nothing works without them. */

/** Whether a text is a token of the sandbox's own fixture. */
type IsTestToken = (text: string) => boolean;

const maskedFor = (value: unknown, isTestToken: IsTestToken): unknown =>
  masked(value, "", { isStrict: true, isShown: isTestToken });

/** A bundle with masks replaced by text that HTTP allows, so that values with masks can be sent. */
export const withStandIns = (bundle: unknown): unknown =>
  JSON.parse(JSON.stringify(bundle).replace(new RegExp(`${MASK}(?=[^"]{0,4}["@&;#])`, "g"), "****"));

const LONG_LISTS = ["records", "ids", "snapshots"];

/** The same for an object with long lists, whose items are masked as they are read. */
function maskedSection(section: object, isTestToken: IsTestToken): object {
  // A delivery, whose fields say which of its headers are secret.
  if ("secretHeaders" in section) return maskedFor(section, isTestToken) as object;
  return Object.fromEntries(
    Object.entries(section).flatMap(([key, part]) => {
      if (LONG_LISTS.includes(key) && Array.isArray(part))
        return [[key, mapped(part, (item) => maskedFor(item, isTestToken))]];
      if (isObject(part) && !OF_NAMED_VALUES.has(key)) return [[key, maskedSection(part, isTestToken)]];
      return Object.entries(maskedFor({ [key]: part }, isTestToken) as object);
    }),
  );
}

/**
 * One document that shows a whole sandbox as it is now: its base document, and its logs under `journal`, without secrets. It is
 * assembled in steps; its lists are generated as they are read.
 */
export function takeBundle(sandbox: Sandbox): () => Chunked<Record<string, unknown>> {
  const { run, start, id } = sandbox;
  const base = capture(sandbox);
  const at = run.clock.now();
  const { controls, warnings, changes, scenarioRun, ...logs } = run.logs.kept;
  // Entries that may still change are copied; finished ones never change.
  const requests = logs.requests.map((entry) =>
    entry.settled ? entry : JournalEntry.from(entry.toJSON(), entry.ownToken),
  );
  const deliveries = logs.deliveries.map((delivery) =>
    delivery.status === "pending" ? { ...delivery } : delivery,
  );
  const worlds = [run.world.snapshot(), run.start.state, start.state].map((state) => new World(state));
  const isTestToken: IsTestToken = (text) => {
    const own = ownName(id, text);
    return worlds.some((world) => world.get("tokens", own) !== undefined);
  };
  const mask = (value: object) => maskedFor(value, isTestToken);
  return function* () {
    const { simulator, ...state } = yield* base();
    return {
      ...fromKeys(COLLECTIONS, (collection) => mapped(state[collection] as Iterable<object>, mask)),
      simulator: maskedSection(simulator as object, isTestToken),
      journal: {
        at,
        requests: mapped(requests, (entry) => maskedEntry(entry, isTestToken)),
        deliveries: mapped(deliveries, mask),
        warnings: mapped(warnings, mask),
        controls: mapped(controls, (control) => mask(control.toJSON())),
        changes: mapped(changes, mask),
        ...(scenarioRun && { scenarioRun: maskedFor(scenarioRun, isTestToken) }),
      },
    };
  };
}

/** The token that a call had on receipt, even if it was deleted since. */
const maskedEntry = (entry: JournalEntry, isTestToken: IsTestToken): unknown =>
  maskedFor(entry.toJSON(), (text) => (entry.ownToken !== null && text === entry.token) || isTestToken(text));

/** A token without its sandbox prefix. */
export const ownName = (sandboxId: string, token: string): string =>
  token.startsWith(`${sandboxId}.`) ? token.slice(sandboxId.length + 1) : token;
