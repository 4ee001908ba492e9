/** A thousand sandboxes in one folder. */
import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { newFolder } from "./support.js";

const COUNT = 1_000;

it("reopens a thousand sandboxes, each with its messages", async () => {
  const folder = newFolder();
  const first = await startSimulator({ data: folder });
  const ids = Array.from({ length: COUNT }, (_, index) => `s${index}`);
  const inTens = async (work: (id: string) => Promise<unknown>) => {
    for (let at = 0; at < COUNT; at += 10) await Promise.all(ids.slice(at, at + 10).map(work));
  };
  await inTens((id) => first.control("POST /sandboxes", { id }));
  await inTens((id) => first.control(`POST /sandboxes/${id}/threads/9001/inbound`, { text: `to ${id}` }));
  await first.close();
  const second = await startSimulator({ data: folder });
  expect(second.registry.size).toBe(COUNT + 1);
  for (const id of ids) {
    const { world } = second.registry.get(id)!.run;
    expect([...world.find("messagesByThread", "9001")].at(-1)?.text).toBe(`to ${id}`);
  }
});
