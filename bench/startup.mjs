/** Start-up against the bare server's, of the command and in a program, and memory at rest. Usage: node bench/startup.mjs [--rounds 9] */
import { parseArgs } from "node:util";
import { BARE, EMBEDDED, MAIN, median, report, start } from "./processes.mjs";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "9" } } });
const ours = [];
const bare = [];
const embedded = [];
let resident = 0;
for (let round = 0; round < Number(values.rounds); round += 1) {
  const simulator = await start(MAIN, ["serve", "--port", "0"]);
  ours.push(simulator.readyMs);
  resident = Math.max(resident, simulator.residentMb());
  await simulator.stop();
  const other = await start(BARE);
  bare.push(other.readyMs);
  await other.stop();
  const program = await start(EMBEDDED);
  embedded.push(Number(/took (\S+) ms/.exec(program.printed)[1]));
  await program.stop();
}
report("ready / bare node's ready", (median(ours) / median(bare)).toFixed(2), "<= 2.4");
report("  ms, ours and the other's", `${median(ours).toFixed(0)} / ${median(bare).toFixed(0)}`);
report(
  "import and createSimulator / bare node's ready",
  (median(embedded) / median(bare)).toFixed(2),
  "<= 1.2",
);
report("  ms, of both together", median(embedded).toFixed(0));
report("resident at rest, MB", resident.toFixed(0), "<= 65");
