/** What the service checks of every call before it does anything, in the possible worlds. */

import {
  contentTypeKey,
  hasOtherEnd,
  JSON_MEDIA_TYPE,
  mediaTypeOf,
  NO_FIELDS,
  nullFieldsKey,
  repeatedIn,
} from "../../api/checks.js";
import type { Operation } from "../../api/operation.js";
import { OPERATIONS } from "../../api/operations/index.js";
import { RequestValidator } from "../../api/validation/validator.js";
import { encodingOf, isDecoded } from "../../kernel/http/body.js";
import { routeTable } from "../../kernel/http/endpoint.js";
import { isObject } from "../../kernel/json.js";
import { UNKNOWN } from "./answers.js";
import type { Outcome } from "./judge.js";
import type { Parties } from "./parties.js";
import type { Choices } from "./possible.js";
import type { Exchange } from "./trace.js";
import { isAccepted, tokenOf } from "./trace.js";

const ROUTES = routeTable(OPERATIONS);
const VALIDATOR = new RequestValidator();
type Fields = Readonly<Record<string, unknown>>;

/** A call that passed, with its query and body as the service reads them. */
export interface Passed {
  readonly query: Fields;
  readonly body: Fields;
}
export const hasPassed = (checked: Outcome | Passed): checked is Passed => "query" in checked;

export const invalid = (property: string, message = "is not valid"): Outcome => ({
  invalid: [{ property, message }],
});

/** The outcome of a call of no operation. */
export function ofNoOperation(choices: Choices, call: Exchange, index: number, parties: Parties): Outcome {
  const { path, message } = call;
  const { method } = message;
  const hit = ROUTES.find(method, path);
  // A service may check the key before the path.
  if (tokenOf(call) === "" || !parties.isValid(choices, call, index))
    if (choices.pick(`the key is checked first at #${index}`, [false, true]))
      return { refusal: tokenOf(call) === "" ? "auth.missing" : "auth.invalid", scope: {} };
  return hit === undefined || !("allowed" in hit)
    ? { refusal: "http.unknownPath", scope: { method, path } }
    : { refusal: "http.wrongMethod", scope: { method, path, allowed: hit.allowed.join(", ") } };
}

/** Takes a call of an operation through the checks, in the order of the simulator. */
export function checked(
  choices: Choices,
  call: Exchange,
  index: number,
  operation: Operation,
  parties: Parties,
): Outcome | Passed {
  const { path, message } = call;
  const { method, headers, request } = message;
  if (hasOtherEnd(operation, path) && choices.entry("paths.trailingSlash") === "reject")
    return { refusal: "http.unknownPath", scope: { method, path } };
  if (tokenOf(call) === "") return { refusal: "auth.missing", scope: {} };
  if (!parties.isValid(choices, call, index)) return { refusal: "auth.invalid", scope: {} };
  if (operation.permission !== undefined && !parties.mayDelete(choices, call))
    return { refusal: "users.deleteForbidden", scope: { permission: operation.permission.name } };
  if (!parties.mayCall(choices, call, index))
    return { refusal: "permissions.requiredError", scope: { permission: UNKNOWN } };
  const isSmall = request.bytes === 0 || (!isAccepted(call) && request.bytes <= parties.largestBody);
  // With another status, a refusal may be of anything: it bounds nothing.
  const isShown = isAccepted(call) || message.status === 413;
  const isTooLarge = () =>
    isShown
      ? !choices.atLeast("limits.bodyBytes", request.bytes)
      : choices.pick(`the body of #${index} is too large`, [false, true]);
  if (!isSmall && isTooLarge()) return { refusal: "limits.bodyError", scope: { limit: UNKNOWN } };
  const encoding = request.bytes === 0 ? undefined : encodingOf(headers);
  if (encoding !== undefined && !isDecoded(encoding))
    return { refusal: "http.unknownEncoding", scope: { encoding } };
  const isJson = mediaTypeOf(headers["content-type"]) === JSON_MEDIA_TYPE;
  if (!isJson && (request.bytes > 0 || choices.entry(contentTypeKey(operation)) === "require"))
    return { invalid: [] };
  if (request.problem !== undefined) return invalid("@", request.problem);
  return validated(choices, call, operation, request.bytes === 0 ? {} : request.value);
}

function validated(
  choices: Choices,
  { query: text }: Exchange,
  operation: Operation,
  raw: unknown,
): Outcome | Passed {
  const given = [...new URLSearchParams(text)];
  const isRepeated = repeatedIn(given).some((name) => Object.hasOwn(operation.query?.properties ?? {}, name));
  const counts = isRepeated ? choices.entry("query.repeated") : "last";
  if (counts === "reject") return invalid("@");
  const query = Object.fromEntries(counts === "first" ? given.reverse() : given);
  const nullKey = nullFieldsKey(operation);
  const options = {
    get unknownFields() {
      return choices.entry("body.unknownFields");
    },
    get numbersAsIds() {
      return choices.entry("ids.acceptNumbers") === "accept";
    },
    get emailFormat() {
      return choices.entry("widget.emailFormat");
    },
    get insecureUrls() {
      return choices.entry("webhooks.insecureUrls");
    },
    nullFields: { key: nullKey, treatment: () => choices.entry(nullKey) },
  } as const;
  const isUnasked = operation.body === undefined && isObject(raw) && Object.keys(raw).length > 0;
  const bodySchema =
    operation.body ?? (isUnasked && options.unknownFields === "reject" ? NO_FIELDS : undefined);
  const asked =
    operation.query &&
    VALIDATOR.check(operation.query, query, { unknownFields: "ignore", numbersAsIds: true });
  const body = bodySchema && VALIDATOR.check(bodySchema, raw, options);
  const part = operation.refine?.(raw);
  const variables = part && VALIDATOR.check(part.schema, part.value, options);
  const problems = [asked, body, variables].flatMap((one) => one?.problems ?? []);
  if (problems.length > 0) return { invalid: problems };
  const fields = (body?.value ?? {}) as Fields;
  return {
    query: (asked?.value ?? {}) as Fields,
    body: variables === undefined ? fields : { ...fields, variables: variables.value },
  };
}

/** The refusal by one of several rules, whose order nobody knows: it tells nothing about the others. */
export function ruled(
  choices: Choices,
  call: Exchange,
  index: number,
  rules: readonly (() => Outcome | undefined)[],
): Outcome | undefined {
  if (isAccepted(call))
    return rules.reduce<Outcome | undefined>((refusal, rule) => refusal ?? rule(), undefined);
  return rules[choices.pick(`the rule of #${index}`, [...rules.keys()])]?.();
}
