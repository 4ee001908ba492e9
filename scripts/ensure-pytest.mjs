// @ts-check
// Makes sure that a Python with pytest for the examples is on this machine, and prints where.
// Used as a command by scripts/test.mjs; `findPytest` is what the test of the examples uses.

import { spawnSync } from "node:child_process";
import { ensure, findProgram } from "./debian.mjs";

const PYTEST = ["-m", "pytest", "--version"];

/** Path of a Python that has pytest: the one on `PATH`, or Debian's; undefined for none. */
export function findPytest() {
  const found = [findProgram("python3"), "/usr/bin/python3"];
  return found.find((path) => path !== undefined && spawnSync(path, PYTEST).status === 0);
}

ensure(import.meta.url, {
  find: findPytest,
  version: PYTEST,
  from: "python3-pytest",
  purpose: "The examples in Python",
  otherwise: "Install pytest yourself, for the python3 on PATH.",
});
