/** How mended.js calls the API. */
import { setTimeout as sleep } from "node:timers/promises";

const TRIES = 5;
const PAUSE_MS = 20;
// It was 500 ms, which a busy service does not keep to: what came later was given up, although it had its effect.
const TIMEOUT_MS = 10_000;

/** Makes the function by which a bot calls the API. */
export function createCaller(api, token) {
  /** One request; status 0 where no answer came. */
  async function request(path, body) {
    try {
      const response = await fetch(api + path, {
        // The header stood on POSTs only; the specification says: on every request.
        headers: { token, "Content-Type": "application/json" },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const retryAfterMs = 1000 * (Number(response.headers.get("retry-after")) || 0);
      return { status: response.status, retryAfterMs, text: await response.text() };
    } catch {
      return { status: 0, retryAfterMs: 0, text: "" };
    }
  }

  /**
   * Calls the API until it works. It was called once only: but services restart (503), bound how many calls
   * there may be (429), and connections break. A POST without an answer may have worked, so `hasWorked` looks
   * before it is sent again.
   */
  async function call(path, body, hasWorked = async () => false) {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { status, retryAfterMs, text } = await request(path, body);
      // The answer to a POST was read, but nobody has promised that body: not an object, nor JSON at all.
      if (status >= 200 && status < 300 && body !== undefined) return { status };
      const answer = status === 200 ? parsed(text) : undefined;
      if (answer !== undefined) return { status, answer };
      if (status >= 400 && status < 500 && status !== 429) return { status };
      const isRefused = status === 429 || status === 503;
      if (body !== undefined && !isRefused && (await hasWorked())) return { status: 200 };
      await sleep(Math.max(PAUSE_MS * 2 ** tries, retryAfterMs));
    }
    throw new Error(`${path} did not work in ${TRIES} tries`);
  }

  return call;
}

/** The object that a JSON text is; undefined where it is none. */
export function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
