/** What no step may ask for: answers that do not end, and runs within a run, whose steps nobody would count. */

const OWN_API = /^\/+__sim(?=\/)/;
const OF_SANDBOX = /^\/+sandboxes\/+[^/]*(?=\/)/;

/** Why a step must not call a path of the control API; undefined for all others. */
export function whyRefused(path: string): string | undefined {
  const [route = ""] = path.replace(OF_SANDBOX, "").split(/[?#]/, 1);
  const name = route.replace(/^\/+|\/+$/g, "");
  if (name === "stream") return "cannot be /stream: its answer does not end";
  if (name === "scenarios/run") return "cannot be /scenarios/run: a scenario cannot run another";
  return undefined;
}

/** The same for a path of the simulated API, which may lead to the control API. */
export function whyRefusedBelowRoot(path: string): string | undefined {
  return OWN_API.test(path) ? whyRefused(path.replace(OWN_API, "")) : undefined;
}
