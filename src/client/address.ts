/** How parts of one sandbox are addressed. */

/** The sandbox that every server has, and that the routes of the server itself act on. */
export const DEFAULT_SANDBOX = "default";

/** One segment of a path. Half a surrogate pair, which no address can hold, becomes the character that stands for the unreadable. */
export const segment = (text: string | number): string => encodeURIComponent(String(text).toWellFormed());

/** The API key that means a token of the fixture in a sandbox: it decides to which sandbox a call belongs. */
export const sandboxToken = (sandbox: string, fixtureToken: string): string =>
  sandbox === DEFAULT_SANDBOX ? fixtureToken : `${sandbox}.${fixtureToken}`;
