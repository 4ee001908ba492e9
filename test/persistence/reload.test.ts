import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSimulator } from "../../src/server/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { newFolder } from "./support.js";

const world = (name: string) => ({ organizations: [{ id: "1", name }] });

it("a start that is reloaded while the folder is away is saved once it is back", async () => {
  const data = newFolder();
  const first = await startSimulator({ data, fixtures: world("First") });
  const nameIn = async ({ control }: typeof first) =>
    (await control("GET /state")).body.organizations[0].name;
  const status = async () => (await first.control("GET /health")).body.status;
  const [folder, away] = [join(data, "sandboxes"), join(data, "away")];
  renameSync(folder, away);
  writeFileSync(folder, "");
  expect(await first.reload({ fixtures: world("Second") })).toEqual(["fixtures"]);
  expect([await nameIn(first), await status()]).toEqual(["Second", "degraded"]);
  await expect(first.reload({ fixtures: world("Third") })).rejects.toMatchObject({
    scope: { reason: expect.stringMatching(/^changes cannot be saved in /) },
  });
  expect(await nameIn(first)).toBe("Second");

  renameSync(folder, join(data, "file"));
  renameSync(away, folder);
  await expect.poll(status).toBe("ok");
  await first.close();
  const second = await startSimulator({ data, fixtures: world("Fourth") });
  expect(await nameIn(second)).toBe("Second");
  await second.control("POST /reset");
  expect(await nameIn(second)).toBe("Second");
});

it("a reloaded start applies to sandboxes that started from the changed file", async () => {
  const data = newFolder();
  const [a, b] = ["A", "B"].map((name) => join(data, `${name}.json`)) as [string, string];
  for (const file of [a, b]) writeFileSync(file, JSON.stringify(world(file)));
  const first = await createSimulator({ data, fixtures: a }, [a]);
  await first.close();
  const second = await createSimulator({ data, fixtures: b }, [b]);
  const nameIn = () => [...second.registry.default.run.world.all("organizations")][0]?.name;
  const files = [a, b];
  await second.reload({ fixtures: world("B anew") }, { files, changed: new Set([b]) });
  expect(nameIn()).toBe(a);
  await second.reload({ fixtures: world("A anew") }, { files, changed: new Set([a]) });
  expect(nameIn()).toBe("A anew");
  await second.close();
});
