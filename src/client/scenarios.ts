import { segment } from "./address.js";
import type { ConsumedEntries } from "./consumed-entries.js";
import type { Transport } from "./transport.js";
import type { ScenarioReport, ScenarioRun } from "./types.js";

/** The scenarios that one sandbox can run. */
export class Scenarios {
  readonly #transport: Transport;
  readonly #consumed: ConsumedEntries;

  constructor(transport: Transport, consumed: ConsumedEntries) {
    this.#transport = transport;
    this.#consumed = consumed;
  }

  /**
   * Runs a scenario, one that the server knows by name or the scenario itself, in this sandbox as it stands. One with
   * `fixtures`, `clock`, `seed` or `behaviour` resets it to them first.
   *
   * @example
   * const report = await sandbox.run({ name: "Greets", thread: "9001", steps: [{ customer: "Hello" }, { reply: "Hi!" }] });
   * expect(report.ok).toBe(true);
   */
  async run(scenario: string | object): Promise<ScenarioReport> {
    const body = typeof scenario === "string" ? { name: scenario } : { scenario };
    const report = await this.#transport.call<ScenarioReport>("POST", "/scenarios/run", { body });
    this.#consumed.restart();
    return report;
  }

  /** The scenario that ran last since the reset, and its report; null where none has. */
  lastScenarioRun(): Promise<ScenarioRun | null> {
    return this.#transport.call("GET", "/scenarios/last");
  }

  /** The scenarios that `run` knows by name. */
  scenarios(): Promise<{ readonly name: string; readonly file: string }[]> {
    return this.#transport.call("GET", "/scenarios");
  }

  /** The file of one of them. @throws SimError 404 when there is none with this name */
  async scenarioText(name: string): Promise<string> {
    const path = `/scenarios/files/${segment(name)}`;
    return (await this.#transport.call<{ text: string }>("GET", path)).text;
  }
}
