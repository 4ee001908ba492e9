/** The files that options name: behaviour values, faults and certificates. */

import { type ParsedDocument, parseDocument } from "../../kernel/document.js";
import { reasonOf } from "../../kernel/errors.js";
import type { TlsFiles } from "../../kernel/http/server.js";
import { isObject } from "../../kernel/json.js";
import type { ProfileName } from "../../kernel/names.js";
import { isKeyOf, keysOf } from "../../kernel/objects.js";
import { type Problem, under } from "../../kernel/problems.js";
import { array } from "../../kernel/schema.js";
import { problemsBySchema } from "../../kernel/schema-problems.js";
import { nearest } from "../../kernel/words.js";
import { type FaultInput, faultSchema, problemsOf } from "../../sandbox/faults.js";
import type { CheckedBehaviour } from "../../service/behaviour/check.js";
import { type BehaviourValues, PROFILES } from "../../service/behaviour/table.js";

/** The text of a file. Rejects with the system error. */
export type ReadText = (file: string) => Promise<string>;

export const isProfile = (name: string): name is ProfileName => isKeyOf(PROFILES, name);

/** Behaviour values, or all of their problems. */
export async function checkBehaviour(value: unknown): Promise<CheckedBehaviour> {
  const { BehaviourChecker } = await import("../../service/behaviour/check.js");
  return new BehaviourChecker().check(value);
}

/** A list of faults, or in a file also a single one, or all of its problems. */
export function checkFaults(value: unknown): { problems: Problem[]; faults: FaultInput[] } {
  const schema = isObject(value) ? faultSchema : array(faultSchema);
  const malformed = problemsBySchema(schema, value);
  if (malformed.length > 0) return { problems: malformed, faults: [] };
  const given = value as FaultInput | FaultInput[];
  const problems = Array.isArray(given)
    ? given.flatMap((fault, index) => problemsOf(fault).map((problem) => under([index], problem)))
    : [...problemsOf(given)];
  return { problems, faults: problems.length > 0 ? [] : [given].flat() };
}

export function noProfile(name: string): string {
  const meant = nearest(name, keysOf(PROFILES));
  const suggestion = meant === undefined ? "" : `: did you mean "${meant}"?`;
  return `not one of the profiles ${keysOf(PROFILES).join(", ")}${suggestion}`;
}

/** Reads the files that options name, and collects their problems. */
export class OptionFiles {
  readonly problems: Problem[] = [];

  /** `locate` adds to a problem where the option's value was given. */
  constructor(
    private readonly read: ReadText,
    private readonly locate: (name: string, problem: Problem) => Problem,
  ) {}

  /** Adds a problem of an option's value. */
  refuse(name: string, message: string, path = ""): undefined {
    this.problems.push(this.locate(name, { path, message }));
  }

  /** The text of a file; undefined if it cannot be read. */
  async text(name: string, file: string, path = ""): Promise<string | undefined> {
    try {
      return await this.read(file);
    } catch (error) {
      const others = name === "behaviour" ? ` (and it is ${noProfile(file)})` : "";
      const why = `cannot read ${file}: ${reasonOf(error)}${others}`;
      return this.refuse(name, why, path);
    }
  }

  /** A JSON or YAML file; undefined if it cannot be read or parsed. */
  async document(name: string, file: string, path = ""): Promise<ParsedDocument | undefined> {
    const text = await this.text(name, file, path);
    if (text === undefined) return undefined;
    const document = await parseDocument(text, { file });
    if (!document.problems) return document;
    this.problems.push(...document.problems);
    return undefined;
  }

  /** The profile or values as they are, or the values of the file. */
  async behaviour(value: string | undefined): Promise<ProfileName | Partial<BehaviourValues> | undefined> {
    if (value === undefined || isProfile(value)) return value;
    const document = await this.document("behaviour", value);
    if (document === undefined) return undefined;
    const { problems, values } = await behaviourIn(document);
    this.problems.push(...problems);
    return values;
  }

  /** The faults of files, in order. */
  async faults(names: readonly string[]): Promise<FaultInput[]> {
    const lists = await Promise.all(
      names.map(async (file, index) => {
        const document = await this.document("fault", file, `[${index}]`);
        if (document === undefined) return [];
        const { problems, faults } = faultsIn(document);
        this.problems.push(...problems);
        return faults;
      }),
    );
    return lists.flat();
  }

  /** Certificate and key, read and checked; undefined if there are none or they are invalid. */
  async tls(certFile: string | undefined, keyFile: string | undefined): Promise<TlsFiles | undefined> {
    if (certFile !== undefined && keyFile === undefined) this.refuse("tls-cert", "needs --tls-key too");
    if (keyFile !== undefined && certFile === undefined) this.refuse("tls-key", "needs --tls-cert too");
    if (certFile === undefined || keyFile === undefined) return undefined;
    const cert = await this.text("tls-cert", certFile);
    const key = await this.text("tls-key", keyFile);
    if (cert === undefined || key === undefined) return undefined;
    const { createPrivateKey } = await import("node:crypto");
    const certificate = await this.#certificate("tls-cert", certFile, cert);
    const privateKey = attempt(() => createPrivateKey(key));
    if (privateKey === undefined) this.refuse("tls-key", `${keyFile} contains no private key in PEM`);
    if (certificate === undefined || privateKey === undefined) return undefined;
    if (certificate.checkPrivateKey(privateKey)) return { cert, key };
    return this.refuse("tls-key", `${keyFile} is not the key of the certificate ${certFile}`);
  }

  /** The authority for checking the certificates of receivers, in PEM. */
  async authority(file: string | undefined): Promise<string | undefined> {
    const text = file === undefined ? undefined : await this.text("webhook-ca", file);
    return file && text && (await this.#certificate("webhook-ca", file, text)) && text;
  }

  async #certificate(name: string, file: string, pem: string) {
    const { X509Certificate } = await import("node:crypto");
    return (
      attempt(() => new X509Certificate(pem)) ?? this.refuse(name, `${file} contains no certificate in PEM`)
    );
  }
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** The values of a behaviour file, and its problems with locations. `$schema` is for editors; an empty file has no values. */
export async function behaviourIn({ value, locate }: ParsedDocument) {
  const { $schema: _, ...own } = isObject(value) ? value : {};
  const { problems = [], values } = await checkBehaviour(isObject(value ?? {}) ? own : value);
  return { problems: locate(problems), values };
}

/** The faults of a file with a list of them or a single one, and its problems with locations. */
export function faultsIn({ value, locate }: ParsedDocument) {
  const { problems, faults } = checkFaults(value);
  return { problems: locate(problems), faults };
}
