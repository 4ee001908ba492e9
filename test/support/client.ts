import { SimClient, type SimClientOptions } from "../../src/client/index.js";
import type { SimulatorOptions } from "../../src/server/simulator.js";
import { startSimulator } from "./simulator.js";

/** A simulator with a client and a sandbox; all of it ends with the test. */
export async function startClients(
  options: SimulatorOptions = {},
  clientOptions: Partial<SimClientOptions> = {},
) {
  const sim = await startSimulator(options);
  const client = new SimClient({ url: sim.url, ...clientOptions });
  const sandbox = await client.sandbox();
  /** What the system under test would do: sends a visible text with the sandbox's token. */
  const bot = async (text: string, fields: Record<string, unknown> = {}) => {
    const body = { customerThreadId: "9001", ...(text === "" ? {} : { text }), ...fields };
    await sim.api("POST /api/send-message-to-customer-thread", body, { token: sandbox.token("acme-token") });
  };
  return { sim, client, sandbox, bot };
}

/** The error that a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error("was not rejected");
}
