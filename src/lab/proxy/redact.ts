/** Removes secrets and personal data from recorded exchanges. Only this creates a `RecordedEntry`. */

import { OPERATIONS } from "../../api/operations/index.js";
import { isCredentialName, isSecretName } from "../../kernel/masking.js";
import { BEHAVIOUR_TABLE } from "../../service/behaviour/table.js";
import { legacyPayloadSchema, messageEventSchema, transferEventSchema } from "../../service/domain/events.js";
import { SERVICE_REFUSALS, serviceRefusal } from "../../service/domain/refusals.js";
import type { HarEntry, HarPair } from "./har.js";
import { visitValues } from "./json-values.js";
import { type Known, KnownValues, lettersOf } from "./known-values.js";
import { StandIns, wordsIn } from "./stand-ins.js";
import { View } from "./view.js";

declare const redacted: unique symbol;
/** An entry without secrets and personal data, which may be written. */
export type RecordedEntry = HarEntry & { readonly [redacted]: true };

/** An entry whose secrets and personal data are known. */
export interface LearnedEntry {
  /** The entry without them, and without all others that are known by now. */
  readonly redacted: () => RecordedEntry;
  /** The letters of all its texts, in which values can be searched. */
  readonly letters: () => string;
}

/** The documented fields of requests, answers and events that identify people or contain what they wrote. */
const PERSONAL_FIELDS = [
  "displayName",
  "firstName",
  "lastName",
  "company",
  "email",
  "emailAddress",
  "phoneNumber",
  "sms",
  "whatsapp",
  "text",
  "messageBody",
  "messageAttachmentName",
  "newBusinessName",
] as const;
/** A request's `message` is a customer's text; an answer's is an error message. */
const PERSONAL_IN_REQUESTS = [...PERSONAL_FIELDS, "message"];

const plainName = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, "");
const PERSONAL = new Set(PERSONAL_FIELDS.map(plainName));
const PERSONAL_OF_REQUEST = new Set(PERSONAL_IN_REQUESTS.map(plainName));

/** How to treat a value. `headers`: the values of name/value pairs are secret. */
type Kind = "plain" | "personal" | "secret" | "headers";
/** Receives each value. `isBare`: it stands in JSON without quotes. */
type Visit = (value: View, kind: Kind, isBare?: boolean) => void;
/** Finds the values in a text. */
type Read = (text: View, visit: Visit) => void;

const SECRET_HEADER = /signature|hmac/i;
const PUBLIC_HEADER = /^(www-authenticate|proxy-authenticate|content-.*|accept.*)$/i;
const isSecretHeader = (name: string): boolean =>
  SECRET_HEADER.test(name) || (isSecretName(name) && !PUBLIC_HEADER.test(name));
const isSecretField = (name: string): boolean =>
  isCredentialName(name) || /token|session|signature/i.test(name);
const SCHEME = /^(?:Bearer|Basic|Token|ApiKey)\s+/i;
/** A prefix that the service's answer depends on. */
const PREFIX = /^whatsapp:/i;
/** The user of an address. URL parsers accept any number of slashes before it, and a password may contain quotes. */
const USER =
  /(?:\bhttps?:[/\\]*|\b[a-z][a-z0-9+.-]{0,30}:[/\\]{2,}|(?<![:\w/\\])[/\\]{2,})((?:[^/\\?#\s<>"]|"(?!\s*[,:}\]])){0,4096})@/dgi;
/** `name=value` in a text: a parameter after the signs of an address, or at the beginning of a word. */
const PAIR =
  /(?:([/?&;#])|^|(?<=[\s"'<>({[,]))([^\s/?&;#"'<>(){},=]{1,80})=([^\s&#"<>]*[^\s&#"<>.,;:!)\]}'])/dg;
const FORM_PAIR = /(^|&)([^&=]{1,80})=([^&]+)/dg;
/** How deeply texts in texts are read. */
const MAX_DEPTH = 6;

/** The fewest letters of a value that is searched for, and of one that is also found inside a word: others are too common. */
const SEARCHED = {
  secret: { text: [2, 6], number: [4, 6] },
  personal: { text: [2, 8], number: [7, 7] },
} as const;
/** A telephone number may also be written without the code of its country. */
const COUNTRY_DIGITS = 3;

/** The known secrets and personal data of one recording. */
export class Redactor {
  readonly #standIns = new StandIns();
  readonly #tokens = new Map<string, string>();
  readonly #known = new KnownValues(isServiceText);
  #news = new KnownValues(isServiceText);
  readonly #keepsPersonal: boolean;

  constructor({ keepPersonalData = false } = {}) {
    this.#keepsPersonal = keepPersonalData;
  }

  /** Learns what an entry shows to be secret or personal. */
  learn(entry: HarEntry): LearnedEntry {
    const texts: string[] = [];
    this.#eachText(entry, (text, read) => {
      read(View.of(text), (value, kind) => this.#learn(value, kind));
      texts.push(text);
      return text;
    });
    return {
      redacted: () => this.#eachText(entry, (text, read) => this.#redacted(text, read)) as RecordedEntry,
      letters: () =>
        texts.flatMap((text) => searched(View.of(text)).map(({ view }) => lettersOf(view.text))).join("\n"),
    };
  }

  /** The values learned since the last time. */
  takeNews(): KnownValues {
    const news = this.#news;
    this.#news = new KnownValues(isServiceText);
    return news;
  }

  /** The entry with each of its texts changed. */
  #eachText(entry: HarEntry, change: (text: string, read: Read) => string): HarEntry {
    const { request, response } = entry;
    const plain = (text: string) => change(text, (view, visit) => this.#value(view, "plain", visit, false));
    const headers = (pairs: readonly HarPair[]) =>
      pairs.map(({ name, value }) => ({
        name: plain(name),
        value: change(value, (view, visit) => this.#header(name, view, visit)),
      }));
    const body = <Content extends { readonly mimeType: string; readonly text?: string }>(
      content: Content,
      isRequest: boolean,
    ): Content => {
      const { mimeType, text } = content;
      const read: Read = (view, visit) => this.#body(view, visit, mimeType, isRequest);
      return {
        ...content,
        mimeType: plain(mimeType),
        ...(text !== undefined && { text: change(text, read) }),
      };
    };
    const url = change(request.url, (view, visit) => this.#text(view, visit, true));
    return {
      ...entry,
      request: {
        ...request,
        method: plain(request.method),
        url,
        headers: headers(request.headers),
        queryString: queryPairs(url),
        ...(request.postData !== undefined && { postData: body(request.postData, true) }),
      },
      response: {
        ...response,
        statusText: plain(response.statusText),
        headers: headers(response.headers),
        content: body(response.content, false),
        redirectURL: plain(response.redirectURL),
        ...(response._error !== undefined && { _error: plain(response._error) }),
      },
    };
  }

  #header(name: string, view: View, visit: Visit): void {
    const isCookie = /^(set-)?cookie$/i.test(name);
    const cookies = isCookie ? view.parts(/[^;\s][^;]*/g) : [];
    for (const cookie of /^set-/i.test(name) ? cookies.slice(0, 1) : cookies)
      visit(cookie.slice(cookie.text.indexOf("=") + 1), "secret");
    this.#value(view, !isCookie && isSecretHeader(name) ? "secret" : "plain", visit, false);
  }

  #body(view: View, visit: Visit, mimeType: string, isRequest: boolean): void {
    // A body that is not JSON may contain anything anywhere.
    const open = isRequest && !this.#keepsPersonal ? "personal" : "plain";
    if (/^\s*[[{"]/.test(view.text)) this.#fields(view, visit, isJson(view.text) ? "plain" : open, isRequest);
    else if (/urlencoded/i.test(mimeType)) this.#pairs(view, FORM_PAIR, visit, isRequest);
    else this.#value(view, open, visit, isRequest);
  }

  #fields(view: View, visit: Visit, start: Kind, isRequest: boolean, depth = 0): void {
    visitValues<Kind>(view, start, {
      kindOf: (name, around, named) => this.#kindOf(name, around, named, isRequest),
      visit: (value, kind, form) => {
        if (form === "key" && isServiceText(lettersOf(value.text))) return;
        if (form === "bare" && kind !== "personal")
          return depth === 0 || kind === "secret" ? visit(value, kind, depth === 0) : undefined;
        const isNumber = form === "bare" && kind === "personal" && /^-?\d/.test(value.text);
        for (const part of isNumber ? value.parts(/\d+/g) : [value])
          this.#value(part, kind, visit, isRequest, depth + 1);
      },
    });
  }

  #kindOf(name: string, around: Kind, named: string, isRequest: boolean): Kind {
    if (around === "secret" || isSecretField(name)) return "secret";
    if (name === "value" && (around === "headers" ? !PUBLIC_HEADER.test(named) : isSecretHeader(named)))
      return "secret";
    if (around === "personal") return around;
    if (name === "extraHeaders") return "headers";
    const personal = isRequest ? PERSONAL_OF_REQUEST : PERSONAL;
    return personal.has(plainName(name)) && !this.#keepsPersonal ? "personal" : around;
  }

  #value(value: View, kind: Kind, visit: Visit, isRequest: boolean, depth = 0): void {
    const { text } = value;
    const [before = ""] = (kind === "secret" ? SCHEME : kind === "personal" ? PREFIX : /^/).exec(text) ?? [];
    visit(value.slice(before.length), kind);
    if (kind !== "secret") this.#text(value, visit, isRequest, depth);
    else if (/^basic/i.test(before)) {
      const pair = Buffer.from(text.slice(before.length), "base64").toString();
      // A user without a password is a key.
      visit(View.of(/^[^:]*:(.+)$/s.exec(pair)?.[1] ?? pair.replace(/:$/, "")), kind);
    }
  }

  /** The addresses, pairs and fields in a text, however they are encoded. */
  #text(whole: View, visit: Visit, isRequest: boolean, depth = 0): void {
    for (const [round, view] of whole.decodings().entries()) {
      const next = depth + round + 1;
      if (next > MAX_DEPTH) return;
      const { text } = view;
      for (const { indices } of text.includes("@") ? text.matchAll(USER) : []) {
        const user = view.slice(...(indices?.[1] ?? [0, 0]));
        visit(user.slice(user.text.indexOf(":") + 1), "secret");
      }
      if (text.includes("=")) this.#pairs(view, PAIR, visit, isRequest, next);
      if (text.includes('"') && text.includes(":")) this.#fields(view, visit, "plain", isRequest, next);
      for (const encoded of view.encoded()) this.#text(View.of(encoded.text), visit, isRequest, next);
    }
  }

  /** `name=value`; the name may be that of a nested field: `user[email]`. */
  #pairs(view: View, pattern: RegExp, visit: Visit, isRequest: boolean, depth = 0): void {
    for (const { 1: sign, indices } of view.text.matchAll(pattern)) {
      const [name, value] = [2, 3].map((at) => view.slice(...(indices?.[at] ?? [0, 0])).unescaped());
      if (name === undefined || value === undefined) continue;
      const names = name.text.split(/[[\].]+/).filter((part) => part !== "");
      const isSecret = sign !== undefined && isSecretName(names.at(-1) ?? "");
      const kind = names.reduce<Kind>(
        (around, part) => this.#kindOf(part, around, "", isRequest),
        isSecret ? "secret" : "plain",
      );
      this.#value(value, kind, visit, isRequest, depth);
    }
  }

  #learn(value: View, kind: Kind): void {
    const isSecret = kind === "secret";
    if (!isSecret && (kind !== "personal" || this.#keepsPersonal)) return;
    const token = isSecret ? this.#tokenOf(value.text) : undefined;
    for (const { text } of value.decodings()) {
      const letters = lettersOf(text);
      const isNumber = /^\d*$/.test(letters);
      const [least, inWords] = SEARCHED[isSecret ? "secret" : "personal"][isNumber ? "number" : "text"];
      if (letters.length < least || isServiceText(letters)) continue;
      const isAnywhere = letters.length >= inWords;
      this.#add({ letters, text, token, isAnywhere, rank: isSecret ? 2 : 1 });
      if (!isNumber || isSecret) continue;
      for (let from = 1; from <= COUNTRY_DIGITS && letters.length - from >= least; from += 1)
        this.#add({ letters: letters.slice(from), text, token, isAnywhere: true, rank: 0 });
    }
  }

  #add(known: Known): void {
    if ((this.#known.get(known.letters)?.rank ?? -1) >= known.rank) return;
    this.#known.add(known);
    this.#news.add(known);
  }

  /** `token-1` for a secret. */
  #tokenOf(secret: string): string {
    const token = this.#tokens.get(secret) ?? `token-${this.#tokens.size + 1}`;
    this.#tokens.set(secret, token);
    return token;
  }

  #redacted(text: string, read: Read): string {
    const whole = View.of(text);
    const values: { readonly view: View; readonly kind: Kind }[] = [];
    read(whole, (view, kind, isBare = false) => {
      if (kind === "secret" && view.text.trim() !== "")
        view.replace(isBare ? `"${this.#tokenOf(view.text)}"` : this.#tokenOf(view.text));
      else if (isBare) this.#redactBare(view);
      else values.push({ view, kind });
    });
    const others: View[] = [];
    for (const { view, place } of searched(whole))
      for (const { known, from, to } of this.#known.matches(view.text)) {
        const found = view.slice(from, to);
        const isOne = known.token !== undefined && !(JSON_SIGN.test(found.text) && found.text !== known.text);
        if (place !== undefined) place.replace(this.#tokenOf(place.text));
        else if (isOne) found.replace(this.#tokens.get(found.text) ?? known.token);
        else others.push(found);
      }
    for (const { view, kind } of values)
      if (kind === "personal" && !this.#keepsPersonal) view.rewrite(this.#standIns.of(view.text));
    // What the service says stays, even if a customer has written the same.
    for (const { view } of others.length > 0 ? values : [])
      if (isServiceText(lettersOf(view.text))) view.replace();
    for (const view of others) view.rewrite(this.#standIns.of(view.text));
    return whole.changed();
  }

  /** A number in JSON: what replaces it is valid there. */
  #redactBare(view: View): void {
    for (const { known } of this.#known.matches(view.text)) {
      const digits = () => view.text.replace(/\d+/g, (part) => this.#standIns.of(part));
      view.replace(known.token === undefined ? digits() : `"${known.token}"`);
    }
  }
}

/** Signs between the values of JSON. */
const JSON_SIGN = /["{}[\],:\s]/;

/** The texts in which values are searched: decoded, so that no escape is taken for a part of a word. `place`: where its base64 is. */
function searched(whole: View): { readonly view: View; readonly place?: View }[] {
  const [first, ...more] = whole.decodings();
  const views = more.length > 0 || first === undefined ? more : [first];
  const inside = views.flatMap((view) =>
    view.encoded().flatMap(({ text, place }) =>
      View.of(text)
        .decodings()
        .map((part) => ({ view: part, place })),
    ),
  );
  return [...views.map((view) => ({ view })), ...inside];
}

/** Descriptions, whose words are common. A field of the service may have the same name. */
const PROSE = new Set(["description", "summary", "title", "question", "when", "section"]);
/** Examples show customers. */
const EXAMPLES = /^examples?$/;

/** The letters of the service's own names, values and texts, and of their words: a customer may write the same ones. */
const VOCABULARY = vocabularyOfService();

function isServiceText(letters: string): boolean {
  return VOCABULARY.has(letters);
}

function vocabularyOfService(): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (text: string) => {
    for (const known of [text, ...wordsIn(text)]) found.add(lettersOf(known));
  };
  const schemas = [messageEventSchema, transferEventSchema, legacyPayloadSchema];
  const tables = [
    OPERATIONS,
    BEHAVIOUR_TABLE,
    SERVICE_REFUSALS.map(serviceRefusal),
    schemas,
    "application/json; charset=utf-8 true false null",
  ];
  JSON.stringify(tables, (key, value: unknown) => {
    if (EXAMPLES.test(key) || (PROSE.has(key) && typeof value === "string")) return undefined;
    add(key);
    if (typeof value === "string") add(value);
    return value;
  });
  return found;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const queryPairs = (url: string): HarPair[] => {
  const [, query] = url.split(/\?(.*)/s);
  return query === undefined
    ? []
    : Array.from(new URLSearchParams(query), ([name, value]) => ({ name, value }));
};
