/** `messaging-sim generate`: an organization with customers and conversations, made with faker. */
import type { Faker } from "@faker-js/faker";
import { keysOf } from "../kernel/objects.js";
import { seedOf } from "../kernel/random.js";
import { CHANNELS } from "../service/world/records.js";
import { asText, command, numberIn, oneOf, optional, withDefault } from "./command.js";
import { OK } from "./terminal.js";

/** Only the requested locale is loaded: loading all of them takes a second. */
export const LOCALES = {
  en: () => import("@faker-js/faker/locale/en"),
  fr: () => import("@faker-js/faker/locale/fr"),
  de: () => import("@faker-js/faker/locale/de"),
  es: () => import("@faker-js/faker/locale/es"),
  it: () => import("@faker-js/faker/locale/it"),
  pt_BR: () => import("@faker-js/faker/locale/pt_BR"),
  nl: () => import("@faker-js/faker/locale/nl"),
  ja: () => import("@faker-js/faker/locale/ja"),
};

const count = (least: number) => numberIn(`a whole number from ${least} to 100000`, least, 100_000);

/** `messaging-sim generate`: a fixture on standard output; the same options give the same bytes. */
export const GENERATE = command({
  options: {
    threads: withDefault("number of threads", count(0), "20"),
    customers: optional("number of customers (default: two for every three threads)", count(1)),
    businesses: withDefault("number of businesses", count(1), "3"),
    seed: withDefault("seed: a number or any text", asText, "1"),
    locale: withDefault(
      `language of names and texts: ${keysOf(LOCALES).join(", ")}`,
      oneOf("locale", LOCALES),
      "en",
    ),
  },
  examples: {
    "messaging-sim generate > small.json": "a small fixture",
    "messaging-sim generate --threads 500 --locale fr --seed 7 > french.json":
      "a larger one, with French names",
  },
  exits: { 0: "the fixture is written", 2: "an option is invalid, or the output cannot be written" },
  run: async ({ threads, customers = Math.ceil((threads * 2) / 3), businesses, seed, locale }, terminal) => {
    const { faker } = await LOCALES[locale]();
    faker.seed(seedOf(seed));
    const made = fixture(faker, locale.replace("_", "-"), { threads, customers, businesses });
    const collections = Object.entries(made).map(([name, records]) => {
      const lines = records.map((record) => `\n    ${JSON.stringify(record)}`).join();
      return `  "${name}": [${lines}${lines && "\n  "}]`;
    });
    terminal.out(`{\n${collections.join(",\n")}\n}\n`);
    return OK;
  },
});

/** The current time of the generated world, ms: 5 January 2026, 08:00 UTC. */
export const NOW = 1_767_600_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const ORGANIZATION = "200";
const MANAGER = "501";
const TEMPLATE_TITLES = ["issue_back", "order_ready", "appointment_reminder"];
/** WhatsApp is the most frequent channel. */
const CHANNEL_WEIGHTS = [...CHANNELS, "WHATSAPP", "WHATSAPP"] as const;

const each = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index));

const businessId = (index: number): string => String(1001 + index);
/** The employee of a business. */
const employeeId = (business: number): string => String(502 + business);
const phoneNumber = (index: number): string => `+1555${String(index).padStart(8, "0")}`;

type Counts = Readonly<Record<"threads" | "customers" | "businesses", number>>;

function fixture(faker: Faker, locale: string, counts: Counts) {
  const organization = { id: ORGANIZATION, name: faker.company.name() };
  const businesses = each(counts.businesses, (index) => ({
    id: businessId(index),
    organizationId: ORGANIZATION,
    name: `${organization.name} ${faker.location.city()}`,
    online: index === 0 || faker.datatype.boolean(0.9),
    whatsappSender: { active: true, phoneNumber: phoneNumber(2 * index + 1) },
    escalationPool: [employeeId(index)],
  }));
  const user = (id: string, businessIds: readonly string[]) => ({
    ...{ id, organizationId: ORGANIZATION, businessIds },
    ...{ email: `user.${id}@org-${ORGANIZATION}.example`, displayName: faker.person.fullName() },
  });
  const everywhere = businesses.map(({ id }) => id);
  const employees = businesses.map(({ id }, business) => user(employeeId(business), [id]));
  const templates = TEMPLATE_TITLES.map((title) => ({
    id: `HX${faker.string.hexadecimal({ length: 32, casing: "lower", prefix: "" })}`,
    organizationId: ORGANIZATION,
    title,
    text: faker.lorem.sentence(),
  }));
  const customers = each(counts.customers, (index) => customerOf(faker, index, locale));
  const messages: object[] = [];
  const threads = each(counts.threads, (index) => {
    const { id: customerId, channel } = faker.helpers.arrayElement(customers);
    const isWhatsApp = channel === "WHATSAPP";
    const business = faker.number.int(businesses.length - 1);
    const id = String(9001 + index);
    const own = conversation(faker);
    for (const message of own) {
      const employeeUserId = message.fromCustomer ? null : employeeId(business);
      messages.push({ id: String(555_001 + messages.length), threadId: id, ...message, employeeUserId });
    }
    const visible = own.filter(({ invisible }) => !invisible);
    const answered = visible.at(-1)?.fromCustomer === false ? "replied" : "waiting";
    const status = visible.length > 4 && faker.datatype.boolean() ? "resolved" : answered;
    const heard = own.findLast(({ fromCustomer }) => fromCustomer)?.timestamp ?? 0;
    const isMessagingWindowOpen = !isWhatsApp || NOW - heard < DAY;
    return { id, businessId: businessId(business), customerId, channel, status, isMessagingWindowOpen };
  });
  const token = (id: string, permissions: readonly string[]) => ({ id, userId: MANAGER, permissions });
  const webhook = { id: "1", hookId: "crm", organizationId: ORGANIZATION, url: `sink:org-${ORGANIZATION}` };
  return {
    organizations: [organization],
    businesses,
    users: [user(MANAGER, everywhere), ...employees],
    // Only the first may delete users.
    tokens: [token(`org-${ORGANIZATION}-token`, ["user:delete"]), token(`org-${ORGANIZATION}-no-delete`, [])],
    customers,
    threads,
    messages,
    templates,
    webhooks: [{ ...webhook, subscribedEvents: ["messages", "transfers"] }],
  };
}

function customerOf(faker: Faker, index: number, locale: string) {
  const sex = faker.person.sexType();
  const [firstName, lastName] = [faker.person.firstName(sex), faker.person.lastName(sex)];
  const tier = { name: "TIER", value: faker.helpers.arrayElement(["gold", "silver", "bronze"]) };
  return {
    id: `cust_${String(index + 1).padStart(6, "0")}`,
    organizationId: ORGANIZATION,
    type: faker.datatype.boolean(0.7) ? "prospect" : "customer",
    editable: true,
    displayName: faker.person.fullName({ firstName, lastName, sex }),
    emailAddress: `customer.${index + 1}@mail.example`,
    phoneNumber: phoneNumber(2 * index),
    firstName,
    lastName,
    company: faker.datatype.boolean(0.3) ? faker.company.name() : null,
    channel: faker.helpers.arrayElement(CHANNEL_WEIGHTS),
    customerData: faker.datatype.boolean() ? [tier] : null,
    locale,
  };
}

/** Customer and employee in turn, with some notes between colleagues. */
function conversation(faker: Faker) {
  const length = faker.number.int({ min: 1, max: 8 });
  let elapsed = 0;
  const messages = each(length, (position) => {
    const fromCustomer = position % 2 === 0;
    elapsed += faker.number.int({ min: MINUTE, max: (fromCustomer ? 90 : 30) * MINUTE });
    return {
      fromCustomer,
      invisible: !fromCustomer && faker.datatype.boolean(0.2),
      text: position === 0 ? `${faker.commerce.productName()}?` : faker.lorem.sentence(),
      timestamp: elapsed,
    };
  });
  const last = NOW - faker.number.int(faker.datatype.boolean() ? 20 * HOUR : 60 * DAY);
  return messages.map((message) => ({ ...message, timestamp: message.timestamp + last - elapsed }));
}
