/** What faults change of the requests that carry deliveries: payloads, and copies sent before them. */
import { describe, expect, it } from "vitest";
import type { FaultInput } from "../../src/sandbox/faults.js";
import { NOON, startWithReceiver } from "./support.js";

const RETRY = { "delivery.attempts": 2, "delivery.backoff": ["1m"] };
const FORGED = { copy: true, payload: { data: { messageId: 666 } } };

/** A delivery under the fault, to a receiver that answers copies with 401 and what else comes with these statuses. */
async function deliver(then: FaultInput["then"], statuses: number[] = [], behaviour = {}) {
  const harness = await startWithReceiver({
    respond: (response, { number }) => {
      const status = number === 666 ? 401 : (statuses.shift() ?? 200);
      response.writeHead(status).end(`answer ${status}`);
    },
    fault: { times: 1, then },
    behaviour,
  });
  await harness.deliver(1);
  return harness;
}

describe("a payload that a fault changes", () => {
  it("is sent changed, and logged unchanged", async () => {
    const then = { payload: { data: { messageBody: null, extra: [1, { a: null }] }, version: "9" } };
    const { seen, log } = await deliver(then);
    const { data, ...rest } = log()[0]!.body as { data: Record<string, unknown> };
    const { messageBody: _, ...others } = data;
    expect(JSON.parse(seen[0]!.text)).toEqual({
      ...rest,
      version: "9",
      data: { ...others, extra: [1, { a: null }] },
    });
    expect(data).toHaveProperty("messageBody");
    expect(seen[0]?.headers["content-length"]).toBe(String(Buffer.byteLength(seen[0]!.text)));
    expect(log()[0]?.attempts).toMatchObject([{ status: 200, fault: "f1" }]);
  });

  it("is changed for one attempt only", async () => {
    const { numbers, log, sandbox } = await deliver({ payload: { data: { messageId: 7 } } }, [500], RETRY);
    await sandbox.run.clock.advance(60_000);
    expect(numbers()).toEqual([7, 1]);
    expect(log()[0]?.attempts.map(({ fault }) => fault)).toEqual(["f1", undefined]);
  });

  it("may have fields named like properties of every object", async () => {
    const payload = JSON.parse('{ "__proto__": { "polluted": true }, "constructor": 1 }');
    const { seen } = await deliver({ payload });
    expect(Object.keys(JSON.parse(seen[0]!.text))).toEqual(
      expect.arrayContaining(["__proto__", "constructor"]),
    );
    expect({}).not.toHaveProperty("polluted");
  });
});

describe("a copy", () => {
  it("is sent first, and its answer decides nothing", async () => {
    const { numbers, log } = await deliver(FORGED);
    expect(numbers()).toEqual([666, 1]);
    expect(log()[0]).toMatchObject({
      status: "delivered",
      attempts: [
        { at: NOON, status: 401, error: null, responseBody: "answer 401", fault: "f1", copy: true },
        { at: NOON, status: 200, fault: "f1" },
      ],
    });
    expect(log()[0]?.attempts[1]).not.toHaveProperty("copy");
  });

  it("does not make a failed delivery succeed, and is sent with one attempt only", async () => {
    const { numbers, log, sandbox } = await deliver({ copy: true }, [200, 500, 200], RETRY);
    expect(log()[0]).toMatchObject({ status: "pending", attempts: [{ copy: true }, { status: 500 }] });
    await sandbox.run.clock.advance(60_000);
    expect(log()[0]?.status).toBe("delivered");
    expect(numbers()).toEqual([1, 1, 1]);
  });

  it("is answered before the delivery is sent, and delays it no longer if its connection breaks", async () => {
    const order: string[] = [];
    const { deliver, log } = await startWithReceiver({
      respond: (response, { number }) => {
        order.push(`gets ${number}`);
        setImmediate(() => {
          order.push(`answers ${number}`);
          if (number === 666) response.destroy();
          else response.end();
        });
      },
      fault: { then: FORGED },
    });
    await deliver(1);
    expect(order).toEqual(["gets 666", "answers 666", "gets 1", "answers 1"]);
    expect(log()).toMatchObject([
      { status: "delivered", attempts: [{ status: null, copy: true }, { status: 200 }] },
    ]);
  });

  it("has the changes; other effects apply to the delivery", async () => {
    const { seen, log } = await deliver({ ...FORGED, headers: { "x-a": "1" } });
    expect(seen.map(({ number, headers }) => [number, headers["x-a"]])).toEqual([
      [666, undefined],
      [1, "1"],
    ]);
    expect(log()[0]?.headers["x-a"]).toBe("1");
  });

  it("may be sent alone", async () => {
    const { numbers, log } = await deliver({ ...FORGED, drop: "before" });
    expect(numbers()).toEqual([666]);
    expect(log()[0]).toMatchObject({
      status: "dropped",
      reason: "never sent: fault f1",
      attempts: [{ status: 401, copy: true }],
    });
  });
});
