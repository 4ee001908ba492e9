/** What makes a recording a test: what the system under test did becomes what it is expected to do. */
import type { ControlRecord, RequestRecord, Template } from "../client/types.js";
import { isObject, valueAt } from "../kernel/json.js";
import type { Draft } from "./draft.js";
import { stable, UNSTABLE } from "./expected.js";
import type { References } from "./references.js";
import type { SessionLog } from "./session-log.js";

/** The session without receiver addresses and the faults on deliveries to them: the test run sets these. */
export function withoutReceivers(session: SessionLog): SessionLog {
  const { start, controls, requests, deliveries } = session;
  const faults = controls
    .filter(armsDeliveries)
    .map(({ response }) => `/faults/${valueAt(response, ["id"])}`);
  return {
    ...session,
    start: { ...start, faults: start.faults.filter((rule) => valueAt(rule, ["on"]) !== "delivery") },
    controls: controls
      .filter((each) => !armsDeliveries(each) && !faults.includes(each.path))
      .flatMap(unaddressed),
    requests: requests.filter(({ by, path }) => by !== "client" || !ABOUT_WEBHOOKS.test(path)),
    deliveries: deliveries.filter(({ url, status }) => status === "delivered" && !url.startsWith("sink:")),
  };
}

const ABOUT_WEBHOOKS = /hook|\/graphql$/;

const armsDeliveries = ({ method, path, body }: ControlRecord): boolean =>
  method === "POST" && path === "/faults" && valueAt(body, ["on"]) === "delivery";

/** A control call without the address of a receiver: none where it says nothing else. */
function unaddressed(control: ControlRecord): ControlRecord[] {
  const { method, path, body } = control;
  if (path === "/connect" || path.startsWith("/sinks/")) return [];
  if (!path.startsWith("/data/webhooks") || !isObject(body) || !("url" in body)) return [control];
  const { url: _, ...rest } = body;
  return method === "PATCH" && Object.keys(rest).length > 0 ? [{ ...control, body: rest }] : [];
}

/** A recorded pause of the system under test that is longer needs an expectation that waits longer, ms. */
export const PATIENT_FROM_MS = 1_000;

/** What a call of the system under test is as an expectation: a visible message is a `reply`. */
export function expectationOf(
  request: RequestRecord,
  references: References,
  templates: readonly Template[],
): Draft {
  const { operation, method, path, body, response } = request;
  const status = request.status ?? request.lostStatus ?? null;
  const isVisible =
    operation === "sendMessageToCustomerThread" &&
    status !== null &&
    status < 300 &&
    valueAt(body, ["internal"]) !== true;
  const draft: Draft = isVisible
    ? { noun: "reply", step: { reply: replyOf(body, references, templates) } }
    : {
        noun: "call",
        step: {
          expect: {
            request: {
              ...(operation === null
                ? {
                    method,
                    path: path
                      .split("/")
                      .map((part) => references.segment(part))
                      .join("/"),
                  }
                : { operation }),
              ...matchOf(body, references),
              status: request.status,
            },
          },
        },
      };
  references.add(draft, response, ["response"]);
  return draft;
}

/** The part of a MATCH on a body; none where nothing of it stays the same. */
function matchOf(body: unknown, references: References): object {
  const pattern = isObject(body) ? stable(body, references) : UNSTABLE;
  const isEmpty = isObject(pattern) && Object.keys(pattern).length === 0;
  return pattern === UNSTABLE || isEmpty ? {} : { body: pattern };
}

function replyOf(body: unknown, references: References, templates: readonly Template[]): unknown {
  const thread = valueAt(body, ["customerThreadId"]) as string | number;
  const isMain = String(thread) === references.thread;
  const where = isMain ? {} : { thread: references.placeholder(thread) ?? references.id(String(thread)) };
  const sid = valueAt(body, ["contentSid"]);
  if (typeof sid === "string") {
    const title = templates.find(({ id }) => id === sid)?.title;
    return { ...where, template: references.text(title ?? sid) };
  }
  const text = references.text(String(valueAt(body, ["text"]) ?? ""));
  return isMain && text !== "" ? text : { ...where, text };
}
