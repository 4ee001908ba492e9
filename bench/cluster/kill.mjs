/** Processes that are killed, or stand still for longer than their lease, under load: messages, deliveries and clocks. */
import { report } from "../processes.mjs";
import { startReceiver } from "./receiver.mjs";
import { call, freePort, inParallel, pause, serveAt, startProxy } from "./tools.mjs";

const LEASE_MS = 10_000;
/** A call that opens a sandbox may take so long beyond the lease, ms. */
const CALL_MS = 1_000;
const WORKERS = 16;
/** What has not arrived after so long does not arrive, ms. */
const ARRIVAL_MS = 20_000;
const SECRET = "whsec_c2VjcmV0LW9mLXRoZS1iZW5jaC1vZi1jbHVzdGVycw==";
const isFrozen = (n) => n % 2 === 0;

/** Every sandbox has its process; where that is gone, the next one takes its place, as behind a proxy. */
class Cluster {
  constructor(processes, proxy) {
    this.processes = processes;
    this.up = new Set(processes);
    this.proxy = proxy;
  }
  urlOf(n) {
    if (this.proxy !== undefined) return this.proxy.url;
    const home = this.processes[n % 3];
    return (this.up.has(home) ? home : this.processes.find((one) => this.up.has(one))).url;
  }
  lose(process) {
    this.up.delete(process);
  }
  gain(process, inPlaceOf = process) {
    this.processes = this.processes.map((one) => (one === inPlaceOf ? process : one));
    this.up.add(process);
  }
}

/** What is known of each sandbox: acknowledged messages, where its clock stands, or has been at least. */
class Sandbox {
  texts = [];
  /** The instants at which a frozen clock may stand: two where nobody knows what became of a call that moves it. */
  stands = [];
  reached = 0;

  constructor(n) {
    this.n = n;
    this.id = `k${n}`;
  }

  async make(url, receiver) {
    const { id, n } = this;
    const behaviour = { "delivery.signature": { scheme: "standard-webhooks", secrets: [SECRET] } };
    const made = await call(url, "PUT", `/__sim/sandboxes/${id}`, {
      body: { behaviour, ...(isFrozen(n) && { clock: "2026-05-05T10:00:00Z" }) },
    });
    const path = `/__sim/sandboxes/${id}/data/webhooks/1`;
    const hooked = await call(url, "PATCH", path, { body: { url: receiver.urlFor(id) } });
    if (made.status !== 201 || hooked.status !== 200) throw new Error(`${made.text} ${hooked.text}`);
    await this.clock(url);
  }

  /** Moves a frozen clock, and looks at one that goes by itself. */
  async move(url) {
    if (!isFrozen(this.n)) return this.clock(url);
    const path = `/__sim/sandboxes/${this.id}/clock/advance`;
    const { status, text } = await call(url, "POST", path, { body: { by: "90s" } });
    if (status === 200) this.stands = [JSON.parse(text).now];
    else this.stands.push(...this.stands.map((at) => at + 90_000));
  }

  /** Whether it answers, and its clock is right. */
  async clock(url) {
    const { status, text } = await call(url, "GET", `/__sim/sandboxes/${this.id}/clock`);
    if (status !== 200) return { status };
    const { now, frozen } = JSON.parse(text);
    const isRight =
      frozen === isFrozen(this.n) &&
      (frozen ? this.stands.length === 0 || this.stands.includes(now) : now >= this.reached);
    this.reached = now;
    if (frozen) this.stands = [now];
    return { status, isRight };
  }
}

export async function killing(data, { rounds, sandboxes: count, proxy: isProxied }) {
  const open = (port) => serveAt(port, "--data", data, "--durability", "strict");
  const receiver = await startReceiver();
  const processes = [
    await open(await freePort()),
    await open(await freePort()),
    await open(await freePort()),
  ];
  const cluster = new Cluster(processes, isProxied ? await startProxy(processes) : undefined);
  const sandboxes = Array.from({ length: count }, (_, n) => new Sandbox(n));
  await inParallel(sandboxes, 16, (one) => one.make(cluster.urlOf(one.n), receiver));
  const found = { refused: 0, unanswered: 0, wrongClocks: 0, waits: [] };
  for (let round = 0; round < rounds; round += 1) {
    await oneRound(round, cluster, sandboxes, found, open);
    if ((round + 1) % 10 === 0 || round + 1 === rounds)
      console.log(`round ${round + 1}: slowest ${(Math.max(...found.waits) / 1000).toFixed(1)} s`);
  }
  let [acknowledged, lost, doubled] = [0, 0, 0];
  await inParallel(sandboxes, 8, async (one) => {
    const url = cluster.urlOf(one.n);
    if ((await one.clock(url)).isRight !== true) found.wrongClocks += 1;
    const { text } = await call(url, "GET", `/__sim/sandboxes/${one.id}/state`);
    const messages = JSON.parse(text).messages.map((message) => message.text);
    const there = new Set(messages);
    acknowledged += one.texts.length;
    lost += one.texts.filter((text) => !there.has(text)).length;
    doubled += one.texts.filter((text) => messages.indexOf(text) !== messages.lastIndexOf(text)).length;
  });
  const missing = () =>
    sandboxes.reduce((sum, { id, texts }) => sum + texts.filter((text) => !receiver.has(id, text)).length, 0);
  for (let waited = 0; missing() > 0 && waited < ARRIVAL_MS; waited += 100) await pause(100);
  const { repeated, unmarked, ambiguous } = receiver.repeats();
  report("strict: messages acknowledged, lost", `${acknowledged} / ${lost}`, "none");
  report("  doubled", doubled, "0");
  report("  calls that were refused meanwhile", found.refused, "some");
  if (isProxied) report("  calls without any answer", found.unanswered, "0");
  report("  acknowledged and not delivered", missing(), "0");
  report("  delivered more than once, under another id or body", `${repeated} / ${unmarked}`, "some, none");
  report("  ids of deliveries that stood for two", ambiguous, "0");
  report("  clocks that stood wrong or ran backwards", found.wrongClocks, "0");
  found.waits.sort((a, b) => a - b);
  const late = found.waits.filter((ms) => ms > LEASE_MS + CALL_MS).length;
  report("  a sandbox answers again after, s: p50", seconds(found.waits[found.waits.length >> 1]));
  report("  at most", seconds(found.waits.at(-1)), `<= ${LEASE_MS / 1000} and one call`);
  report("  that took longer, of all", `${late} / ${found.waits.length}`, "0");
  cluster.proxy?.stop();
  for (const one of cluster.up) await one.stop();
  receiver.close();
}

const seconds = (ms) => (ms / 1000).toFixed(1);

async function oneRound(round, cluster, sandboxes, found, open) {
  let isOver = false;
  const victim = cluster.processes[round % 3];
  const stops = round % 4 === 3;
  const its = sandboxes.filter(({ n }) => n % 3 === round % 3);
  await inParallel(its, WORKERS, (one) => one.move(cluster.urlOf(one.n)));
  const work = Array.from({ length: WORKERS }, async (_, worker) => {
    for (let n = worker; !isOver; n += WORKERS) {
      const one = sandboxes[n % sandboxes.length];
      const text = `${round}.${worker}.${n}`;
      const { status } = await call(cluster.urlOf(one.n), "POST", "/api/send-message-to-customer-thread", {
        body: { customerThreadId: "9001", text },
        token: `${one.id}.acme-token`,
      });
      if (status === 200) one.texts.push(text);
      else found.refused += 1;
      if (status === 0) found.unanswered += 1;
    }
  });
  await pause(200 + Math.random() * 500);
  cluster.lose(victim);
  process.kill(victim.pid, stops ? "SIGSTOP" : "SIGKILL");
  const died = performance.now();
  await pause(200);
  isOver = true;
  // Every sandbox of the one that is gone answers again within the lease and one call.
  const refusals = {};
  const late = [];
  await inParallel(its, its.length, async (one) => {
    for (;;) {
      const { status, isRight } = await one.clock(cluster.urlOf(one.n));
      if (isRight === false) found.wrongClocks += 1;
      if (status === 200) break;
      refusals[status] = (refusals[status] ?? 0) + 1;
      await pause(50);
    }
    const ms = performance.now() - died;
    found.waits.push(ms);
    if (ms > LEASE_MS + CALL_MS) late.push(ms);
  });
  if (late.length > 0)
    console.log(
      `round ${round + 1}: ${late.length} late, at most ${seconds(Math.max(...late))} s, ${JSON.stringify(refusals)}`,
    );
  if (stops) {
    process.kill(victim.pid, "SIGCONT");
    cluster.gain(victim);
  } else cluster.gain(await open(new URL(victim.url).port), victim);
  await Promise.all(work);
}
