import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { readTrace } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import { busySession, harOf, recorded } from "./session.js";

test("try", async () => {
  const secret = JSON.parse(process.env.SECRET ?? "{}");
  const entries = await recorded(secret, busySession);
  const folder = await mkdtemp(join(tmpdir(), "cal-"));
  const file = join(folder, "s.har");
  await writeFile(file, JSON.stringify(harOf(entries)));
  const trace = await readTrace([file]);
  const start = performance.now();
  const result = await learn(trace);
  console.log(file, Math.round(performance.now() - start), "ms", JSON.stringify(result.exchanges));
  for (const c of result.contradictions) console.log("CONTRA", JSON.stringify(c));
  for (const c of result.unjudged)
    console.log(
      "UNJ",
      JSON.stringify(c),
      (entries[c.exchange]!.request as any).url,
      JSON.stringify((entries[c.exchange]!.request as any).postData),
      JSON.stringify(entries[c.exchange]!.response).slice(0, 300),
    );
  for (const l of result.learned)
    console.log(
      "LEARN",
      l.key,
      JSON.stringify(l.value),
      JSON.stringify(l.value) === JSON.stringify(l.default) ? "" : "*",
      JSON.stringify(secret[l.key] ?? l.default) === JSON.stringify(l.value) ? "" : "WRONG",
      l.against.length || "",
    );
  console.log("OPEN", result.open.join(" "));
  console.log(
    "missed",
    Object.keys(secret)
      .filter((k) => result.open.includes(k as never))
      .join(" "),
  );
  for (const a of result.assumptions) console.log("NOTE", a);
}, 300000);
