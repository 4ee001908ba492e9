import { expect, it } from "vitest";
import { request, talk } from "./raw.js";
import { startTarget } from "./target.js";

it.each(["__proto__", "constructor", "hasOwnProperty"])(
  "%s names sandboxes, sinks and snapshots like other names",
  async (name) => {
    const { api, control, expectUnchanged } = await startTarget();
    await expectUnchanged(async () => {
      for (const [call, status, body] of [
        [`GET /sandboxes/${name}`, 404],
        [`PUT /sandboxes/${name}`, 201, {}],
        [`GET /sandboxes/${name}/state`, 200],
        ["POST /snapshots", 201, { name }],
        [`POST /snapshots/${name}/restore`, 200],
        [`POST /sinks/${name}`, 200, { x: 1 }],
      ] as const)
        expect([call, (await control(call, body)).status]).toEqual([call, status]);
      expect((await control(`GET /sinks/${name}/received`)).body).toHaveLength(1);
      const answer = await api("GET /api/webhooks", undefined, { token: `${name}.acme-token` });
      expect(answer.status).toBe(200);
      expect((await control(`DELETE /sandboxes/${name}`)).status).toBe(200);
    });
  },
);

it.each(["Content-Length", "transfer-encoding", "Connection", "TRAILER"])(
  "answers set by hand cannot carry %s, which frames them",
  async (name) => {
    const { control } = await startTarget();
    for (const on of ["request", "delivery"]) {
      const { status } = await control("POST /faults", { on, then: { headers: { [name]: "7" } } });
      expect(status).toBe(400);
    }
  },
);

it.each(["Content-Type", "Date", "X-Sim-Request", "Expect", "Host", "__proto__"])(
  "answers set by hand may carry %s",
  async (name) => {
    const { control, url } = await startTarget();
    const then = { headers: Object.fromEntries([[name, "7\t\u00ff"]]) };
    for (const on of ["request", "delivery"])
      expect((await control("POST /faults", { on, then })).status).toBe(201);
    const { answers } = await talk(url, [request("GET /api/webhooks")]);
    expect(answers[0]).toMatchObject({ status: 200, head: expect.stringContaining(`${name}: 7`) });
    await control("POST /threads/9001/inbound", { text: "hello" });
    await control("POST /wait", { for: "idle" });
    expect((await control("GET /deliveries")).body[0].status).toBe("delivered");
  },
);
