/** The keys in a server, and the scripts that run there. */

/** The names of all keys, with a common prefix. */
const PREFIX = "messaging-sim";
export const INDEX = `${PREFIX}:sandboxes`;
export const FENCES = `${PREFIX}:fences`;
/** The last number used for a new sandbox's id. */
export const NUMBERS = `${PREFIX}:numbers`;

/** A part of what is stored under an id. All parts of an id are in the same slot of a cluster. */
export const keyOf = (id: string, part: string): string => `${PREFIX}:{${id}}:${part}`;

/** The channel on which a process receives requests to release sandboxes. */
export const channelOf = (process: string): string => `${PREFIX}:asked:${process}`;

/**
 * The scripts that run on the server, each atomic. The keys of a sandbox: `meta` (`fence`: its fencing token, `last`: the number in
 * that, `after` and `seq`: the numbers of the last entries in the base document and in the stream), `lease` (the process that holds
 * it, with an expiry), `base` (the base document in pieces), `log` (a stream whose entries have the ids 1-0, 2-0, …).
 */

export interface Script {
  readonly keys: readonly ("meta" | "lease" | "base" | "log" | "staged")[];
  readonly text: string;
}

/** Does nothing under another fencing token. Arguments: fencing token, process, milliseconds of the lease, then those of the script. */
const FENCED = "if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return 'lost' end";
const RENEW = "redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])";
/** Only changes existing keys, so it also runs when the server is out of memory. */
const AT_ANY_TIME = "#!lua flags=allow-oom";
const WITH_MEMORY = "#!lua";

const script = (keys: Script["keys"], ...lines: readonly string[]): Script => ({
  keys,
  text: lines.join("\n"),
});

export const SCRIPTS = {
  /** Arguments: a new fencing token, the process, the lease, `open` or `create`, the number in the token. */
  acquire: script(
    ["meta", "lease", "base", "log"],
    WITH_MEMORY,
    "local holder = redis.call('GET', KEYS[2])",
    "if holder and holder ~= ARGV[2] then return {'elsewhere', holder} end",
    "local isThere = redis.call('EXISTS', KEYS[3]) == 1",
    "if ARGV[4] == 'open' and not isThere then return {'absent'} end",
    "if ARGV[4] == 'create' and isThere then return {'taken'} end",
    "if not isThere then redis.call('DEL', KEYS[1], KEYS[4]) end",
    "local last = redis.call('HGET', KEYS[1], 'last') or '0'",
    "if tonumber(ARGV[5]) <= tonumber(last) then return {'stale', last} end",
    "redis.call('HSET', KEYS[1], 'fence', ARGV[1], 'last', ARGV[5])",
    RENEW,
    "return {'held', redis.call('HGET', KEYS[1], 'seq') or '0'}",
  ),
  /** Only one process ever uses a fencing token, so an expired lease that nobody took can be renewed. */
  renew: script(["meta", "lease"], AT_ANY_TIME, FENCED, RENEW, "return 'ok'"),
  release: script(
    ["meta", "lease"],
    AT_ANY_TIME,
    FENCED,
    "redis.call('HSET', KEYS[1], 'fence', '')",
    "redis.call('DEL', KEYS[2])",
    "return 'ok'",
  ),
  /**
   * More arguments: the entry's number, its text. An existing entry is not added again: only this process can have added it. If
   * the number does not follow, the server has lost entries.
   */
  append: script(
    ["meta", "lease", "log"],
    WITH_MEMORY,
    FENCED,
    RENEW,
    "local seq = tonumber(redis.call('HGET', KEYS[1], 'seq') or '0')",
    "if seq == tonumber(ARGV[4]) then return 'there' end",
    "if seq ~= tonumber(ARGV[4]) - 1 then return seq end",
    "redis.call('XADD', KEYS[3], ARGV[4] .. '-0', 'e', ARGV[5])",
    "redis.call('HSET', KEYS[1], 'seq', ARGV[4])",
    "return 'ok'",
  ),
  /** More arguments: the index of a piece of the next base document, its text, its expiry, ms. */
  stage: script(
    ["meta", "lease", "staged"],
    WITH_MEMORY,
    FENCED,
    RENEW,
    "redis.call('HSET', KEYS[3], ARGV[4], ARGV[5])",
    "redis.call('PEXPIRE', KEYS[3], ARGV[6])",
    "return 'ok'",
  ),
  /** More arguments: the number of the last entry that the next base document includes, and its number of pieces. */
  switch: script(
    ["meta", "lease", "base", "log", "staged"],
    WITH_MEMORY,
    FENCED,
    RENEW,
    "if redis.call('HLEN', KEYS[5]) ~= tonumber(ARGV[5]) then return 'torn' end",
    "redis.call('PERSIST', KEYS[5])",
    "redis.call('RENAME', KEYS[5], KEYS[3])",
    "redis.call('XTRIM', KEYS[4], 'MINID', '=', (tonumber(ARGV[4]) + 1) .. '-0')",
    "if redis.call('XLEN', KEYS[4]) == 0 then redis.call('DEL', KEYS[4]) end",
    "redis.call('HSET', KEYS[1], 'after', ARGV[4])",
    "if tonumber(ARGV[4]) > tonumber(redis.call('HGET', KEYS[1], 'seq') or '0') then",
    "redis.call('HSET', KEYS[1], 'seq', ARGV[4]) end",
    "return 'ok'",
  ),
  /** It may already be deleted. */
  remove: script(
    ["meta", "lease", "base", "log"],
    AT_ANY_TIME,
    "if redis.call('EXISTS', KEYS[1]) == 0 then return 'ok' end",
    FENCED,
    "redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])",
    "return 'ok'",
  ),
} as const satisfies Record<string, Script>;
