/**
 * Two processes, each with half of the sandboxes, against one with all of them: on both cores, beside the load's own process and the
 * server. What these take of the cores is shown, since on two cores the second process has only what they leave.
 */
import { readFileSync } from "node:fs";
import { load } from "../load.mjs";
import { median, report } from "../processes.mjs";
import { call, requestsTo, serve } from "./tools.mjs";

const SANDBOXES = 8;
const CONNECTIONS = 4;
const ROUNDS = 5;
/** Of /proc/PID/stat. */
const TICKS_PER_SECOND = 100;
const [USER, SYSTEM] = [11, 12];

function cpuSeconds(pid) {
  // The name of the program, in brackets, may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[USER]) + Number(fields[SYSTEM])) / TICKS_PER_SECOND;
}

/** Processes with their sandboxes, and one round of load on all of them. */
class Group {
  constructor(processes, name) {
    this.processes = processes;
    this.sandboxes = Array.from({ length: SANDBOXES }, (_, n) => ({
      id: `${name}${n}`,
      url: processes[n % processes.length].url,
    }));
  }

  static async of(count, name, words) {
    const group = new Group(await Promise.all(Array.from({ length: count }, () => serve(...words))), name);
    for (const { id, url } of group.sandboxes) {
      const { status, text } = await call(url, "PUT", `/__sim/sandboxes/${id}`, { body: {} });
      if (status !== 201) throw new Error(text);
    }
    return group;
  }

  /** Calls a second, and how many cores the processes, the load and the server of the store took. */
  async round(what, seconds, server) {
    const used = () => [
      this.processes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
      cpuSeconds(process.pid),
      cpuSeconds(server),
    ];
    const before = used();
    const began = performance.now();
    const loads = await Promise.all(
      this.sandboxes.map(({ id, url }) =>
        load({ url, seconds, connections: CONNECTIONS, ...requestsTo(id)[what] }),
      ),
    );
    const elapsed = (performance.now() - began) / 1000;
    const cores = used().map((after, at) => (after - before[at]) / elapsed);
    const statuses = new Set(loads.flatMap(({ statuses }) => Object.keys(statuses)));
    if ([...statuses].join() !== "200") throw new Error([...statuses].join());
    return { perSecond: loads.reduce((sum, { perSecond }) => sum + perSecond, 0), cores };
  }

  async stop() {
    for (const one of this.processes) await one.stop();
  }
}

export async function two(data, { seconds }, server) {
  for (const [where, words] of Object.entries({ "without a store": [], batched: ["--data", data] })) {
    const one = await Group.of(1, "one", words);
    const both = await Group.of(2, "two", words);
    for (const what of ["writes", "reads"]) {
      const rounds = [];
      for (let round = 0; round < ROUNDS; round += 1)
        rounds.push([await one.round(what, seconds, server), await both.round(what, seconds, server)]);
      const middle = (at, value) => median(rounds.map((round) => value(round[at])));
      const perSecond = (at) => middle(at, (each) => each.perSecond);
      const coresOf = (at) =>
        [0, 1, 2].map((part) => middle(at, ({ cores }) => cores[part]).toFixed(2)).join(" + ");
      const ratio = median(rounds.map(([a, b]) => b.perSecond / a.perSecond));
      report(`${where}: ${what} of two processes over those of one`, ratio.toFixed(2), "");
      report("  per second, one and two", `${perSecond(0).toFixed(0)} / ${perSecond(1).toFixed(0)}`);
      report("  cores of processes + load + store, one and two", `${coresOf(0)} / ${coresOf(1)}`);
      const each = (at) => middle(at, ({ perSecond, cores }) => perSecond / cores[0]);
      report(
        "  a core's worth of process does, of one and two",
        `${each(0).toFixed(0)} / ${each(1).toFixed(0)}`,
      );
    }
    await one.stop();
    await both.stop();
  }
}
