import { after, before, test } from "node:test";
import { MessagingSimContainer } from "messaging-sim/testcontainers";
import { notify } from "./notify.js";

let simulator;

before(async () => {
  simulator = await new MessagingSimContainer().start();
});

after(() => simulator.stop());

test("uses the template once the window is closed", async () => {
  const sandbox = await simulator.client.sandbox();
  await sandbox.closeWindow("9001");
  await notify({ url: sandbox.url, token: sandbox.token("acme-token") }, "9001");
  await sandbox.waitForReply("9001", { template: "order_ready" });
});
