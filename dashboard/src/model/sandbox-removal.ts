import { omitUndefined } from "../../../src/kernel/objects.js";
import { armInstead, bringBack, readSettings } from "./moment";
import type { Session } from "./session";
import type { ClockReading, SandboxInfo, Start } from "./types";

/** Deletes the sandbox that is shown. Undo makes it anew, from what it began with, and puts it where it stood. */
export async function removeSandbox({ server, transport, sandbox, undos }: Session): Promise<void> {
  const path = `/sandboxes/${encodeURIComponent(sandbox)}`;
  const [info, start, state, settings] = await Promise.all([
    server.call<SandboxInfo>("GET", path),
    transport.call<Start>("GET", "/start"),
    transport.call<object>("GET", "/state"),
    readSettings(transport),
  ]);
  await server.call("DELETE", path);
  const undo = async () => {
    const { fixtures, standard, behaviour, seed, clock } = start;
    const body = omitUndefined({
      id: sandbox,
      fixtures: standard ? undefined : fixtures,
      behaviour,
      seed,
      clock: clock ?? undefined,
      ids: info.ids,
    });
    await server.call("POST", "/sandboxes", { body });
    await transport.call("PUT", "/state", { body: state });
    const reading: ClockReading = { now: info.now, frozen: info.frozen };
    await transport.call("PUT", "/clock", { body: reading });
    await armInstead(transport, settings.faults);
    await bringBack(transport, settings);
  };
  const lost = "Undo does not restore its snapshots, logs, sinks and pending deliveries";
  undos.add({ sandbox, text: `Sandbox ${sandbox} deleted`, lost, undo });
}
