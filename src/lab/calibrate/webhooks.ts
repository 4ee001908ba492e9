/** What a recording shows of webhooks, and what calls about them come to in the possible worlds. */

import { webhookSchema } from "../../api/presentation.js";
import { getOrInsert, isObject } from "../../kernel/objects.js";
import type { Schema } from "../../kernel/schema.js";
import type { FixtureDocument } from "../../service/world/records.js";
import { stable, UNKNOWN } from "./answers.js";
import type { Passed } from "./checks.js";
import { invalid, ruled } from "./checks.js";
import { formProblem, type Mismatch, mismatch, type Outcome, sectionOf, succeeds } from "./judge.js";
import { changesWebhooks, isMadeUp, MEMORY_MS, type Parties } from "./parties.js";
import type { Choices } from "./possible.js";
import type { Changing, Exchange, Trace, Trust } from "./trace.js";
import {
  effectOf,
  endOf,
  eventOf,
  hooksIn,
  isAccepted,
  isSameUrl,
  sentIn,
  shownIn,
  textOf,
  tokenOf,
} from "./trace.js";

type Fields = Readonly<Record<string, unknown>>;

/** What is known of a webhook: undefined fields are not. */
interface Hook {
  readonly fields: Fields;
  readonly exists: boolean;
  /** Whether it was saved through GraphQL when there was none: the table decides its events. */
  readonly isSaved?: boolean;
  readonly isLegacy?: boolean;
  readonly at: number;
  /** Its address in the spelling of recorded ones. */
  readonly href?: string | undefined;
}

/** The webhooks that the keys of one group have shown. */
interface Book extends Changing {
  readonly hooks: Map<string, Hook>;
  /** What was shown of them in turn, each with the latest time so far. */
  readonly shown: { readonly id: string; readonly latest: number }[];
  /** When all of them were last listed, or could be derived from a list. */
  listedAt: number;
  /** The addresses of legacy webhooks that were made since the last list, and when: no answer shows their ids. */
  readonly legacy: Map<unknown, number>;
}

const ANY_EVENTS = [[], ["messages"], ["transfers"], ["messages", "transfers"]].map((events) =>
  events.join(),
);
const { properties: FIELDS = {} } = webhookSchema;
const SHOWN_BY_GRAPHQL = ["hookId", "url", "enabled"];

export class Webhooks {
  readonly #books = new Map<string, Book>();

  constructor(
    trace: Trace,
    readonly parties: Parties,
    fixture?: FixtureDocument,
  ) {
    const at = trace[0]?.at ?? 0;
    for (const { id: _, organizationId, legacy, ...fields } of fixture?.webhooks ?? []) {
      const book = this.#book(this.parties.rootOf(`organization ${organizationId}`));
      const hook = { fields: { ...fields, url: undefined }, exists: true, isLegacy: legacy, at };
      this.#set(book, fields.hookId, hook);
      book.listedAt = at;
    }
  }

  #book = (group: string): Book =>
    getOrInsert(this.#books, group, () => ({
      hooks: new Map(),
      shown: [],
      listedAt: Number.NEGATIVE_INFINITY,
      legacy: new Map(),
      busyUntil: 0,
    }));
  #bookOf = (call: Exchange): Book => this.#book(this.parties.groupOf(tokenOf(call)));
  #isFresh = (call: Exchange, at: number): boolean =>
    call.at - at <= MEMORY_MS && call.at >= this.#bookOf(call).busyUntil;

  #set({ hooks, shown }: Book, id: string, hook: Hook): void {
    const { url } = hook.fields;
    const href = typeof url === "string" && URL.canParse(url) ? new URL(url).href : undefined;
    hooks.set(id, { ...hook, href });
    shown.push({ id, latest: Math.max(hook.at, shown.at(-1)?.latest ?? 0) });
  }

  /** Whether there is a webhook; undefined if the recording does not say. */
  #isThere(call: Exchange, id: string): boolean | undefined {
    const { hooks, listedAt } = this.#bookOf(call);
    const hook = hooks.get(id);
    if (hook !== undefined) return this.#isFresh(call, hook.at) ? hook.exists : undefined;
    return isMadeUp(id) || this.#isFresh(call, listedAt) ? false : undefined;
  }

  #exists = (choices: Choices, call: Exchange, index: number, id: string): boolean =>
    this.#isThere(call, id) ?? choices.isTrue(`webhook ${id} exists at #${index}`);

  /** The refusal of one more webhook than those that are known: how many there are is only certain if all were listed. */
  #limit(choices: Choices, call: Exchange): Outcome | undefined {
    const { hooks, shown, legacy, listedAt } = this.#bookOf(call);
    const stale = shown.findLastIndex(({ latest }) => !this.#isFresh(call, latest));
    const seen = [...new Set(shown.slice(stale + 1).map(({ id }) => hooks.get(id)))];
    const made = [...seen.flatMap((hook) => (hook?.exists ? [hook.at] : [])), ...legacy.values()];
    const known = made.filter((at) => this.#isFresh(call, at)).length;
    const isCertain = isAccepted(call) || this.#isFresh(call, listedAt);
    return choices.atLeast("limits.webhooks", isCertain ? known + 1 : Number.MAX_SAFE_INTEGER)
      ? undefined
      : { refusal: "limits.webhooksError", scope: { limit: UNKNOWN } };
  }

  create(choices: Choices, call: Exchange, index: number, { body }: Passed, isLegacy: boolean): Outcome {
    const events = body.subscribedEvents as readonly string[] | undefined;
    const refusal = ruled(choices, call, index, [
      () => eventsRefusal(choices, events),
      () => this.#limit(choices, call),
    ]);
    if (refusal !== undefined) return refusal;
    if (isLegacy)
      return {
        success: "hookUrl.response",
        scope: { webhook: { hookId: UNKNOWN, ...created(body), subscribedEvents: ["messages"] } },
      };
    const status = choices.entry("webhooks.createStatus");
    return succeeds(this.#shown(choices, call, created(body)), status);
  }

  list(choices: Choices, call: Exchange): Outcome {
    const form = choices.entry("webhooks.response");
    const seen = call.message.response.value;
    const isOther = Array.isArray(seen) !== (form === "record");
    return succeeds(isOther ? differs("body", form, seen) : this.#listMismatch(choices, call));
  }

  /** What is wrong with a list of all webhooks, or of those that are named. */
  #listMismatch(choices: Choices, call: Exchange, ids?: readonly string[]): Mismatch | undefined {
    const wrong = (expected: unknown, seen: unknown) => differs("body", expected, seen, sectionOf(call));
    const found = new Map(hooksIn(call.message.response.value).map((hook) => [hook.hookId, hook]));
    for (const id of this.#bookOf(call).hooks.keys())
      if (!found.has(id) && (ids?.includes(id) ?? true) && this.#isThere(call, id) === true)
        return wrong(`the webhook ${id}`, undefined);
    for (const [id, shown] of found) {
      if (ids !== undefined && !ids.includes(id)) return wrong(`only ${ids.join(", ")}`, id);
      if (this.#bookOf(call).hooks.has(id) && this.#isThere(call, id) === false)
        return wrong(`no webhook ${id}, which was deleted`, shown);
      const problem = this.#fieldMismatch(choices, call, shown);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** The first field that is not as the call sets it, or as the webhook is known to have it. */
  #fieldMismatch(choices: Choices, call: Exchange, shown: Fields, sent: Fields = {}): Mismatch | undefined {
    const hook = this.#bookOf(call).hooks.get(String(shown.hookId));
    const { fields, isSaved = false } = hook?.exists && this.#isFresh(call, hook.at) ? hook : { fields: {} };
    const events = isSaved && {
      subscribedEvents: choices.pick("webhooks.graphqlEvents", ANY_EVENTS).split(",").filter(Boolean),
    };
    const expected: Fields = { ...fields, ...events, ...sent };
    for (const [name, value] of Object.entries(expected)) {
      if (value === undefined || (call.operation === "graphql" && !SHOWN_BY_GRAPHQL.includes(name))) continue;
      if (unordered(shown[name]) === unordered(value) || isSameUrl(shown[name], value)) continue;
      // A service may disable a webhook whose deliveries fail.
      const isOpen = (name === "enabled" && value === true) || (isSaved && name === "subscribedEvents");
      return differs(
        `body.${name}`,
        value,
        shown[name],
        isOpen && !(name in sent) ? undefined : sectionOf(call),
      );
    }
    return undefined;
  }

  /** What is wrong with the webhook in an answer: its form, what the call has set, or what it has not. */
  #shown(choices: Choices, call: Exchange, sent?: Fields): Mismatch | undefined {
    if (!isAccepted(call)) return undefined;
    const form = choices.entry("webhooks.response");
    const { webhook } = shownIn(call);
    if (isObject(webhook) !== (form === "wrapped")) return differs("body", form, call.message.response.value);
    return this.#fieldMismatch(choices, call, isObject(webhook) ? webhook : shownIn(call), sent);
  }

  /** A call that names a webhook: read, update or delete. */
  one(choices: Choices, call: Exchange, index: number, { body }: Passed): Outcome {
    const id = call.params.webHookId ?? "";
    const isThere = this.#exists(choices, call, index, id);
    const hook = this.#bookOf(call).hooks.get(id);
    if (!isThere)
      return hook !== undefined && isAccepted(call)
        ? succeeds(differs("status", 404, call.message.status, sectionOf(call)))
        : { refusal: "webhooks.notFound", scope: { hookId: id } };
    if (call.operation === "deleteWebhook")
      return { success: "webhooks.deleteResponse", scope: { webhook: { ...hook?.fields, hookId: id } } };
    if (call.operation !== "updateWebhook") return succeeds(this.#shown(choices, call));
    const events = body.subscribedEvents as readonly string[] | undefined;
    const refusal = eventsRefusal(choices, events);
    if (refusal !== undefined) return refusal;
    const sent = { ...body, ...(events && { subscribedEvents: [...new Set(events)] }) };
    return succeeds(this.#shown(choices, call, known(sent)));
  }

  graphql(choices: Choices, call: Exchange, index: number, { body }: Passed): Outcome {
    const variables = isObject(body.variables) ? body.variables : {};
    if (body.query === "get-hook-query") return this.#get(choices, call, variables);
    if (body.query === "delete-hook-mutation") return this.#delete(choices, call, index, variables);
    return this.#save(choices, call, index, variables);
  }

  #get(choices: Choices, call: Exchange, variables: Fields): Outcome {
    const ids = variables.hookId as readonly string[] | undefined;
    const { hook } = dataIn(call);
    const none = ids?.length === 0 ? choices.entry("graphql.getNone") : "all";
    if (none === "refuse") return invalid("@.variables.hookId");
    if (!isAccepted(call)) return succeeds();
    if (!Array.isArray(hook)) return notData("hook", call);
    if (none === "all")
      return succeeds(this.#listMismatch(choices, call, ids?.length === 0 ? undefined : ids));
    return succeeds(hook.length === 0 ? undefined : differs("body.data.hook", [], hook));
  }

  #delete(choices: Choices, call: Exchange, index: number, variables: Fields): Outcome {
    const flag = flagIn(call);
    if (isAccepted(call) && typeof flag !== "boolean") return notData("deleteHook.flag", call);
    const ids = (variables.hookId ?? []) as readonly string[];
    if (ids.length === 0) return flagged(choices.entry("graphql.deleteNone") === "succeed", flag);
    const areThere = ids.every((id) => this.#exists(choices, call, index, id));
    const isSure = ids.every((id) => this.#isThere(call, id) === true);
    if (areThere) return flagged(true, flag, isSure ? sectionOf(call) : undefined);
    return flagged(choices.entry("graphql.deleteUnknown") === "skip", flag);
  }

  #save(choices: Choices, call: Exchange, index: number, variables: Fields): Outcome {
    const { hookId, url, enabled } = variables;
    const id = String(hookId);
    const isThere = this.#exists(choices, call, index, id);
    if (!isThere && (url === undefined || url === null)) return invalid("@.variables.url");
    const refusal = isThere ? undefined : this.#limit(choices, call);
    if (refusal !== undefined) return refusal;
    if (!isAccepted(call)) return succeeds();
    const { saveHook } = dataIn(call);
    if (!isObject(saveHook)) return notData("saveHook", call);
    const sent = known({ hookId, url, enabled: enabled ?? (isThere ? undefined : true) });
    return succeeds(this.#fieldMismatch(choices, call, saveHook, sent));
  }

  /** Takes over what a call shows or changes. */
  after(call: Exchange, trust: Trust): void {
    const [group, book] = [this.parties.groupOf(tokenOf(call)), this.#bookOf(call)];
    const isChange = changesWebhooks(call) && (isAccepted(call) || trust === "unclear");
    // Another key may be of the same organization.
    if (isChange) for (const [other, one] of this.#books) if (other !== group) forget(one);
    const effect = effectOf(book, call, trust, isChange);
    if (effect === "forget") forget(book);
    else if (effect === "take") this.#take(book, call, endOf(call));
  }

  #take(book: Book, call: Exchange, at: number): void {
    const { query, variables, url } = sentIn(call);
    const ids = isObject(variables) ? variables.hookId : undefined;
    const isDeleted = query === "delete-hook-mutation" && flagIn(call) === true && Array.isArray(ids);
    const deleted: readonly string[] =
      call.operation === "deleteWebhook" ? [call.params.webHookId ?? ""] : isDeleted ? ids : [];
    for (const id of deleted) this.#set(book, id, { fields: {}, exists: false, at });
    // It adds a webhook whose id it does not show.
    if (call.operation === "updateHookUrl") {
      book.legacy.set(url, at);
      book.listedAt = Number.NEGATIVE_INFINITY;
    }
    // The answer to a deletion may show the deleted webhook.
    const shown = deleted.length > 0 ? [] : hooksIn(call.message.response.value);
    for (const one of shown) this.#note(book, call, one, at);
    const isList = call.operation === "listWebhooks" || (query === "get-hook-query" && !Array.isArray(ids));
    if (isList || this.#isFresh(call, book.listedAt)) book.listedAt = at;
    if (!isList) return;
    // Later webhooks may have their addresses.
    book.legacy.clear();
    const listed = new Set(shown.map(({ hookId }) => hookId));
    for (const id of [...book.hooks.keys()]) if (!listed.has(id)) book.hooks.delete(id);
  }

  #note(book: Book, call: Exchange, shown: Fields, at: number): void {
    const id = String(shown.hookId);
    const before = book.hooks.get(id);
    const isNew = before === undefined || !before.exists;
    const isSaved = sentIn(call).query === "save-hook-mutation" && isNew && this.#isThere(call, id) === false;
    const isLegacy = isNew && book.legacy.has(shown.url);
    const names = call.operation === "graphql" ? SHOWN_BY_GRAPHQL : Object.keys(FIELDS);
    const read = names.map((name) => [
      name,
      formProblem(FIELDS[name] as Schema, shown[name]) === undefined ? shown[name] : undefined,
    ]);
    const fields = { ...(before?.exists ? before.fields : {}), ...Object.fromEntries(read) };
    const isKept = before?.isSaved === true && before.exists && call.operation === "graphql";
    const kept = isSaved || isKept;
    this.#set(book, id, {
      fields: kept ? { ...fields, subscribedEvents: undefined } : fields,
      exists: true,
      isSaved: kept,
      isLegacy: isLegacy || before?.isLegacy === true,
      at,
    });
  }

  /** The webhooks to which a delivery can have come, if all of the organization are known. */
  at(delivery: Exchange): readonly Hook[] {
    const book = this.#books.get(this.parties.rootOf(`thread ${textOf(eventOf(delivery).customerThreadId)}`));
    if (book === undefined || book.listedAt === Number.NEGATIVE_INFINITY) return [];
    return [...book.hooks.values()].filter(
      ({ exists, href, fields: { url } }) =>
        exists && (href === delivery.url || isBehindProxy(url, delivery.url)),
    );
  }
}

/** Whether deliveries to an address are recorded with the bot's, behind the package's proxy. */
function isBehindProxy(url: unknown, seen: string): boolean {
  const [, behind = ""] = String(url).split("/__proxy/bot");
  return behind !== "" && seen.endsWith(behind);
}

function forget(book: Book): void {
  book.hooks.clear();
  book.listedAt = Number.NEGATIVE_INFINITY;
}

const differs = (path: string, expected: unknown, seen: unknown, section?: string): Mismatch => {
  const reason = `${path} differs: the recording does not show who changed the webhook`;
  return mismatch(path, expected, seen, section, reason);
};

const notData = (field: string, call: Exchange): Outcome =>
  succeeds(differs("body.data", field, shownIn(call).data, sectionOf(call)));

const flagged = (expected: boolean, seen: unknown, section?: string): Outcome => {
  const isSame = seen === undefined || seen === expected;
  return succeeds(isSame ? undefined : differs("body.data.deleteHook.flag", expected, seen, section));
};

/** The refusal of subscriptions of which there are none, or one twice. */
function eventsRefusal(choices: Choices, events: readonly string[] | undefined): Outcome | undefined {
  if (events === undefined) return undefined;
  const isEmpty = events.length === 0 && choices.entry("webhooks.emptySubscriptions") === "reject";
  const isDoubled =
    new Set(events).size < events.length && choices.entry("webhooks.doubledEvents") === "reject";
  return isEmpty || isDoubled ? invalid("@.subscribedEvents") : undefined;
}

const known = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

/** The fields of a new webhook. */
const created = ({ url, enabled, subscribedEvents, extraHeaders }: Fields): Fields => ({
  url,
  enabled: enabled ?? true,
  subscribedEvents: Array.isArray(subscribedEvents) ? [...new Set(subscribedEvents)] : undefined,
  extraHeaders: Array.isArray(extraHeaders) ? extraHeaders.map(({ name, value }) => ({ name, value })) : [],
});

/** The order of lists means nothing. */
const unordered = (value: unknown): string => stable(Array.isArray(value) ? value.map(stable).sort() : value);
const dataIn = (call: Exchange): Fields => {
  const { data } = shownIn(call);
  return isObject(data) ? data : {};
};
const flagIn = (call: Exchange): unknown => {
  const { deleteHook } = dataIn(call);
  return isObject(deleteHook) ? deleteHook.flag : undefined;
};
