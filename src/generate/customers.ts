/** The customers of a generated fixture. */

import { CHANNELS } from "../world/fields.js";
import type { FixtureInput } from "../world/fixture.js";
import { addressPart } from "./addresses.js";
import type { GenerateOptions, Names } from "./options.js";
import { DAY, NOW } from "./options.js";
import { itemAt, SeededRandom } from "./seeded-random.js";
import { phoneOf, type Team } from "./staff.js";

type Customer = NonNullable<FixtureInput["customers"]>[number];

/** What conversations need to know of a customer. */
export interface KnownCustomer {
  readonly firstName: string;
  readonly channel: (typeof CHANNELS)[number];
}

const MAIL_HOSTS = ["mail.example", "post.example", "customer.example"];
const TIERS = ["gold", "silver", "bronze"];
const CHANNEL_OF = [...CHANNELS, "WHATSAPP", "WHATSAPP"] as const;

export const customerId = (index: number): string => `cust_${String(index + 1).padStart(6, "0")}`;

/** The customers, dealt out to the teams in turn; each is entered into `known` as it is made. */
export function* customersOf(
  { customers, seed, language }: GenerateOptions,
  names: Names,
  teams: readonly Team[],
  known: KnownCustomer[],
): Generator<Customer> {
  for (let index = 0; index < customers; index += 1) {
    const random = new SeededRandom(seed, `customer/${index}`);
    const [firstName, lastName] = [names.firstName(), names.lastName()];
    const channel = random.pick(CHANNEL_OF);
    known.push({ firstName, channel });
    const name = [addressPart(firstName), addressPart(lastName)].filter(Boolean).join(".") || "customer";
    const email = `${name}.${index + 1}@${random.pick(MAIL_HOSTS)}`;
    const survey = (text: string) => ({ createdAt: NOW - random.between(1, 200) * DAY, text });
    yield {
      id: customerId(index),
      organizationId: itemAt(teams, index % teams.length).organization.id,
      type: random.chance(0.7) ? "prospect" : "customer",
      editable: true,
      pictureHref: random.chance(0.6) ? `https://files.example/p/${index + 1}.png` : null,
      displayName: language.fullName(firstName, lastName),
      emailAddress: channel === "EMAIL" || random.chance(0.7) ? email : null,
      phoneNumber: channel !== "EMAIL" || random.chance(0.7) ? phoneOf(language.phone, index) : null,
      firstName,
      lastName,
      company: random.chance(0.3) ? names.company() : null,
      channel,
      customerData: random.chance(0.5) ? [{ name: "TIER", value: random.pick(TIERS) }] : null,
      lastSurveys: random.chance(0.3)
        ? { nps: survey(String(random.between(0, 10))), preferredChannel: survey(channel) }
        : null,
      locale: language.tag,
    };
  }
}
