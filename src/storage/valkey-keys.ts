/** The names of what is kept in a server, all with one beginning. */
const PREFIX = "messaging-sim";
/** What lists show of each id. */
export const INDEX = `${PREFIX}:sandboxes`;
/** The last fencing number. */
export const FENCES = `${PREFIX}:fences`;
/** The last number that a new sandbox was called by. */
export const NUMBERS = `${PREFIX}:numbers`;

/** A part of what is kept under an id. All of one id is in one place of a cluster. */
export const keyOf = (id: string, part: string): string => `${PREFIX}:{${id}}:${part}`;

/** Where a process hears what others ask it to release. */
export const channelOf = (process: string): string => `${PREFIX}:asked:${process}`;
