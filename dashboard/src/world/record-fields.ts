/** The fields of records that can be edited: how each is shown as text, and what a text means. */
import type { Customer, User } from "../model/types";

/** What a form is edited with. */
interface EditContext {
  /** The sandbox's time, ms. */
  readonly now: number;
}

export interface Field<R> {
  readonly label: string;
  /** How many lines the field has; left out: one. */
  readonly rows?: number;
  /** The texts that can be chosen from; left out: any. */
  readonly choices?: readonly string[];
  read(record: R): string;
  /** The record with what the text means. @throws Error where it means nothing */
  write(record: R, text: string, context: EditContext): R;
}

type TextKey = {
  [K in keyof Customer]-?: Customer[K] extends string | null | undefined ? K : never;
}[keyof Customer];

/** A text that may be missing. */
const text = (key: Exclude<TextKey, "id" | "organizationId" | "locale">, label: string): Field<Customer> => ({
  label,
  read: (record) => record[key] ?? "",
  write: (record, written) => ({ ...record, [key]: written.trim() || null }),
});

const survey = (key: "nps" | "preferredChannel", label: string): Field<Customer> => ({
  label,
  read: ({ lastSurveys }) => lastSurveys?.[key]?.text ?? "",
  write: (record, written, { now }) => ({
    ...record,
    lastSurveys: {
      ...record.lastSurveys,
      [key]: written.trim() === "" ? null : { createdAt: Math.round(now), text: written.trim() },
    },
  }),
});

/** `NAME = value`, a line each. */
const customerData: Field<Customer> = {
  label: "Customer data, one NAME = value per line",
  rows: 3,
  read: ({ customerData: all }) => (all ?? []).map(({ name, value }) => `${name} = ${value}`).join("\n"),
  write: (record, written) => {
    const lines = written.split("\n").filter((line) => line.trim() !== "");
    const pairs = lines.map((line) => {
      const [, name, value] = /^\s*([^=]*[^=\s])\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new Error(`Customer data: "${line.trim()}" is not NAME = value`);
      return { name, value };
    });
    return { ...record, customerData: pairs.length === 0 ? null : pairs };
  },
};

const NOT_SAID = "not set";

export const CUSTOMER_FIELDS: readonly Field<Customer>[] = [
  text("displayName", "Display name"),
  text("firstName", "First name"),
  text("lastName", "Last name"),
  text("emailAddress", "E-mail address"),
  text("phoneNumber", "Phone number"),
  text("company", "Company"),
  text("type", "Type"),
  text("channel", "Channel"),
  text("pictureHref", "Picture"),
  {
    label: "Locale",
    read: ({ locale }) => locale ?? "",
    write: ({ locale: _, ...record }, written) =>
      written.trim() === "" ? record : { ...record, locale: written.trim() },
  },
  {
    label: "Editable",
    choices: [NOT_SAID, "yes", "no"],
    read: ({ editable }) => (editable === null ? NOT_SAID : editable ? "yes" : "no"),
    write: (record, written) => ({ ...record, editable: written === NOT_SAID ? null : written === "yes" }),
  },
  survey("nps", "Last answer: nps"),
  survey("preferredChannel", "Last answer: preferred channel"),
  customerData,
];

const userText = (key: "displayName" | "email", label: string): Field<User> => ({
  label,
  read: (record) => record[key],
  write: (record, written) => ({ ...record, [key]: written.trim() }),
});

export const USER_FIELDS: readonly Field<User>[] = [
  userText("displayName", "Display name"),
  userText("email", "E-mail address"),
  {
    label: "Contactable",
    choices: ["yes", "no"],
    read: ({ contactable }) => (contactable ? "yes" : "no"),
    write: (record, written) => ({ ...record, contactable: written === "yes" }),
  },
  {
    label: "Business ids, separated by commas",
    read: ({ businessIds }) => businessIds.join(", "),
    write: (record, written) => ({
      ...record,
      businessIds: written
        .split(/[,\s]+/)
        .map((id) => id.trim())
        .filter((id) => id !== ""),
    }),
  },
];
