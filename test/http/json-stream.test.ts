import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Parts, sendAnswer, streamJson } from "../../src/kernel/http/answer.js";
import { serverOf } from "../support/server.js";

const streaming = (value: () => unknown): Promise<string> =>
  serverOf((_, response) => sendAnswer(response, { streamed: value() }, 200));

const turned = () => new Promise((resolve) => setImmediate(resolve));

function* endless() {
  for (;;) yield { text: "x".repeat(1_000) };
}

describe("a body that is sent in chunks", () => {
  it("is the same as by JSON.stringify", async () => {
    let value: unknown;
    const url = await streaming(() => value);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (drawn) => {
        value = drawn;
        const answer = await fetch(url);
        const text = await answer.text();
        expect(text).toBe(JSON.stringify(drawn));
        expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
        expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
      }),
      { numRuns: 50 },
    );
  });

  it("treats any iterable as a list, at the top and in fields", async () => {
    const value = { threads: new Set(["é", 2]), page: 1, gone: undefined };
    const url = await streaming(() => ({ ...value, none: [].values() }));
    expect(await (await fetch(url)).json()).toEqual({ threads: ["é", 2], none: [], page: 1, gone: null });
  });

  it("sends items of parts field by field", async () => {
    const first = new Parts({ tags: ["a"], many: new Set([{ n: 1 }, { n: 2 }]), owner: { id: "é" } });
    const url = await streaming(() => ({ data: [first, new Parts({}), { id: "2" }], pages: 1 }));
    expect(await (await fetch(url)).text()).toBe(
      '{"data":[{"tags":["a"],"many":[{"n":1},{"n":2}],"owner":{"id":"é"}},{},{"id":"2"}],"pages":1}',
    );
  });

  it("lets others run within one item of parts", async () => {
    const turnsAtItem = new Set<number>();
    let [turns, isOver] = [0, false];
    function* many() {
      for (let item = 0; item < 20_000; item += 1) {
        turnsAtItem.add(turns);
        yield { text: "x".repeat(1_000) };
      }
    }
    const url = await streaming(() => [new Parts({ many: many() })]);
    const read = fetch(url)
      .then((answer) => answer.arrayBuffer())
      .finally(() => (isOver = true));
    for (; !isOver; turns += 1) await turned();
    await read;
    expect(turnsAtItem.size).toBeGreaterThan(3);
  });

  it("closes the connection of a client that does not read", async () => {
    let isOver = false;
    const url = await serverOf((_, response) => {
      streamJson(response, 200, endless(), { unreadMs: 5 }).finally(() => (isOver = true));
    });
    const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
    socket.pause().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect.poll(() => isOver).toBe(true);
    socket.destroy();
  });

  it("is generated as fast as it is read", async () => {
    let made = 0;
    function* many() {
      for (; made < 200_000; made += 1) yield { id: String(made), text: "x".repeat(100) };
    }
    const url = await streaming(many);
    const answer = await new Promise<IncomingMessage>((resolve) => void request(url, resolve).end());
    answer.pause();
    let before = -1;
    // Nothing more is generated once the buffers between the two are full.
    while (made !== before) {
      before = made;
      for (let turn = 0; turn < 50; turn += 1) await turned();
    }
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(200_000);
    let text = "";
    for await (const chunk of answer.setEncoding("utf8")) text += chunk;
    const list = JSON.parse(text);
    expect([list.length, list.at(-1).id]).toEqual([200_000, "199999"]);
    expect(answer.headers["content-length"]).toBeUndefined();
  });

  it("stops when the client is gone", async () => {
    let ended = false;
    function* value() {
      try {
        yield* endless();
      } finally {
        ended = true;
      }
    }
    const url = await streaming(value);
    const call = request(url, (answer) => answer.once("data", () => call.destroy()));
    call.on("error", () => {}).end();
    await expect.poll(() => ended).toBe(true);
  });
});
