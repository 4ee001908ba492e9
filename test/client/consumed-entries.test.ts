/** What a wait for entries leaves out. The test writes the server's log itself. */
import { expect, it } from "vitest";
import { ConsumedEntries } from "../../src/client/consumed-entries.js";
import { Transport } from "../../src/client/transport.js";

it("names no more than a thousand entries that it leaves out, and asks for none before them", async () => {
  const log = Array.from({ length: 1_005 }, (_, index) => ({ id: `r${index + 1}` }));
  const waits: { since?: string; except: string[] }[] = [];
  const transport = new Transport("/__sim", {
    fetch: async (_url, { body }) => {
      const { since = "r0", except } = JSON.parse(body ?? "").for;
      waits.push({ since, except });
      const matches = log.slice(Number(since.slice(1))).filter(({ id }) => !except.includes(id));
      return Response.json({ matches, nearMisses: [] });
    },
  });
  const consumed = new ConsumedEntries(transport);
  const take = async () => (await consumed.take("requests", {}, { timeoutMs: 1_000 })).entry?.id;
  for (let taken = 0; taken < 1_002; taken += 1) await take();
  expect(await take()).toBe("r1003");
  expect(waits.at(-1)?.since).toBe("r2");
  expect(waits.at(-1)?.except).toHaveLength(1_000);
});
