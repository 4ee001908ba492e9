/** Each row of the conformance page has a test, which runs here; each test has a row. */
import { describe, expect, it } from "vitest";
import { OPERATION_IDS } from "../../src/service/behaviour/entry.js";
import { BEHAVIOUR_KEYS, isBehaviourKey } from "../../src/service/behaviour/table.js";
import { type Caller, openSandbox } from "../support/simulator.js";
import { PROOFS } from "./proofs/index.js";
import { type Proof, rowsOf } from "./row.js";
import { CHAPTERS } from "./rows/index.js";

const PAYLOADS = ["message event", "transfer event", "legacy delivery"];
const SUBJECTS: readonly string[] = [...OPERATION_IDS, ...BEHAVIOUR_KEYS, ...PAYLOADS];

const proofs: Readonly<Record<string, Proof | string>> = Object.assign({}, ...Object.values(PROOFS));
/** The proof of a row, which may be that of another one. */
function proofOf(id: string): Proof | undefined {
  const proof = proofs[id];
  return typeof proof === "string" ? proofOf(proof) : proof;
}

/** Rows about what the specification leaves open. */
const isOpen = (says: string) => /not (shown|said|stated)/.test(says);

/** Shows that what is open is decided by entries that could be otherwise. */
async function expectUndecided({ control }: Caller, about: readonly string[]): Promise<void> {
  const { body: table } = await control("GET /behaviour");
  for (const { key, source, alternatives } of table) {
    if (!about.includes(key)) continue;
    expect([key, source]).not.toEqual([key, "documented"]);
    expect(alternatives).not.toEqual([]);
  }
}

/** What is not shown and has no entry: `scripts/docs/settled.ts` says why. */
const SETTLED_ROWS = [
  "profile.openTypes",
  "thread.otherFields",
  "thread.channelValues",
  "webhook.sameHeaders",
  "calls.otherMethods",
  "send.internalOptional",
  "send.internalTemplate",
  "auth.profiles",
  "gaps.attachments",
  "gaps.channels",
  "limits.encoding",
  "version.scheme",
];

const ROWS = Object.values(CHAPTERS).flatMap(rowsOf);

describe.each(Object.keys(CHAPTERS) as (keyof typeof CHAPTERS)[])("the chapter %s", (name) => {
  const rows = rowsOf(CHAPTERS[name]);

  it("has a proof for each row, but for those that entries alone decide, and a row for each proof", () => {
    const unproven = rows.filter(([id]) => proofOf(id) === undefined);
    expect(unproven.filter(([, [says, key = ""]]) => !isOpen(says) || !isBehaviourKey(key))).toEqual([]);
    expect(Object.keys(PROOFS[name]).filter((id) => !rows.some(([known]) => known === id))).toEqual([]);
  });

  it("is about operations, events and entries that there are", () => {
    for (const [id, [says, ...about]] of rows) {
      expect([id, says.trim()]).not.toContain("");
      expect([id, about.filter((subject) => !SUBJECTS.includes(subject))]).toEqual([id, []]);
    }
  });

  it.each(rows)("%s", async (id, [says, ...about]) => {
    expect.hasAssertions();
    const s = await openSandbox();
    if (isOpen(says)) await expectUndecided(s, about);
    await proofOf(id)?.(s);
  });
});

it("names every entry of the behaviour table", () => {
  const named = new Set(ROWS.flatMap(([, [, ...about]]) => about));
  expect(BEHAVIOUR_KEYS.filter((key) => !named.has(key))).toEqual([]);
});

it("names an entry wherever something is not shown, but where that is settled without one", () => {
  const open = ROWS.filter(([, [says]]) => isOpen(says));
  const unnamed = open.filter(([, [, ...about]]) => !about.some(isBehaviourKey));
  expect(unnamed.map(([id]) => id)).toEqual(SETTLED_ROWS);
});

it("has each id once", () => {
  expect(new Set(ROWS.map(([id]) => id)).size).toBe(ROWS.length);
});
