/** Many sandboxes in the store, and some of them open. */
import { report } from "../processes.mjs";
import { call, inParallel, serve } from "./tools.mjs";

export async function many(data, { many: count, open }) {
  const maker = await serve("--data", data);
  const ids = Array.from({ length: count }, (_, n) => `m${n}`);
  await inParallel(ids, 32, (id) => call(maker.url, "POST", "/__sim/sandboxes", { body: { id } }));
  await maker.stop();
  const one = await serve("--data", data);
  const before = one.residentMb();
  const times = [];
  await inParallel(ids.slice(0, open), 1, async (id) => {
    const began = performance.now();
    await call(one.url, "GET", `/__sim/sandboxes/${id}/clock`);
    times.push(performance.now() - began);
  });
  times.sort((a, b) => a - b);
  report(
    `of ${ids.length} sandboxes ${times.length} opened: p50, p99, ms`,
    `${times[times.length >> 1].toFixed(1)} / ${times[Math.floor(times.length * 0.99)].toFixed(1)}`,
    "",
  );
  report(
    "  memory of the process, MB: before, then",
    `${before.toFixed(0)} / ${one.residentMb().toFixed(0)}`,
    "",
  );
  await one.stop();
}
