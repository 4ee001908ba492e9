import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { sendAnswer } from "../../src/kernel/http/answer.js";
import { lower } from "../support/bounds.js";
import { serverOf } from "../support/server.js";

describe("a JSON answer", () => {
  it("is the text by JSON.stringify, with its length", async () => {
    let body: unknown;
    const url = await serverOf((_, response) => sendAnswer(response, { body }, 200));
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (drawn) => {
        body = drawn;
        const answer = await fetch(url);
        const text = await answer.text();
        expect(text).toBe(JSON.stringify(drawn));
        expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
        expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
      }),
      { numRuns: 50 },
    );
  });

  it.each(["plain", "déjà vu, 日本"])("has a Latin-1 head, whatever its body: %s", async (body) => {
    const url = await serverOf((_, response) =>
      sendAnswer(response, { body, headers: ["X-Name", "Zoë"] }, 200),
    );
    const answer = await fetch(url);
    expect(answer.headers.get("x-name")).toBe("Zoë");
    expect(await answer.json()).toBe(body);
  });

  it("is given up when its client does not read it", async () => {
    lower(BOUNDS.answerUnreadMs, 50);
    let isClosed = false;
    const url = await serverOf((_, response) => {
      response.once("close", () => {
        isClosed = true;
      });
      sendAnswer(response, { body: { text: "x".repeat(32 * 1024 * 1024) } }, 200);
    });
    const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
    socket.pause().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect.poll(() => isClosed).toBe(true);
    socket.destroy();
  });
});
