import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/simulator.js";

describe("many mistakes in one call", () => {
  it("give a hundred warnings and a count", async () => {
    const { api, control } = await openSandbox();
    const fields = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`field${index}`, index]));
    const body = { customerThreadId: "9001", text: "Hello", ...fields };
    expect((await api("POST /api/send-message-to-customer-thread", body)).status).toBe(200);
    const [entry] = (await control("GET /requests")).body;
    expect(entry.warnings).toHaveLength(101);
    expect(entry.warnings[0].message).toBe("@.field0 is not a field of this request");
    expect(entry.warnings.at(-1)).toMatchObject({ code: "more-warnings", message: "and 39900 more" });
  });

  it("give a hundred problems and a count", async () => {
    const { api, control } = await openSandbox();
    const subscribedEvents = Array.from({ length: 100_000 }, (_, index) => `e${index}`);
    const answer = await api("POST /api/webhooks/", { url: "https://bot.example", subscribedEvents });
    expect(answer.status).toBe(400);
    expect(answer.body.body).toHaveLength(101);
    expect(answer.body.body.at(-1)).toEqual({ message: "and 99900 more", property: "@" });
    expect((await control("GET /state")).body.webhooks).toHaveLength(1);
  });
});
