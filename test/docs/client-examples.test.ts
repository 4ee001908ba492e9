/** The examples of the client reference run, each in a sandbox of its own, and there is one for each method. */
import { json } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { CLIENT_EXAMPLES } from "../../scripts/docs/client-examples.js";
import { methodsOf } from "../../scripts/docs/library.js";
import { SimClient } from "../../src/client/index.js";
import { newFolder } from "../persistence/support.js";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";

type Example = (given: object, print: Pick<Console, "log">) => Promise<void>;
const exampleOf = (code: string): Example =>
  new Function("{ client, sandbox, bot }", "console", `return (async () => {\n${code}\n})();`) as Example;

describe.each(Object.entries(CLIENT_EXAMPLES))("%s", (name, examples) => {
  it("has an example of each method", () => {
    expect(Object.keys(examples)).toEqual(methodsOf(name));
  });

  it.each(Object.entries(examples))("the example of %s runs", async (method, code) => {
    const sim = await startSimulator(method === "checkpoint" ? { data: newFolder() } : {});
    const client = new SimClient(sim.url);
    const sandbox = await client.sandbox();
    const url = await serverOf(async (request, response) => {
      const { data } = (await json(request)) as {
        data?: { fromCustomer: boolean; customerThreadId: number };
      };
      response.end();
      if (data?.fromCustomer !== true) return;
      await fetch(`${sim.url}/api/send-message-to-customer-thread`, {
        method: "POST",
        headers: { token: sandbox.token("acme-token"), "content-type": "application/json" },
        body: JSON.stringify({ customerThreadId: String(data.customerThreadId), text: "Hello" }),
        // Some examples end before the answer.
      }).catch(() => {});
    });
    await sandbox.connect(url);
    expect(code).toContain(name === "SimClient" ? `client.${method}(` : method);
    await exampleOf(code)({ client, sandbox, bot: { url } }, { log: () => {} });
  });
});
