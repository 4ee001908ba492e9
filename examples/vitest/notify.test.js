import { test } from "messaging-sim/vitest";
import { expect } from "vitest";
import { notify } from "./notify.js";

const service = (sandbox) => ({ url: sandbox.url, token: sandbox.token("acme-token") });

test("writes freely while the window is open", async ({ sandbox }) => {
  await notify(service(sandbox), "9001");
  const reply = await sandbox.waitForReply("9001", { contains: "ready" });
  expect(reply.request.warnings).toEqual([]);
});

test("uses the template once the window is closed", async ({ sandbox }) => {
  await sandbox.closeWindow("9001");
  await notify(service(sandbox), "9001");
  await sandbox.waitForReply("9001", { template: "order_ready" });
});
