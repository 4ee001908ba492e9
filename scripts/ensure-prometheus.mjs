// @ts-check
// Makes sure that a Prometheus for the dashboard of loads is on this machine, and prints where.
// Used as a command by scripts/test.mjs; `findPrometheus` is what the test of the example uses.

import { ensure, findProgram } from "./debian.mjs";

/** Path of the Prometheus on `PATH`; undefined for none. */
export const findPrometheus = () => findProgram("prometheus");

ensure(import.meta.url, {
  find: findPrometheus,
  version: ["--version"],
  from: "prometheus",
  purpose: "The example with Prometheus",
  otherwise: "Install Prometheus yourself, so that it is on PATH.",
});
