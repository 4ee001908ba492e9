import type { Session } from "./session";

/** Deletes the sandbox of the newest run that had one of its own. */
export async function forgetRun({ runs, server, sandboxes }: Session): Promise<void> {
  const { kept } = runs;
  if (kept === null) return;
  runs.kept = null;
  await server.call("DELETE", `/sandboxes/${encodeURIComponent(kept)}`).catch(() => {});
  sandboxes.value = sandboxes.peek().filter((one) => one !== kept);
}
