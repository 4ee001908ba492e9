/** Names that cross a border: server, client, scenarios, dashboard and descriptions take them from here. */

/** The sandbox that every server has, and that the routes of the server itself act on. */
export const DEFAULT_SANDBOX = "default";

/** The path that everything of the simulator's own is below. */
export const CONTROL_PREFIX = "/__sim";

export const EVENT_TYPES = ["message", "transfer"] as const;
/** An event that webhooks are sent. */
export type EventType = (typeof EVENT_TYPES)[number];

export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "dropped", "blocked"] as const;
/** How a delivery stands; `blocked`: the outbound guard held it back, `dropped`: nobody will send it. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const CALL_MAKERS = ["client", "scenario"] as const;
/** Who made a call: the system under test, or a scenario's own step. */
export type CallMaker = (typeof CALL_MAKERS)[number];

export const PROFILE_NAMES = ["documented", "realistic"] as const;
/** A profile of the behaviour table: a value for each key. */
export type ProfileName = (typeof PROFILE_NAMES)[number];

export const ID_SERIES = ["same", "apart"] as const;
/** Where the ids of new threads and messages begin: after those of the fixture, or at a number of the sandbox's own. */
export type IdSeries = (typeof ID_SERIES)[number];

/** What stands before the path of an address that has no scheme: `localhost`, an IP address, or any name with a port. */
const BARE_HOST = /^(localhost|\[[\da-f:.]+\]|\d+(\.\d+){3}|[\w.-]+(?=:\d))(:\d{1,5})?(?=[/?#]|$)/i;

/** The http or https URL that an address means: `localhost:3000` is `http://localhost:3000`. Undefined where it is none. */
export function urlFrom(text: string): string | undefined {
  const url = BARE_HOST.test(text) ? `http://${text}` : text;
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}

/** The address of a program that is meant: a port alone is one of this computer. Undefined where it is none. */
export const programUrl = (text: string): string | undefined =>
  urlFrom(/^\d{1,5}$/.test(text) ? `127.0.0.1:${text}` : text);

/** One segment of a path. Half a surrogate pair, which no address can hold, becomes the character that stands for the unreadable. */
export const segment = (text: string | number): string => encodeURIComponent(String(text).toWellFormed());

/** The API key that means a token of the fixture in a sandbox: it decides to which sandbox a call belongs. */
export const sandboxToken = (sandbox: string, fixtureToken: string): string =>
  sandbox === DEFAULT_SANDBOX ? fixtureToken : `${sandbox}.${fixtureToken}`;
