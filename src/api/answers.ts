/** What a refusal answers: documented bodies to the letter, all others from the behaviour table. */
import type { Answer } from "../behaviour/entry.js";
import type { AnswerKey, BehaviourValues } from "../behaviour/table.js";
import type { RefusalKey } from "../domain/refusal.js";
import { valueAt } from "../kernel/json.js";
import type { Problem } from "./validation/problem.js";

/** A whole answer of the simulated API. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The key of the behaviour table that decided it. */
  readonly behaviour?: string | undefined;
  /** Further headers, as a flat list of names and values. */
  readonly headers?: readonly string[];
}

type Scope = Readonly<Record<string, unknown>>;

/** An answer that the specification states, and when it comes. */
type DocumentedAnswer = Answer & { readonly when: string };

/** The refusals whose answers the specification states (specification: "Errors"). */
export const DOCUMENTED_ANSWERS: Partial<Record<RefusalKey, DocumentedAnswer>> = {
  "users.notFound": {
    status: 404,
    when: "The token's organization has no such user",
    body: { error: "User not found in organization" },
  },
  "users.lastRepresentative": {
    status: 400,
    when: "The user is the last customer representative of a business",
    body: {
      error: "User cannot be deleted as they are the last customer representative in one or more businesses",
    },
  },
  "users.lastInPool": {
    status: 400,
    when: "The user is the last member of an escalation pool",
    body: {
      error:
        "User cannot be deleted as they are the last person in the escalation pool for business ${businessId}",
    },
  },
  "widget.foreignBusiness": {
    status: 403,
    when: "The business does not belong to the token's organization",
    body: { developerMessage: "Business does not belong to this organization" },
  },
};

/** The answer to a refusal. */
export function answerTo(key: RefusalKey, scope: Scope, behaviour: BehaviourValues): ApiAnswer {
  const documented = DOCUMENTED_ANSWERS[key];
  if (documented !== undefined) return { status: documented.status, body: filled(documented.body, scope) };
  const { status, body } = behaviour[key as AnswerKey];
  return { status, body: filled(body, scope), behaviour: key };
}

/** The shape of the service's validator (specification: "Validation error shape"). */
export const invalid = (body: readonly Problem[], headers: readonly Problem[] = []): ApiAnswer => ({
  status: 400,
  body: { body, headers },
});

/**
 * A copy of a template with each `${a.b}` replaced by what `scope` holds there: by the value itself where
 * the placeholder is the whole text, by its words inside a longer one, by null or nothing where there is none.
 */
export function filled(template: unknown, scope: Scope): unknown {
  if (typeof template === "string") return template.includes("${") ? filledText(template, scope) : template;
  if (Array.isArray(template)) return template.map((item) => filled(item, scope));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, filled(value, scope)]));
}

const PLACEHOLDER = /\$\{([^}]*)\}/g;

function filledText(text: string, scope: Scope): unknown {
  const whole = /^\$\{([^}]*)\}$/.exec(text);
  if (whole !== null) return valueAt(scope, pathIn(whole[1] as string)) ?? null;
  return text.replace(PLACEHOLDER, (_, path: string) => {
    const value = valueAt(scope, pathIn(path));
    return value === undefined || value === null
      ? ""
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value);
  });
}

const pathIn = (placeholder: string): string[] => placeholder.trim().split(".");
