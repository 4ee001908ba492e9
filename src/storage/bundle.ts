import type { Chunked } from "../kernel/chunked.js";
import { isObject } from "../kernel/json.js";
import { isCredentialName, isSecretName, MASK, maskedSecret, maskedText } from "../kernel/masking.js";
import { fromKeys, mapped } from "../kernel/objects.js";
import { JournalEntry } from "../sandbox/journal.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { COLLECTIONS } from "../service/world/records.js";
import { World } from "../service/world/world.js";
import { capture } from "./capture.js";

/** What a bundle omits: secrets of the systems around the simulator. Tokens of the fixture stay, because nothing works without them. */

/** Whether a text is a token of the sandbox's own fixture. */
type IsTestToken = (text: string) => boolean;

/** Fields that contain headers or parameters, of whose names more are secret than in a body. */
const NAMED_VALUES = ["headers", "query"];

/**
 * A JSON value without secrets: secret headers and parameters, values of `extraHeaders`, credential fields, and credentials in addresses.
 */
function masked(value: unknown, isTestToken: IsTestToken, isSecret = isSecretField): unknown {
  if (typeof value === "string") return maskedText(value);
  if (Array.isArray(value)) return value.map((item) => masked(item, isTestToken, isSecret));
  if (!isObject(value)) return value;
  const { secretHeaders } = value;
  const isSecretValue = (name: string) =>
    isSecretName(name) || (Array.isArray(secretHeaders) && secretHeaders.includes(name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (isSecret(key) && holdsTexts(part)) return [key, withoutSecret(part, isTestToken)];
      if (key === "extraHeaders") return [key, withoutHeaderSecrets(part, isTestToken)];
      const names = NAMED_VALUES.includes(key) ? isSecretValue : isSecretField;
      return [key, masked(part, isTestToken, names)];
    }),
  );
}

/** A bundle with masks replaced by text that HTTP allows, so that values with masks can be sent. */
export const withStandIns = (bundle: unknown): unknown =>
  JSON.parse(JSON.stringify(bundle).replace(new RegExp(`${MASK}(?=[^"]{0,4}["@&;#])`, "g"), "****"));

const LONG_LISTS = ["records", "ids", "snapshots"];

/** The same for an object with long lists, whose items are masked as they are read. */
function maskedSection(section: object, isTestToken: IsTestToken): object {
  // A delivery, whose fields say which of its headers are secret.
  if ("secretHeaders" in section) return masked(section, isTestToken) as object;
  return Object.fromEntries(
    Object.entries(section).flatMap(([key, part]) => {
      if (LONG_LISTS.includes(key) && Array.isArray(part))
        return [[key, mapped(part, (item) => masked(item, isTestToken))]];
      if (isObject(part) && !NAMED_VALUES.includes(key)) return [[key, maskedSection(part, isTestToken)]];
      return Object.entries(masked({ [key]: part }, isTestToken) as object);
    }),
  );
}

const isSecretField = (name: string): boolean => name === "token" || isCredentialName(name);

const holdsTexts = (value: unknown): boolean =>
  typeof value === "string" || (Array.isArray(value) && value.every((item) => typeof item === "string"));

function withoutSecret(value: unknown, isTestToken: IsTestToken): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecret(item, isTestToken));
  if (typeof value !== "string") return value;
  return isTestToken(value) ? value : maskedSecret(value);
}

function withoutHeaderSecrets(headers: unknown, isTestToken: IsTestToken): unknown {
  if (!Array.isArray(headers)) return withoutSecret(headers, isTestToken);
  return headers.map((header: unknown) => {
    return isObject(header)
      ? { ...header, value: withoutSecret(header.value, isTestToken) }
      : withoutSecret(header, isTestToken);
  });
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
  const mask = (value: object) => masked(value, isTestToken);
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
        ...(scenarioRun && { scenarioRun: masked(scenarioRun, isTestToken) }),
      },
    };
  };
}

/** The token that a call had on receipt, even if it was deleted since. */
const maskedEntry = (entry: JournalEntry, isTestToken: IsTestToken): unknown =>
  masked(entry.toJSON(), (text) => (entry.ownToken !== null && text === entry.token) || isTestToken(text));

/** A token without its sandbox prefix. */
export const ownName = (sandboxId: string, token: string): string =>
  token.startsWith(`${sandboxId}.`) ? token.slice(sandboxId.length + 1) : token;
