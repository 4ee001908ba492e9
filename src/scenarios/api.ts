/** The scenario's own calls to the simulated API. */
import { DEFAULT_SANDBOX, sandboxToken } from "../client/address.js";
import { maskedAddress } from "../kernel/masking.js";
import { reasonOf } from "../kernel/os-errors.js";
import type { Http, HttpAnswer, HttpCall } from "./http.js";
import { UnreadableAnswer } from "./http.js";
import type { ApiAnswer, ApiCall } from "./step.js";
import { StepFailure } from "./step.js";

/** Tells the journal that the scenario made the call, not the system under test. */
const MAKER_HEADER = { "x-sim-by": "scenario" };

/** Where calls go, and with what token. */
interface ApiAccess {
  readonly url: string;
  /** The token of calls that name none. */
  readonly token: string | undefined;
  /** Its tokens are named as in the fixture, or as they are in the sandbox. */
  readonly sandbox: string;
  readonly send: (call: HttpCall) => Promise<HttpAnswer>;
}

/** Sends calls so that the journal knows who made them. */
export const sendAsScenario =
  (http: Http): ApiAccess["send"] =>
  (call) =>
    http.send({ ...call, headers: { ...call.headers, ...MAKER_HEADER } });

const apiKeyIn = (sandbox: string, name: string): string =>
  name.startsWith(`${sandbox}.`) ? name : sandboxToken(sandbox, name);

/** @throws StepFailure when the call cannot be sent at all */
export async function callApi(
  { method, path, token, headers = {}, body }: ApiCall,
  access: ApiAccess,
): Promise<ApiAnswer> {
  const name = token === undefined ? access.token : token;
  const sent: Record<string, string> = { "content-type": "application/json" };
  if (name !== undefined && name !== null) sent.token = apiKeyIn(access.sandbox, name);
  else if (access.sandbox !== DEFAULT_SANDBOX) sent["x-sim-sandbox"] = access.sandbox;
  for (const [header, value] of Object.entries(headers)) {
    if (value === null) delete sent[header.toLowerCase()];
    else sent[header.toLowerCase()] = value;
  }
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  try {
    const answer = await access.send({ method, url: access.url + path, headers: sent, body: text });
    return { status: answer.status, headers: answer.headers, body: parsedBody(answer.text) };
  } catch (error) {
    if (error instanceof UnreadableAnswer) throw new StepFailure(`${method} ${path}: ${error.message}`);
    // Only a connection that was made can be closed without an answer.
    const { code = "", syscall } = error as NodeJS.ErrnoException;
    if (code.startsWith("ERR_") || syscall === "connect" || syscall === "getaddrinfo")
      throw new StepFailure(
        `${method} ${maskedAddress(access.url + path)} cannot be sent: ${reasonOf(error)}`,
      );
    return { status: null, headers: {}, body: undefined };
  }
}

/** A body as JSON where it is some, else as text. */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
