/** The installed package on the other Nodes that it supports, and on one that is too old. */
import { describe } from "vitest";
import { installedConsumer, shared } from "./consumer.js";
import { provesInstallation, provesRefusal, provesTypesUnder } from "./installation.js";
import { MACHINE, NODES } from "./nodes.js";

const project = shared(installedConsumer);

// install.gate.test.ts has this very Node.
describe.each(NODES.filter((version) => version !== MACHINE))("on Node %s", (version) => {
  provesInstallation(version, () => project().on(version));
});

provesRefusal("18.20.8", () => project().on("18.20.8"));
provesTypesUnder("node16", project);
