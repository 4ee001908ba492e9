// @ts-check
// Makes sure that an HAProxy for the tests of many processes is on this machine, and prints where.
// Used as a command by scripts/test.mjs; `findHaproxy` is what these tests use.

import { ensure, findProgram } from "./debian.mjs";

/** Path of the HAProxy on `PATH`; undefined for none. */
export const findHaproxy = () => findProgram("haproxy");

ensure(import.meta.url, {
  find: findHaproxy,
  version: ["-v"],
  from: "haproxy",
  purpose: "The tests of many processes behind a proxy",
  otherwise: "Install HAProxy yourself, so that it is on PATH.",
});
