// Slow: installs Testcontainers once.
/** The container's class with the types of Testcontainers itself; the recipe starts it. */
import { expect, it } from "vitest";
import { createConsumer, shared } from "./consumer.js";

const project = shared(() => createConsumer("testcontainers@12.2.0", "@types/node@20.19.43"));

it.each(["types.mts", "types.cts"])("has the types of Testcontainers and its own: %s", async (file) => {
  const text = `
    import { MessagingSimContainer, type StartedMessagingSimContainer } from "messaging-sim/testcontainers";
    import type { StartedTestContainer } from "testcontainers";
    export async function use(): Promise<StartedTestContainer> {
      const container = new MessagingSimContainer().withReuse().withBehaviour("realistic").withFixtures("acme.json");
      const started: StartedMessagingSimContainer = await container.start();
      await started.client.customerSays("9001", started.getId().trim() + started.hostUrl(3000).trim());
      // @ts-expect-error: no such profile
      container.withBehaviour("nothing");
      return started;
    }
  `;
  expect(await project().typeProblems(file, text)).toEqual([]);
});
