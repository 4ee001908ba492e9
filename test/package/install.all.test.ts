/** The installed package on the other Nodes that it supports. */
import { afterAll, beforeAll, describe } from "vitest";
import { type Consumer, installedConsumer } from "./consumer.js";
import { provesInstallation, provesTypesUnder } from "./installation.js";
import { MACHINE, NODES } from "./nodes.js";

let project: Consumer;
beforeAll(async () => {
  project = await installedConsumer();
});
afterAll(() => project[Symbol.asyncDispose]());

// install.gate.test.ts has this very Node.
describe.each(NODES.filter((version) => version !== MACHINE))("on Node %s", (version) => {
  let onNode: Consumer;
  beforeAll(async () => {
    onNode = await project.on(version);
  });
  provesInstallation(version, () => onNode);
});

provesTypesUnder("node16", () => project);
