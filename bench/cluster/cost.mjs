/** Reads and writes of one process, in turn with what keeps them and without. */
import { load } from "../load.mjs";
import { MAIN, median, report, start } from "../processes.mjs";
import { requestsTo } from "./tools.mjs";

export async function cost(data, { seconds }) {
  const open = (...words) => start(MAIN, ["serve", "--port", "0", "--log-level", "error", ...words]);
  const memory = await open();
  const kept = {
    batched: await open("--data", data),
    strict: await open("--data", `${data.slice(0, -1)}1`, "--durability", "strict"),
  };
  const rateOf = async ({ url }, request) => {
    const { perSecond, statuses } = await load({ url, seconds, ...request });
    if (Object.keys(statuses).join() !== "200") throw new Error(JSON.stringify(statuses));
    return perSecond;
  };
  for (const [name, one] of Object.entries(kept)) {
    for (const [what, request] of Object.entries(requestsTo())) {
      const shares = [];
      for (let round = 0; round < 5; round += 1)
        shares.push((await rateOf(one, request)) / (await rateOf(memory, request)));
      report(
        `${name}: ${what} with the store over those without`,
        median(shares).toFixed(2),
        what === "writes" && name === "batched" ? ">= 0.6" : "",
      );
    }
  }
  for (const one of [memory, ...Object.values(kept)]) await one.stop();
}
