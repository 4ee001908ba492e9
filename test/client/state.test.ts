import { describe, expect, it } from "vitest";
import { rejection, startClients } from "../support/client.js";

describe("the state of a sandbox", () => {
  it("has collections that can be listed, paged and searched", async () => {
    const { sandbox } = await startClients();
    const threads = sandbox.data("threads");
    const all = await threads.list();
    const waiting = await threads.list({ status: "waiting" });
    expect(waiting).toEqual(all.filter(({ status }) => status === "waiting"));
    const page = await threads.page(2, { perPage: 2, _sort: "id" });
    expect(page).toMatchObject({ prev: 1, items: all.length });
    expect(page.data).toEqual([...all].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(2, 4));
    expect(await threads.find({ id: "9001" })).toEqual(await threads.get("9001"));
    expect(await threads.find({ id: "1" })).toBeUndefined();
    expect(await rejection(threads.get("1"))).toMatchObject({ status: 404 });
  });

  it("loses a deleted record and the named dependents, but no record that others refer to", async () => {
    const { sandbox } = await startClients();
    const customers = sandbox.data("customers");
    expect(await rejection(customers.delete("cust_001"))).toMatchObject({ status: 409 });
    await customers.delete("cust_001", { dependents: ["threads", "messages"] });
    expect(await customers.find({ id: "cust_001" })).toBeUndefined();
  });
});
