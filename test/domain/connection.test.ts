import { describe, expect, it } from "vitest";
import { connect } from "../../src/service/domain/webhooks.js";
import { user, webhook, worldWith } from "./records.js";
import { run } from "./run.js";

const URL = "http://127.0.0.1:3000/hook";
const keyOf = (token: string) => `key of ${token}`;
const point = (given: Parameters<typeof worldWith>[0], header?: string) =>
  run(connect, { url: URL, header, keyOf }, { world: worldWith(given) });

describe("connecting", () => {
  const own = webhook({ id: "1", extraHeaders: [{ name: "A", value: "b" }] });
  const there = webhook({ id: "2", organizationId: "2", url: URL });

  it("points every webhook at the address, and leaves those that already are unchanged", () => {
    expect(point({ webhooks: [own, there] })).toStrictEqual({
      result: [
        { webhook: { ...own, url: URL }, previousUrl: own.url, token: null, changed: true },
        { webhook: there, previousUrl: URL, token: null, changed: false },
      ],
      changes: { "webhooks 1": { url: URL } },
    });
  });

  it("gives each organization a webhook for all events if there are none", () => {
    const made = (id: string) => webhook({ id: `hook-${id}`, organizationId: id, url: URL });
    expect(point({ webhooks: [] })).toStrictEqual({
      result: ["1", "2"].map((id) => ({ webhook: made(id), previousUrl: null, token: null, changed: true })),
      changes: { "webhooks hook-1": made("1"), "webhooks hook-2": made("2") },
    });
  });

  it("sends the first token of its organization in the header, replacing one of that name", () => {
    const users = [user({ id: "51" }), user({ id: "61", organizationId: "3" })];
    const tokens = ["t1 51", "t2 51", "t3 99", "t4 61"].map((each) => {
      const [id = "", userId = ""] = each.split(" ");
      return { id, userId, permissions: [] };
    });
    const replaced = webhook({ id: "3", url: URL, extraHeaders: [{ name: "x-key", value: "old" }] });
    const key = { name: "X-Key", value: "key of t1" };
    const { result, changes } = point({ users, tokens, webhooks: [own, there, replaced] }, "X-Key");
    expect(
      result?.map(({ webhook, token, changed }) => [webhook.extraHeaders, token, changed]),
    ).toStrictEqual([
      [[...own.extraHeaders, key], "t1", true],
      [[], null, false],
      [[key], "t1", true],
    ]);
    expect(changes).toStrictEqual({
      "webhooks 1": { url: URL, extraHeaders: [...own.extraHeaders, key] },
      "webhooks 3": { extraHeaders: [key] },
    });
  });
});
