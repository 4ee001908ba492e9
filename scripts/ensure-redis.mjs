// @ts-check
// Makes sure that a server of the protocol of Valkey and Redis 7 is on this machine, and prints where.
// Used as a command by scripts/test.mjs; `findRedis` is what the tests of the store use.

import { ensure, findProgram } from "./debian.mjs";

/** Path of the valkey-server or redis-server on `PATH`; undefined for none. */
export const findRedis = () => findProgram("valkey-server", "redis-server");

ensure(import.meta.url, {
  find: findRedis,
  version: ["--version"],
  from: "redis-server",
  purpose: "The store of many processes",
  otherwise: "Install Valkey, or Redis 7, yourself, so that valkey-server or redis-server is on PATH.",
});
