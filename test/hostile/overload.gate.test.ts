/** What is asked beyond the bounds is refused at once, the rest goes on, and afterwards everything is as before. */
import { expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { lower } from "../support/bounds.js";
import { connection, request } from "./raw.js";
import { LONG_POLL, startTarget, type Target } from "./target.js";

const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=9001";

async function expectOthersAnswered({ control }: Target) {
  for (const call of ["GET /health", "GET /metrics", "GET /state"])
    expect([call, (await control(call)).status]).toEqual([call, 200]);
  expect((await control("PATCH /behaviour", { "window.duration": "24h" })).status).toBe(200);
}

/** Opens a connection and begins to say something. */
async function saying(url: string, text: string) {
  const opened = await connection(url);
  opened.socket.write(text);
  return opened;
}

it("more connections than the bound are closed at once, while the first go on", async () => {
  lower(BOUNDS.connections, 5);
  const target = await startTarget();
  const answerOf = async ({ socket, text }: Awaited<ReturnType<typeof connection>>) => {
    if (!socket.destroyed) socket.write(request(DETAILS));
    await expect.poll(() => socket.destroyed || text() !== "", LONG_POLL).toBe(true);
    return text().slice(0, 15);
  };
  const first = await Promise.all(Array.from({ length: 5 }, () => connection(target.url)));
  for (const each of first) expect(await answerOf(each)).toBe("HTTP/1.1 200 OK");
  const late = await connection(target.url);
  expect(await answerOf(late)).toBe("");
  for (const each of first) expect(await answerOf(each)).toBe("HTTP/1.1 200 OK");

  for (const { socket } of first) socket.destroy();
  const again = async () => answerOf(await connection(target.url));
  await expect.poll(again, LONG_POLL).toBe("HTTP/1.1 200 OK");
});

it("more scenarios than the bound get 503 at once while others are answered, until one is over", async () => {
  lower(BOUNDS.scenarioRuns, 2);
  const target = await startTarget();
  const { control, url } = target;
  await control("POST /sandboxes", { id: "s1" });
  const running = () => [...target.registry.all()].filter(({ scenarios }) => !scenarios.idle).length;
  const hanging = { scenario: { name: "x", steps: [{ delivered: "message", within: "60s" }] } };
  const run = (prefix: string) =>
    saying(url, request(`POST /__sim${prefix}/scenarios/run`, {}, JSON.stringify(hanging)));
  const first = await run("");
  await run("/sandboxes/s1");
  await expect.poll(running, LONG_POLL).toBe(2);
  const quick = { scenario: { name: "x", steps: [{ log: "x" }] } };
  const refused = await control("POST /scenarios/run", quick);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  const message = "2 scenarios are running: try again in a second";
  expect(refused.body.error).toMatchObject({ code: "overloaded", message });
  await expectOthersAnswered(target);

  first.socket.destroy();
  await expect.poll(running, LONG_POLL).toBe(1);
  expect((await control("POST /scenarios/run", quick)).body.ok).toBe(true);
  await control("DELETE /sandboxes/s1");
  await expect.poll(running, LONG_POLL).toBe(0);
  const broken = await control("POST /scenarios/run", { scenario: { steps: [{ dance: 1 }] } });
  expect([broken.status, running()]).toEqual([400, 0]);
});
