import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { readTrace } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE } from "../../src/service/behaviour/table.js";
import { busySession, harOf, recorded } from "./session.js";

function random(seed: number) {
  let s = (seed * 2654435761) % 4294967296;
  return () => (s = (s * 1664525 + 1013904223) % 4294967296) / 4294967296;
}
const SKIP = /^(cors|delivery|webhooks.pending|widget.knownLocale|limits.overload|http.unknownHost)/;
function secretOf(seed: number): Record<string, unknown> {
  const r = random(seed);
  const secret: Record<string, unknown> = {};
  for (const key of BEHAVIOUR_KEYS) {
    if (SKIP.test(key) || r() > 0.2) continue;
    const entry = BEHAVIOUR_TABLE[key] as any;
    const alts = alternativesOf(entry);
    if (Array.isArray(alts)) secret[key] = alts[Math.floor(r() * alts.length)];
    else if (entry.default?.status !== undefined) {
      const d = entry.default;
      secret[key] =
        d.status < 400
          ? { status: [200, 201, 202][Math.floor(r() * 3)], body: { done: key } }
          : { status: [400, 404, 409, 410, 422][Math.floor(r() * 5)], body: { message: `no: ${key}` } };
    } else if (key === "window.duration") secret[key] = ["12h", "24h", "48h"][Math.floor(r() * 3)];
    else if (key === "window.channels") secret[key] = ["WHATSAPP", "SMS"];
    else if (key === "templates.channels") secret[key] = ["WHATSAPP", "SMS"];
    else if (key === "webhooks.graphqlEvents") secret[key] = ["messages", "transfers"];
    else if (key === "limits.textLength") secret[key] = 10 + Math.floor(r() * 20);
    else if (key === "customers.unknownType") secret[key] = "lead";
    else if (key === "threadStatus.transitions")
      secret[key] = {
        waiting: ["replied", "resolved"],
        replied: ["waiting", "resolved"],
        resolved: ["replied"],
      };
  }
  return secret;
}

test("try", async () => {
  const [from, to] = (process.env.SEEDS ?? "0-0").split("-").map(Number);
  let touched = 0,
    found = 0;
  for (let seed = from!; seed <= to!; seed++) {
    const secret = seed === 0 ? JSON.parse(process.env.SECRET ?? "{}") : secretOf(seed);
    const entries = await recorded(secret, busySession);
    const folder = await mkdtemp(join(tmpdir(), "cal-"));
    const file = join(folder, "s.har");
    await writeFile(file, JSON.stringify(harOf(entries)));
    const trace = await readTrace([file]);
    const start = performance.now();
    const result = await learn(trace);
    const full = process.env.FULL;
    const wrong = result.learned.filter(
      (l) => JSON.stringify(l.key in secret ? secret[l.key] : l.default) !== JSON.stringify(l.value),
    );
    const missed = Object.keys(secret).filter((k) => result.open.includes(k as never));
    const plain = (list: any[]) =>
      JSON.stringify(
        list.map(({ request, response }) => [
          request.method,
          request.url.replace(/:\d+\//, ""),
          request.postData?.text.replace(/:\d{4,5}\//g, ":/"),
          response.status,
          response.content.text?.replace(/:\d{4,5}\//g, ":/"),
        ]),
      );
    const own = plain(entries);
    const untouched: string[] = [];
    for (const key of missed) {
      const { [key]: _, ...others } = secret;
      if (plain(await recorded(others, busySession)) === own) untouched.push(key);
    }
    missed.splice(0, missed.length, ...missed.filter((key) => !untouched.includes(key)));
    touched += Object.keys(secret).length - untouched.length;
    found += Object.keys(secret).length - untouched.length - missed.length;
    console.log(
      `seed ${seed} ${Math.round(performance.now() - start)} ms ${JSON.stringify(result.exchanges)} secret ${Object.keys(secret).length}\n  WRONG ${wrong.map((l) => `${l.key}=${JSON.stringify(l.value)} not ${JSON.stringify(secret[l.key] ?? l.default)} by ${JSON.stringify(l.evidence[0])}`).join("\n        ")}\n  missed ${missed.map((k) => `${k}=${JSON.stringify(secret[k])}`).join(" ")}`,
    );
    if (full) {
      for (const c of result.contradictions) console.log("CONTRA", JSON.stringify(c));
      for (const c of result.unjudged)
        console.log(
          "UNJ",
          JSON.stringify(c),
          (entries[c.exchange]!.request as any).method,
          (entries[c.exchange]!.request as any).url,
          JSON.stringify((entries[c.exchange]!.request as any).postData),
          (entries[c.exchange]!.response as any).status,
          (entries[c.exchange]!.response as any).content.text,
        );
      console.log("OPEN", result.open.join(" "));
      for (const a of result.assumptions) console.log("NOTE", a);
    }
  }
  console.log(`found ${found} of ${touched}`);
}, 3000000);
