/** Removes secrets and personal data from recorded exchanges. Only this creates a `RecordedEntry`. */

import { OPERATIONS } from "../../api/operations/index.js";
import { isCredentialName, isSecretName } from "../../kernel/secrets.js";
import { BEHAVIOUR_TABLE } from "../../service/behaviour/table.js";
import {
  legacyPayloadSchema,
  messageEventSchema,
  transferEventSchema,
} from "../../service/domain/event-payload-schemas.js";
import { SERVICE_REFUSALS, serviceRefusal } from "../../service/domain/refusals.js";
import type { HarEntry, HarPair } from "./har.js";
import { rewriteValues } from "./json-values.js";
import { StandIns, wordsIn } from "./stand-ins.js";

declare const redacted: unique symbol;
/** An entry without secrets and personal data, which may be written. */
export type RecordedEntry = HarEntry & { readonly [redacted]: true };

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
/** Values are learned first, then replaced. The last pass also replaces what was learned after an entry was written. */
type Pass = "learn" | "write" | "again";

const SECRET_HEADER = /signature|hmac/i;
const PUBLIC_HEADER = /^(www-authenticate|proxy-authenticate|content-.*|accept.*)$/i;
const isSecretHeader = (name: string): boolean =>
  !PUBLIC_HEADER.test(name) && (isSecretName(name) || SECRET_HEADER.test(name));
const isSecretField = (name: string): boolean =>
  isCredentialName(name) || /token|session|signature/i.test(name);
const SCHEME = /^(?:Bearer|Basic|Token|ApiKey)\s+/i;
/** A prefix that the service's answer depends on. */
const PREFIX = /^whatsapp:/i;
const ADDRESS = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>\\]+/gi;
const CHUNK = /[^\s"'<>\\]+/g;

/** A value to search for everywhere: its words, and its replacement if that is not made word by word. */
interface Known {
  readonly words: string;
  readonly count: number;
  readonly token?: string;
}

/** The known secrets and personal data of one recording. */
export class Redactor {
  readonly #standIns = new StandIns();
  readonly #tokens = new Map<string, string>();
  /** By the first two words, or the only one. */
  readonly #known = new Map<string, Known[]>();
  readonly #keepsPersonal: boolean;

  constructor({ keepPersonalData = false } = {}) {
    this.#keepsPersonal = keepPersonalData;
  }

  /** The entry with everything secret or personal replaced, wherever it is. */
  redact(entry: HarEntry): RecordedEntry {
    this.#pass(entry, "learn");
    return this.#pass(entry, "write");
  }

  /** A redacted entry, also without values that later entries have revealed to be secret or personal. */
  redactAgain(entry: HarEntry): RecordedEntry {
    return this.#pass(entry, "again");
  }

  #pass(entry: HarEntry, pass: Pass): RecordedEntry {
    const { request, response } = entry;
    const { postData } = request;
    const plain = (text: string) => this.#text(text, pass, false);
    const headers = (pairs: readonly HarPair[]) =>
      pairs.map(({ name, value }) => ({ name, value: this.#header(name, value, pass) }));
    const url = this.#address(request.url, pass, true);
    const { text, ...content } = response.content;
    const result: HarEntry = {
      ...entry,
      request: {
        ...request,
        url,
        headers: headers(request.headers),
        queryString: queryPairs(url),
        ...(postData !== undefined && {
          postData: {
            ...postData,
            mimeType: plain(postData.mimeType),
            text: this.#body(postData.text, postData.mimeType, pass, true),
          },
        }),
      },
      response: {
        ...response,
        statusText: plain(response.statusText),
        headers: headers(response.headers),
        content: {
          ...content,
          mimeType: plain(content.mimeType),
          ...(text !== undefined && { text: this.#body(text, content.mimeType, pass, false) }),
        },
        redirectURL: plain(response.redirectURL),
        ...(response._error !== undefined && { _error: plain(response._error) }),
      },
    };
    return result as RecordedEntry;
  }

  #header(name: string, value: string, pass: Pass): string {
    if (/^cookie$/i.test(name))
      return value.replace(/(=\s*)([^;]*)/g, (_, sign, one) => sign + this.#secret(one, pass));
    if (/^set-cookie$/i.test(name))
      return value.replace(/^([^=;]*=)([^;]*)/, (_, sign, one) => sign + this.#secret(one, pass));
    return isSecretHeader(name) ? this.#secret(value, pass) : this.#text(value, pass, false);
  }

  #body(text: string, mimeType: string, pass: Pass, isRequest: boolean): string {
    if (/^\s*[[{"]/.test(text)) {
      // A body that is not JSON may contain anything anywhere.
      const start = isRequest && !isJson(text) && !this.#keepsPersonal ? "personal" : "plain";
      return this.#fields(text, start, pass, isRequest);
    }
    if (/urlencoded/i.test(mimeType)) return this.#query(text, pass, isRequest);
    return isRequest ? this.#value(text, "personal", pass, true) : this.#text(text, pass, false);
  }

  #fields(text: string, start: Kind, pass: Pass, isRequest: boolean): string {
    return rewriteValues<Kind>(text, start, {
      kindOf: (name, around, named) => this.#kindOf(name, around, named, isRequest),
      rewrite: (value, kind, form) => {
        if (form === "key")
          return isWordOfTheService(value) ? value : this.#value(value, kind, pass, isRequest);
        if (form === "bare" && kind === "plain") return this.#repetitions(value, pass);
        if (form === "bare" && /^-?\d/.test(value))
          return value.replace(/\d+/g, (digits) => this.#value(digits, "personal", pass, isRequest));
        return this.#value(value, kind, pass, isRequest);
      },
    });
  }

  #kindOf(name: string, around: Kind, named: string, isRequest: boolean): Kind {
    if (around === "personal" || around === "secret") return around;
    if (name === "extraHeaders") return "headers";
    if (name === "value" && (around === "headers" ? !PUBLIC_HEADER.test(named) : isSecretHeader(named)))
      return "secret";
    if (isSecretField(name)) return "secret";
    const personal = isRequest ? PERSONAL_OF_REQUEST : PERSONAL;
    return personal.has(plainName(name)) && !this.#keepsPersonal ? "personal" : around;
  }

  #value(value: string, kind: Kind, pass: Pass, isRequest: boolean): string {
    if (kind === "secret") return this.#secret(value, pass);
    if (kind !== "personal" || this.#keepsPersonal) return this.#text(value, pass, isRequest);
    if (pass === "again") return value;
    const [prefix = ""] = PREFIX.exec(value) ?? [];
    const own = value.slice(prefix.length);
    if (pass === "write") return prefix + this.#standIns.of(own);
    this.#learn(own);
    // Secrets inside it must be learned, too.
    this.#text(own, pass, isRequest);
    return value;
  }

  /** A text that is kept, except for known values and for the fields and addresses in it. */
  #text(text: string, pass: Pass, isRequest: boolean): string {
    let result = text.replace(ADDRESS, (address) => this.#address(address, pass, isRequest));
    if (result.includes('"') && result.includes(":"))
      result = rewriteValues<Kind>(result, "plain", {
        kindOf: (name, around, named) => this.#kindOf(name, around, named, isRequest),
        rewrite: (value, kind, form) =>
          form === "text" && value !== result ? this.#value(value, kind, pass, isRequest) : value,
      });
    if (result.includes("%"))
      result = result.replace(CHUNK, (chunk) =>
        chunk.includes("%") ? encoded(chunk, false, (plain) => this.#repetitions(plain, pass)) : chunk,
      );
    return this.#repetitions(result, pass);
  }

  /** An address, or the target of a request: redacts its password, parameters and segments. */
  #address(address: string, pass: Pass, isRequest: boolean): string {
    const [, start = "", user = "", path = "", query] =
      /^([a-z][a-z0-9+.-]*:\/\/)?(?:([^/?#]*)@)?([^?]*)(?:\?(.*))?$/is.exec(address) ?? [];
    // A user without a password is a key.
    const [, name = "", password = ""] = /^(?:([^:]*:))?(.*)$/s.exec(user) ?? [];
    const who = user === "" ? "" : `${name}${this.#secret(password, pass)}@`;
    const segments = path
      .split("/")
      .map((segment) => encoded(segment, false, (text) => this.#repetitions(text, pass)))
      .join("/");
    return start + who + segments + (query === undefined ? "" : `?${this.#query(query, pass, isRequest)}`);
  }

  #query(query: string, pass: Pass, isRequest: boolean): string {
    const parameter = (pair: string): string => {
      const [rawName = "", rawValue] = pair.split(/=(.*)/s);
      const name = decoded(rawName, true);
      const kind = isSecretName(name) ? "secret" : this.#kindOf(name, "plain", "", isRequest);
      const newName = encoded(rawName, true, (text) => this.#repetitions(text, pass));
      if (rawValue === undefined) return newName;
      return `${newName}=${encoded(rawValue, true, (text) => this.#value(text, kind, pass, isRequest))}`;
    };
    return query.split("&").map(parameter).join("&");
  }

  /** `token-1` for a secret, after its scheme if it has one. */
  #secret(value: string, pass: Pass): string {
    if (pass === "again" || value.trim() === "") return value;
    const [scheme = ""] = SCHEME.exec(value) ?? [];
    const own = value.slice(scheme.length);
    let token = this.#tokens.get(own);
    if (token === undefined) {
      token = `token-${this.#tokens.size + 1}`;
      this.#tokens.set(own, token);
      this.#learn(own, token);
      const [, password] = /^basic/i.test(scheme)
        ? Buffer.from(own, "base64").toString().split(/:(.*)/s)
        : [];
      if (password) this.#secret(password, pass);
    }
    return scheme + token;
  }

  /** Learns a value, unless its words are too common to identify anything. */
  #learn(value: string, token?: string): void {
    const words = wordsIn(value).map(({ folded }) => folded);
    const joined = words.join(" ");
    const [first, second] = words;
    const leastDigits = token === undefined ? 7 : 5;
    const isTelling = /^[\d ]*$/.test(joined) ? joined.length >= leastDigits : joined.length > 1;
    if (first === undefined || !isTelling || VOCABULARY.has(joined)) return;
    const key = second === undefined ? first : `${first} ${second}`;
    const same = this.#known.get(key) ?? [];
    if (same.some((known) => known.words === joined && (known.token ?? token) === known.token)) return;
    same.push({ words: joined, count: words.length, ...(token !== undefined && { token }) });
    // The longest match wins, and secrets win over personal values.
    same.sort((a, b) => b.count - a.count || (a.token === undefined ? 1 : -1));
    this.#known.set(key, same);
  }

  /** A text with known values replaced, however their words are separated. */
  #repetitions(text: string, pass: Pass): string {
    if (pass === "learn" || this.#known.size === 0) return text;
    const words = wordsIn(text);
    if (words.length === 0 || isWordOfTheService(text)) return text;
    const joined = `${words.map(({ folded }) => folded).join(" ")} `;
    let result = "";
    let copied = 0;
    let offset = 0;
    for (let at = 0; at < words.length; ) {
      const [word, next] = [words[at] as (typeof words)[0], words[at + 1]];
      const found = [
        ...(next === undefined ? [] : (this.#known.get(`${word.folded} ${next.folded}`) ?? [])),
        ...(this.#known.get(word.folded) ?? []),
      ].find((known) => joined.startsWith(`${known.words} `, offset));
      const last = words[at + (found?.count ?? 1) - 1] ?? word;
      const end = last.at + last.text.length;
      if (found !== undefined) {
        result += text.slice(copied, word.at) + (found.token ?? this.#standIns.of(text.slice(word.at, end)));
        copied = end;
      }
      offset += (found?.words ?? word.folded).length + 1;
      at += found?.count ?? 1;
    }
    return result + text.slice(copied);
  }
}

/** Descriptions, whose words are common. A field of the service may have the same name. */
const PROSE = new Set(["description", "summary", "title", "question", "when", "section"]);
/** Examples show customers. */
const EXAMPLES = /^examples?$/;

/** The service's own names, values and texts, and their words: a customer may write the same ones. */
const VOCABULARY = vocabularyOfService();
const isWordOfTheService = (text: string): boolean => VOCABULARY.has(text.toLowerCase());

function vocabularyOfService(): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (text: string) => {
    const words = wordsIn(text).map(({ folded }) => folded);
    for (const known of [text.toLowerCase(), words.join(" "), ...words]) found.add(known);
  };
  const schemas = [messageEventSchema, transferEventSchema, legacyPayloadSchema];
  const tables = [
    OPERATIONS,
    BEHAVIOUR_TABLE,
    SERVICE_REFUSALS.map(serviceRefusal),
    schemas,
    "application/json; charset=utf-8",
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

function decoded(text: string, isForm: boolean): string {
  try {
    return decodeURIComponent(isForm ? text.replaceAll("+", " ") : text);
  } catch {
    return text;
  }
}

/** An encoded text with its content rewritten; if that is unchanged, the text stays verbatim. */
function encoded(text: string, isForm: boolean, rewrite: (decoded: string) => string): string {
  const plain = decoded(text, isForm);
  const written = rewrite(plain);
  if (written === plain) return text;
  const result = encodeURIComponent(written);
  return isForm && text.includes("+") ? result.replaceAll("%20", "+") : result;
}

const queryPairs = (url: string): HarPair[] => {
  const [, query] = url.split(/\?(.*)/s);
  return query === undefined
    ? []
    : Array.from(new URLSearchParams(query), ([name, value]) => ({ name, value }));
};
