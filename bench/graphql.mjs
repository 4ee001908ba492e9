/** GraphQL calls per second against graphql-yoga alone. Usage: node bench/graphql.mjs [--rounds 5] */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bigFixture } from "./big-fixture.mjs";
import { load } from "./load.mjs";
import { MAIN, median, pinLoad, report, start } from "./processes.mjs";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "2" } },
});
const headers = { token: "acme-token", "Content-Type": "application/json", Accept: "application/json" };
const webhook = {
  id: "1",
  hookId: "crm",
  organizationId: "200",
  url: "https://crm.example/hook",
  subscribedEvents: ["messages"],
};
const file = join(mkdtempSync(join(tmpdir(), "bench-")), "fixture.json");
writeFileSync(file, JSON.stringify({ ...bigFixture(10, 10), webhooks: [webhook] }));

pinLoad();
const ours = await start(MAIN, ["serve", "--port", "0", "--fixtures", file]);
const yoga = await start(fileURLToPath(new URL("bare-graphql.mjs", import.meta.url)));
const call = (query) => ({
  method: "POST",
  path: "/graphql",
  headers,
  body: JSON.stringify({ query }),
  seconds: Number(values.seconds),
});
const named = call("get-hook-query");
const document = call("query GetHook($hookId: [String!]) { hook(hookId: $hookId) { hookId url enabled } }");
const ratios = [];
await load({ url: ours.url, ...named });
await load({ url: yoga.url, ...document });
for (let round = 0; round < Number(values.rounds); round += 1) {
  const first = await load({ url: ours.url, ...named });
  const second = await load({ url: yoga.url, ...document });
  if (Object.keys(first.statuses).join() !== "200") throw new Error(JSON.stringify(first.statuses));
  ratios.push(first.perSecond / second.perSecond);
}
report("GraphQL / graphql-yoga alone", median(ratios).toFixed(3), ">= 0.90");
await Promise.all([ours.stop(), yoga.stop()]);
