/** The threads of a generated fixture and the messages in them. */
import type { FixtureInput } from "../world/records.js";
import { type Conversation, converse } from "./conversation.js";
import { customerId, type KnownCustomer } from "./customers.js";
import { Dice, itemAt } from "./dice.js";
import type { GenerateOptions } from "./options.js";
import type { Branch, Team } from "./staff.js";

type Thread = NonNullable<FixtureInput["threads"]>[number];
type Message = NonNullable<FixtureInput["messages"]>[number];
type Template = NonNullable<FixtureInput["templates"]>[number];

const FIRST_THREAD = 9001;
const FIRST_MESSAGE = 555_001;

/** Makes each thread as often as it is asked for, always the same: nothing of them is kept. */
export class ThreadMaker {
  readonly #options: GenerateOptions;
  readonly #teams: readonly Team[];
  readonly #customers: readonly KnownCustomer[];

  constructor(options: GenerateOptions, teams: readonly Team[], customers: readonly KnownCustomer[]) {
    this.#options = options;
    this.#teams = teams;
    this.#customers = customers;
  }

  *threads(): Generator<Thread> {
    for (let index = 0; index < this.#options.threads; index += 1) {
      const { branch, customer, channel, conversation } = this.#plan(index);
      const { status, isMessagingWindowOpen } = conversation;
      yield {
        id: String(FIRST_THREAD + index),
        businessId: branch.business.id,
        customerId: customerId(customer),
        channel,
        status,
        isMessagingWindowOpen,
      };
    }
  }

  *messages(): Generator<Message> {
    let id = FIRST_MESSAGE;
    for (let index = 0; index < this.#options.threads; index += 1) {
      const { conversation, employee, team, dice } = this.#plan(index);
      for (const { who, text, template, picture, at } of conversation.lines) {
        yield {
          id: String(id),
          threadId: String(FIRST_THREAD + index),
          fromCustomer: who === "customer",
          invisible: who === "note",
          text,
          contentSid: template === undefined ? null : this.#templateId(team, template),
          employeeUserId: who === "customer" ? null : employee.id,
          timestamp: at,
          attachment:
            picture === undefined
              ? null
              : {
                  uuid: uuidOf(dice),
                  contentType: "image/jpeg",
                  name: `IMG_${picture.number}.jpg`,
                  contentLength: picture.bytes,
                },
        };
        id += 1;
      }
    }
  }

  *templates(): Generator<Template> {
    for (const [team, { organization }] of this.#teams.entries()) {
      for (const [index, { title, text }] of this.#options.language.templates.entries())
        yield { id: this.#templateId(team, index), organizationId: organization.id, title, text };
    }
  }

  #templateId(team: number, index: number): string {
    return `HX${new Dice(this.#options.seed, `template/${team}/${index}`).hex(32)}`;
  }

  #plan(index: number) {
    const { seed, language, messages, businesses, customers } = this.#options;
    const dice = new Dice(seed, `thread/${index}`);
    // Only the first of the teams have both businesses and customers where there are fewer of these than teams.
    const usable = Math.min(this.#teams.length, businesses, customers);
    const team = index % usable;
    const { branches, whatsappBranches } = itemAt(this.#teams, team);
    const mates = Math.ceil((customers - team) / this.#teams.length);
    const customer = team + this.#teams.length * dice.below(mates);
    const { firstName, channel } = itemAt(this.#customers, customer);
    const branch: Branch = dice.pick(channel === "WHATSAPP" ? whatsappBranches : branches);
    const employee = dice.pick(branch.users);
    const speakers = {
      customer: firstName,
      employee: employee.displayName,
      business: branch.business.name,
      channel,
    };
    const conversation: Conversation = converse(dice, language, speakers, messages);
    return { branch, customer, channel, conversation, employee, team, dice };
  }
}

function uuidOf(dice: Dice): string {
  return `${dice.hex(8)}-${dice.hex(4)}-4${dice.hex(3)}-a${dice.hex(3)}-${dice.hex(12)}`;
}
