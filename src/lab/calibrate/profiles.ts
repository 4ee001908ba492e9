/** What a recording shows of customers' profiles and of users, and what calls about them come to in the possible worlds. */

import { profileSchema } from "../../api/presentation.js";
import { getOrInsert, isObject, keysOf } from "../../kernel/objects.js";
import type { Answer } from "../../service/behaviour/entry.js";
import { serviceRefusal } from "../../service/domain/refusals.js";
import type { FixtureDocument } from "../../service/world/records.js";
import type { Passed } from "./checks.js";
import { changed, errorSection, type Mismatch, mismatch, type Outcome, succeeds } from "./judge.js";
import { MEMORY_MS, type Parties } from "./parties.js";
import type { Choices } from "./possible.js";
import type { Changing, Exchange, Trace, Trust } from "./trace.js";
import { effectOf, endOf, isAccepted, sentIn, shownIn, textOf, tokenOf } from "./trace.js";

const UPDATED = ["firstName", "lastName", "company"] as const;
const UPDATE = "Endpoints / Update customer profile";

/** A field as it was last shown or set. */
interface Field {
  readonly value: string | undefined;
  /** Whether it was set to an empty text since, which a service may ignore. */
  readonly isEmptied?: boolean;
}

interface Profile extends Changing {
  readonly fields: Map<string, Field>;
  /** Whether a call has updated it since it was last read, and whether that changed the customer's name. */
  isUpdated?: boolean;
  isRenamed?: boolean;
  at: number;
}

interface Deletion {
  readonly email: string;
  readonly isDeleted: boolean;
  readonly at: number;
}

export const DOCUMENTED_DELETIONS = (
  ["users.notFound", "users.lastRepresentative", "users.lastInPool"] as const
).map((key) => serviceRefusal(key).answer);
const [NOT_FOUND, ...RULES] = DOCUMENTED_DELETIONS;

export class Profiles {
  readonly #profiles = new Map<string, Profile>();
  readonly #deletions = new Map<string, Deletion[]>();

  constructor(
    trace: Trace,
    readonly parties: Parties,
    fixture?: FixtureDocument,
  ) {
    for (const customer of fixture?.customers ?? []) {
      const profile = this.#profile(customer.id);
      profile.at = trace[0]?.at ?? 0;
      for (const name of [...UPDATED, "displayName"] as const)
        profile.fields.set(name, { value: customer[name] ?? "" });
    }
  }

  #profile = (id: string): Profile =>
    getOrInsert(this.#profiles, id, () => ({
      fields: new Map(),
      at: Number.NEGATIVE_INFINITY,
      busyUntil: 0,
    }));

  #refusal(choices: Choices, call: Exchange, index: number, id: string): Outcome | undefined {
    const scope = { customerId: id };
    const hidden = this.parties.hides(choices, call, `customer ${id}`);
    if (hidden !== undefined) return { refusal: `profile.${hidden}`, scope };
    if (choices.entry("profile.access") === "organization") return undefined;
    return choices.isTrue(`${tokenOf(call)} has a thread of ${id} at #${index}`)
      ? undefined
      : { refusal: "profile.notAccessible", scope };
  }

  read(choices: Choices, call: Exchange, index: number): Outcome {
    const id = call.params.customerId ?? "";
    const refusal = this.#refusal(choices, call, index, id);
    if (refusal !== undefined || !isAccepted(call)) return refusal ?? succeeds();
    return succeeds(this.#mismatch(choices, id, call));
  }

  #mismatch(choices: Choices, id: string, call: Exchange): Mismatch | undefined {
    const shown = shownIn(call);
    const profile = this.#profile(id);
    const differ = (name: string, expected: unknown, section?: string): Mismatch =>
      changed(name, expected, shown[name], section);
    if (shown.id !== id) return differ("id", id, "Endpoints / Get customer profile");
    const empty = choices.entry("profile.emptyFields");
    for (const name of keysOf(profileSchema.properties ?? {})) {
      if (!(name in shown) && empty !== "omit") return differ(name, "a value");
      if (shown[name] === null && empty !== "null") return differ(name, "a value");
    }
    const { lastSurveys } = shown;
    if (isObject(lastSurveys)) {
      const unanswered = choices.entry("surveys.unanswered");
      for (const name of ["nps", "preferredChannel"]) {
        const survey = lastSurveys[name];
        if (survey === (unanswered === "omit" ? null : undefined)) return differ("lastSurveys", unanswered);
        if (!isObject(survey)) continue;
        const unit = choices.entry("surveys.createdAtUnit");
        if (Number(survey.createdAt) < 100_000_000_000 !== (unit === "s")) return differ("lastSurveys", unit);
      }
    }
    if (call.at < profile.busyUntil || call.at - profile.at > MEMORY_MS) return undefined;
    for (const name of profile.fields.keys()) {
      const expected = this.#expected(choices, profile, name);
      const isSame = expected === undefined || expected === (shown[name] ?? "");
      if (!isSame)
        return differ(name, expected, profile.isUpdated && name !== "displayName" ? UPDATE : undefined);
    }
    return undefined;
  }

  /** A field as it is in a world; undefined if it can be anything. A change of names may derive another display name. */
  #expected(choices: Choices, profile: Profile, name: string): string | undefined {
    const { fields, isRenamed } = profile;
    if (name === "displayName" && isRenamed && choices.entry("profile.displayName") === "derive") {
      const names = ["firstName", "lastName"].map((one) => this.#expected(choices, profile, one));
      return names.includes(undefined) ? undefined : names.filter((one) => one !== "").join(" ");
    }
    const { value, isEmptied } = fields.get(name) ?? {};
    return isEmptied && choices.entry("profile.emptyUpdate") === "store" ? "" : value;
  }

  update(choices: Choices, call: Exchange, index: number): Outcome {
    const id = call.params.customerId ?? "";
    const refusal = this.#refusal(choices, call, index, id);
    if (refusal !== undefined) return refusal;
    if (
      !choices.isTrue(`${id} is editable at #${index}`) &&
      choices.entry("profile.notEditable") === "refuse"
    )
      return { refusal: "profile.notEditableError", scope: { customerId: id } };
    const profile = this.#profile(id);
    const known = [...profile.fields.keys()].map((name) => [name, this.#expected(choices, profile, name)]);
    const customer = { ...Object.fromEntries(known), ...sentIn(call), id };
    return { success: "profile.updateResponse", scope: { customer } };
  }

  delete(choices: Choices, call: Exchange, index: number, { body }: Passed): Outcome {
    const email = String(body.email);
    const section = errorSection(call.operation) ?? "";
    const group = this.parties.groupOf(tokenOf(call));
    const name = email.toLowerCase();
    const known =
      this.#deletions.get(`${group} ${name}`)?.filter(({ at }) => call.at - at <= MEMORY_MS) ?? [];
    const isExact = choices.entry("users.emailMatch") === "exact";
    const notFound = { documented: NOT_FOUND as Answer, section };
    // Nobody comes back in a moment: neither who is gone, nor who was not found by this spelling, or by any.
    if (known.some((one) => one.isDeleted || !isExact || one.email === email)) return notFound;
    const state = choices.pick(`${email} for ${group} at #${index}`, [
      "none",
      "last",
      "pool",
      "self",
      "other",
    ]);
    if (state === "none") return notFound;
    // The specification lists what is answered with these statuses.
    const isListed = call.message.status === 400 || call.message.status === 404;
    if (state === "self" && !isListed && choices.entry("users.deleteSelf") === "refuse")
      return { refusal: "users.deleteSelfError", scope: {} };
    if (state === "last" || state === "pool")
      return { documented: RULES[state === "last" ? 0 : 1] as Answer, section };
    return isAccepted(call) ? this.#deleted(choices, call, email, isExact) : succeeds();
  }

  #deleted(choices: Choices, call: Exchange, sent: string, isExact: boolean): Outcome {
    const { email } = shownIn(call);
    const differ = (section?: string): Outcome =>
      succeeds(mismatch("body.email", sent, email, section, "email is another spelling"));
    if (textOf(email)?.toLowerCase() !== sent.toLowerCase())
      return differ("Endpoints / Delete user by email");
    // Another spelling is the stored one, which was not asked for.
    const isOther = email !== sent && (isExact || choices.entry("users.deleteEcho") === "sent");
    return isOther ? differ() : succeeds();
  }

  /** Takes over what an accepted call shows or changes. */
  after(call: Exchange, trust: Trust): void {
    const { operation, params } = call;
    if (operation === "deleteUserByEmail") this.#noteDeletion(call);
    const id = params.customerId;
    if (id === undefined) return;
    const [profile, end] = [this.#profile(id), endOf(call)];
    const isUpdate = operation === "updateCustomerProfile";
    const effect = effectOf(profile, call, trust, isUpdate);
    if (effect === "forget")
      this.#profiles.set(id, { fields: new Map(), at: end, busyUntil: profile.busyUntil });
    else if (effect === "take") {
      if (isUpdate) this.#write(profile, call);
      else this.#show(profile, call);
      profile.at = end;
    }
  }

  #write(profile: Profile, call: Exchange): void {
    for (const name of UPDATED) {
      const value = sentIn(call)[name];
      if (typeof value !== "string") continue;
      profile.fields.set(
        name,
        value === "" ? { value: profile.fields.get(name)?.value, isEmptied: true } : { value },
      );
      if (name !== "company") profile.isRenamed = true;
    }
    profile.isUpdated = true;
  }

  #show(profile: Profile, call: Exchange): void {
    const shown = shownIn(call);
    for (const name of [...UPDATED, "displayName"]) {
      const value = shown[name] ?? "";
      if (typeof value === "string") profile.fields.set(name, { value });
      else profile.fields.delete(name);
    }
    profile.isUpdated = false;
    profile.isRenamed = false;
  }

  #noteDeletion(call: Exchange): void {
    const email = textOf(sentIn(call).email);
    const isFound =
      isAccepted(call) || shownIn(call).error === Object.values((NOT_FOUND?.body ?? {}) as object)[0];
    if (email === undefined || !isFound) return;
    const name = `${this.parties.groupOf(tokenOf(call))} ${email.toLowerCase()}`;
    const deletion = { email, isDeleted: isAccepted(call), at: endOf(call) };
    getOrInsert(this.#deletions, name, () => []).push(deletion);
  }
}
