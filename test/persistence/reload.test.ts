import { renameSync, rmSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { newFolder } from "./support.js";

const world = (name: string) => ({ organizations: [{ id: "1", name }] });

it("a start that is reloaded while the folder is away is saved once it is back", async () => {
  const data = newFolder();
  const first = await startSimulator({ data, fixtures: world("First") });
  const nameIn = async ({ control }: typeof first) =>
    (await control("GET /state")).body.organizations[0].name;
  const ready = async () => (await first.control("GET /ready")).status;
  const failure = async () => (await first.control("GET /health")).body.store.failure;
  const away = `${data}.away`;
  renameSync(data, away);
  writeFileSync(data, "");
  expect(await first.reload({ fixtures: world("Second") })).toEqual(["fixtures"]);
  expect(await nameIn(first)).toBe("Second");
  await expect.poll(failure).not.toBeNull();
  expect(await ready()).toBe(503);
  await expect(first.reload({ fixtures: world("Third") })).rejects.toMatchObject({
    scope: { reason: expect.stringMatching(/^changes cannot be saved in /) },
  });
  expect(await nameIn(first)).toBe("Second");

  rmSync(data);
  renameSync(away, data);
  await expect.poll(ready).toBe(200);
  await first.close();
  const second = await startSimulator({ data, fixtures: world("Fourth") });
  expect(await nameIn(second)).toBe("Second");
  // It began with the server's start, and goes back to that as it is now.
  await second.control("POST /reset");
  expect(await nameIn(second)).toBe("Fourth");
});
