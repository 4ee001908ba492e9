import { expect, it } from "vitest";
import { htmlOf } from "../../../dashboard/src/play/share-html";
import { markdownOf } from "../../../dashboard/src/play/share-markdown";
import type { Shared } from "../../../dashboard/src/play/shared";
import { newestWithin, partsOf } from "../../../dashboard/src/play/shared";
import { turnsOf } from "../../../dashboard/src/story/turns";
import type { Told } from "./story";
import { attempt, delivery, message, request, sourcesOf } from "./story";

const EVIL = '</pre></script><script src="https://evil.example">\'&"</script>';

const sharedOf = (told: Told, rest: Partial<Shared> = {}): Shared => {
  const turns = turnsOf(sourcesOf(told)).map((turn) => partsOf(turn, () => EVIL));
  return { title: EVIL, facts: EVIL, due: EVIL, test: EVIL, ...rest, turns };
};

const body = (text: string) => ({ customerThreadId: "9001", text });
const query = { password: "hunter22" };
const url = "https://bot:hunter22@bot.example/hook?key=hunter22";
const attempts = [{ ...attempt(500), responseBody: EVIL, error: EVIL }];
const TOLD: Told = {
  messages: [message("1", EVIL)],
  requests: [request("r1", { query, status: 422, body: body(EVIL), response: { error: EVIL } })],
  deliveries: [delivery("d1", null, "1", { url, status: "failed", attempts })],
};

it("has no element in the file that a text brought, and loads nothing", () => {
  const html = htmlOf(sharedOf(TOLD));
  expect(html.match(/<script|<img|<link|<iframe|\son\w+=|\ssrc="|href="/g)).toBeNull();
  const tags = [...html.matchAll(/<([a-z0-9]+)/g)].map(([, name]) => name);
  const known = "html head meta title style body main h1 h2 p section div details summary pre".split(" ");
  expect(tags.filter((name) => !known.includes(name ?? ""))).toEqual([]);
  expect(html.split("&lt;script src=&quot;https://evil.example&quot;&gt;").length).toBeGreaterThan(8);
});

it("keeps every text of an issue in a block that no text can end", () => {
  const messages = [message("1", "````\n@everybody # <b>")];
  const text = markdownOf(sharedOf({ messages }, { title: "`````" }));
  let fence = "";
  const outside = text.split("\n").filter((line) => {
    const [, mark = ""] = /^(`{3,})/.exec(line) ?? [];
    if (fence === "" && mark !== "") fence = mark;
    else if (fence !== "" && line === fence) fence = "";
    else return fence === "";
    return false;
  });
  expect(fence).toBe("");
  expect(outside.filter((line) => line !== "")).toEqual(["### Turn 1", "### No reply", "### Test"]);
});

it("names each cause and masks what gives access", () => {
  for (const text of [htmlOf(sharedOf(TOLD)), markdownOf(sharedOf(TOLD))]) {
    expect(text).not.toContain("hunter22");
    expect(text).toContain("Call r1 (Send message) POST");
    expect(text).toContain("Webhook d1 (message, caused by the clock) to crm https://bot:••••22@bot.example");
    expect(text).toMatch(/1\. 2026-01-01T09:00:00\.000Z: 500 in 18 ms/);
  }
});

it("shares the newest turns up to a bound, and at least one", () => {
  expect(newestWithin(["aaa", "bb", "c"], 3)).toEqual({ kept: ["bb", "c"], left: 1 });
  expect(newestWithin(["aaa", "bb", "c"], 6)).toEqual({ kept: ["aaa", "bb", "c"], left: 0 });
  expect(newestWithin(["a", "bbbb"], 3)).toEqual({ kept: ["bbbb"], left: 1 });
  expect(newestWithin([], 3)).toEqual({ kept: [], left: 0 });
  const requests = [request("r1", { body: body("x".repeat(50_000)) })];
  const text = markdownOf(sharedOf({ requests }));
  expect(text.length).toBeLessThan(12_000);
  expect(text).toMatch(/… 40,\d{3} more characters/);
});
