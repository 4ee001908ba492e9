/** Compares what a service did with what it would do in one possible world. */

import { OPERATIONS } from "../../api/operations/index.js";
import { isProblem, type Problem } from "../../api/validation/rules.js";
import { isObject, JSON_TYPES } from "../../kernel/json.js";
import type { Schema } from "../../kernel/schema.js";
import { describeSchema } from "../../kernel/words.js";
import type { Answer, OperationId, Scope } from "../../service/behaviour/entry.js";
import type { AnswerKey } from "../../service/behaviour/table.js";
import { MISSING } from "../../service/domain/refusals.js";
import { AnswerForm, defaultOf, matches, stable, UNKNOWN } from "./answers.js";
import type { Choices } from "./possible.js";
import type { Exchange } from "./trace.js";
import { isAccepted } from "./trace.js";

/** What a call comes to in one world. */
export type Outcome =
  /** A refusal whose answer an entry decides. */
  | { readonly refusal: AnswerKey; readonly scope: Scope }
  /** A refusal whose answer the specification shows. */
  | { readonly documented: Answer; readonly section: string }
  | { readonly invalid: readonly Problem[] }
  /** A success: with the entry of its whole answer, or with its status, and what is wrong with its body. */
  | { readonly success: AnswerKey; readonly scope: Scope }
  | { readonly success: null; readonly status: number; readonly mismatch: Mismatch | undefined };

/** How a world differs from what was recorded: `section` if the specification says so, otherwise what one would have to know. */
export interface Mismatch {
  readonly expected: unknown;
  readonly seen: unknown;
  readonly path: string;
  readonly section?: string | undefined;
  readonly reason: string;
  /** In this world, the call would have been refused, and it was not. */
  readonly isRefusal?: true;
}

export const mismatch = (
  path: string,
  expected: unknown,
  seen: unknown,
  section?: string,
  reason = "",
): Mismatch => ({ path, expected, seen, section, reason });

/** A success whose answer no entry decides, and what is wrong with it. */
export const succeeds = (problem?: Mismatch, status = 200): Outcome => ({
  success: null,
  status,
  mismatch: problem,
});

/** A field that others may have changed. */
export const changed = (name: string, expected: unknown, seen: unknown, section?: string): Mismatch => {
  const reason = `${name} differs: the recording does not show who changed it`;
  return mismatch(`body.${name}`, expected, seen, section, reason);
};

/** A world that explains an exchange. The more it fits an answer word by word, the less likely is another reason. */
export interface Match {
  readonly fit: 0 | 1 | 2;
  readonly form?: AnswerForm;
  readonly isSuccess?: true;
}
export const isMatch = (result: Match | Mismatch): result is Match => "fit" in result;

export const operationOf = (id: OperationId | undefined) =>
  OPERATIONS.find((operation) => operation.id === id);

export const sectionOf = ({ operation }: Exchange): string | undefined => operationOf(operation)?.section;

/** The limit that an answer names, if it has the default's words. */
const LIMIT_OF: Partial<Record<AnswerKey, string>> = {
  "limits.textLengthError": "limits.textLength",
  "limits.webhooksError": "limits.webhooks",
  "limits.bodyError": "limits.bodyBytes",
};

/** Of the texts that the specification shows, one names a business. */
const ANY = { businessId: UNKNOWN };
const DELETE = "Errors / Delete user by email";
const WIDGET = "Errors / Widget route";
/** The section that shows the refusals of an operation. */
export const errorSection = (id: OperationId | undefined): string | undefined =>
  id === "deleteUserByEmail" ? DELETE : id === "sendMessageToBusiness" ? WIDGET : undefined;

const isAuthentication = (key: AnswerKey): boolean => key === "auth.missing" || key === "auth.invalid";

export function compare(choices: Choices, call: Exchange, outcome: Outcome): Match | Mismatch {
  if ("refusal" in outcome) return compareRefusal(choices, call, outcome);
  if ("documented" in outcome) return compareDocumented(call, outcome);
  if ("invalid" in outcome) return compareInvalid(choices, call, outcome);
  const { status, response } = call.message;
  if (!isAccepted(call)) {
    if (outcome.success === null && outcome.mismatch !== undefined) return outcome.mismatch;
    // The specification lists what this endpoint answers with these statuses.
    const isListed = call.operation === "deleteUserByEmail" && (status === 400 || status === 404);
    const reason = `refused with ${status}: no entry of the table explains it, and the recording does not show why`;
    return mismatch("status", 200, status, isListed ? DELETE : undefined, reason);
  }
  if (outcome.success !== null) {
    const form = AnswerForm.of(
      outcome.success,
      { status, body: response.value },
      scopeOf(call, outcome.scope),
    );
    return { fit: 0, form, isSuccess: true };
  }
  const { status: expected, mismatch: problem } = outcome;
  if (problem !== undefined || status === expected) return problem ?? { fit: 0 };
  const section = errorSection(call.operation) && sectionOf(call);
  return mismatch("status", expected, status, section, `no entry of the table has the status ${status}`);
}

/** What the placeholders of an answer may stand for. */
const scopeOf = ({ operation, message }: Exchange, scope: Scope): Scope => ({
  request: message.request.value,
  operation,
  ...scope,
});

function accepted(call: Exchange, key: string, section?: string): Mismatch {
  const reason = `accepted, but the simulator refuses it (${key}): the recording does not show the records involved`;
  return { ...mismatch("status", "a refusal", call.message.status, section, reason), isRefusal: true };
}

function compareRefusal(
  choices: Choices,
  call: Exchange,
  { refusal: key, scope }: Extract<Outcome, { refusal: unknown }>,
): Match | Mismatch {
  const { status, response } = call.message;
  // What is answered at other paths, such as a page, is not of this API.
  if (isAccepted(call)) return accepted(call, key, call.operation && SECTIONS[key]);
  const section = isAuthentication(key) && call.operation === "sendMessageToBusiness" ? WIDGET : undefined;
  const isOther = section === undefined ? (ONLY[status] ?? key) !== key : status !== 401;
  if (isOther) {
    const reason = `refused with ${status}, which does not fit ${key}: the recording does not show why`;
    return mismatch("status", defaultOf(key).status, status, section, reason);
  }
  if (call.operation === "graphql") return compareErrors(choices, call, isAuthentication(key));
  const all = scopeOf(call, scope);
  const form = AnswerForm.of(key, { status, body: response.value }, all);
  const limited = LIMIT_OF[key];
  const named = limited && Number(matches(defaultOf(key).body, response.value, all)?.limit);
  if (named) choices.pick(`${limited} is named`, [named]);
  const isDefault = form.hasDefaultBody && status === defaultOf(key).status;
  if (isDefault) return { fit: 2, form };
  // Any refusal may come of a permission or a limit that nothing shows: only the default's words or status tell that it does.
  const isDoubtful = key === "permissions.requiredError" || (key === "limits.bodyError" && status !== 413);
  return isDoubtful || response.value === undefined ? { fit: 0 } : { fit: 0, form };
}

/** The section that a call contradicts by being accepted. */
const SECTIONS: Partial<Record<AnswerKey, string>> = {
  "auth.missing": "Authentication",
  "window.closedError": "States and transitions / Messaging window",
};
/** Statuses that mean one thing only: other refusals are not told from them. */
const ONLY: Readonly<Record<number, AnswerKey>> = { 413: "limits.bodyError", 415: "http.unknownEncoding" };

function compareDocumented(
  call: Exchange,
  { documented, section }: Extract<Outcome, { documented: unknown }>,
): Match | Mismatch {
  const { status, response } = call.message;
  const isSameText = matches(documented.body, response.value, ANY) !== undefined;
  if (isSameText && status === documented.status) return { fit: 2 };
  if (isAccepted(call)) return accepted(call, section);
  return isSameText
    ? mismatch("status", documented.status, status, section)
    : mismatch("body", documented.body, response.value, section);
}

/** Whether a body has the documented form of a validation error. */
const isValidation = (body: unknown): boolean =>
  isObject(body) && [body.body, body.headers].every((list) => Array.isArray(list) && list.every(isProblem));

function compareInvalid(
  choices: Choices,
  call: Exchange,
  { invalid }: Extract<Outcome, { invalid: unknown }>,
): Match | Mismatch {
  const { operation: id, message } = call;
  const operation = operationOf(id);
  const { status, response } = message;
  if (isAccepted(call)) return accepted(call, "invalid", operation?.section);
  if (id === "graphql") return compareErrors(choices, call, false);
  const isShown = operation?.showsInvalid === true;
  const section = !isShown
    ? undefined
    : id === "deleteUserByEmail"
      ? DELETE
      : "Errors / Validation error shape";
  const reason = `refused with ${status}, which no entry of the table has for an invalid request`;
  const other = (path: string, expected: unknown, seen: unknown) =>
    mismatch(path, expected, seen, section, reason);
  if (status !== 400) return other("status", 400, status);
  const isInForm = isValidation(response.value);
  // The specification shows the text of one problem.
  const [text] = id === "deleteUserByEmail" ? invalid.filter(({ message: one }) => one === MISSING) : [];
  const expected = { body: text === undefined ? invalid : [text], headers: [] };
  if (isShown) {
    const isText = text === undefined || stable(response.value) === stable(expected);
    return isInForm && isText ? { fit: 1 } : other("body", expected, response.value);
  }
  const form = choices.entry("errors.validation");
  const isError = isObject(response.value) && typeof response.value.error === "string";
  return (form === "validator" ? isInForm : isError)
    ? { fit: isInForm ? 1 : 0 }
    : other("body", expected, response.value);
}

/** A refusal in the form of GraphQL: neither the status of a call without a valid key is fixed, nor how GraphQL reports it. */
function compareErrors(choices: Choices, call: Exchange, isOfKey: boolean): Match | Mismatch {
  const { status, response } = call.message;
  if (isOfKey) return { fit: 0 };
  const errors =
    isObject(response.value) && Array.isArray(response.value.errors) ? response.value.errors : [];
  const names = isObject(errors[0])
    ? ["message", "path", "code"].filter((name) => name in (errors[0] as object))
    : [];
  const form = choices.entry("graphql.errors");
  const expected = form === "coded" ? "message, path, code" : "message";
  const isOk = choices.entry("graphql.errorStatus") === "ok";
  if (names.join(", ") === expected && isOk === (status === 200)) return { fit: 0 };
  const reason = "the form of its errors is in no entry of the table";
  return mismatch("body.errors", expected, names.join(", "), undefined, reason);
}

/** The first part of a value that is not as a schema says; undefined if there is none. More fields than it names are no problem. */
export function formProblem(
  schema: Schema,
  value: unknown,
  path = "body",
): Pick<Mismatch, "path" | "expected" | "seen"> | undefined {
  const { type, enum: values, anyOf, properties = {}, required = [], items, pattern } = schema;
  if (anyOf !== undefined) {
    const problems = anyOf.map((branch) => formProblem(branch, value, path));
    const deepest = [...problems].sort((a, b) => (b?.path.length ?? 0) - (a?.path.length ?? 0))[0];
    return problems.includes(undefined) ? undefined : deepest;
  }
  const types = [type ?? []].flat();
  const isType = types.length === 0 || types.some((name) => JSON_TYPES[name]?.(value));
  const isValue = values === undefined || values.includes(value);
  const isText = pattern === undefined || typeof value !== "string" || new RegExp(pattern).test(value);
  if (!isType || !isValue || !isText) return { path, expected: describeSchema(schema), seen: value };
  if (Array.isArray(value) && items !== undefined)
    for (const [index, item] of value.entries()) {
      const problem = formProblem(items, item, `${path}[${index}]`);
      if (problem !== undefined) return problem;
    }
  if (isObject(value))
    for (const [name, part] of Object.entries(properties)) {
      if (!(name in value)) {
        if (required.includes(name))
          return { path: `${path}.${name}`, expected: describeSchema(part), seen: undefined };
        continue;
      }
      const problem = formProblem(part, value[name], `${path}.${name}`);
      if (problem !== undefined) return problem;
    }
  return undefined;
}

/** Texts of refusals that the specification shows, and their statuses. */
export function misplacedText(call: Exchange, documented: readonly Answer[]): Mismatch | undefined {
  const { status, response } = call.message;
  const texts = isObject(response.value) ? Object.values(response.value) : [];
  for (const answer of documented) {
    const [shown] = Object.values(answer.body as object) as string[];
    const isShown = texts.some((text) => matches(shown, text, ANY) !== undefined);
    const isRight = answer.status === status && matches(answer.body, response.value, ANY) !== undefined;
    if (!isShown || isRight) continue;
    const section = errorSection(call.operation);
    return answer.status === status
      ? mismatch("body", answer.body, response.value, section)
      : mismatch("status", answer.status, status, section);
  }
  return undefined;
}
