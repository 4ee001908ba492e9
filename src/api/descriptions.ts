/** OpenAPI 3.1 of the simulated API, from the operation table, and AsyncAPI 3.1 of its webhooks, from the payload tables. */
import type { DescribedAnswer, DescribedOperation } from "../kernel/http/openapi.js";
import { openapiDocument } from "../kernel/http/openapi.js";
import { ORIGIN } from "../kernel/packages.js";
import { published } from "../kernel/schema.js";
import {
  legacyPayloadSchema,
  messageEventSchema,
  SUBSCRIPTION_OF,
  transferEventSchema,
} from "../service/domain/events.js";
import type { Operation } from "./operation.js";
import { OPERATIONS } from "./operations/index.js";
import type { PossibleAnswer } from "./responses.js";
import { possibleAnswers } from "./responses.js";

const HEADERS = {
  "X-Sim-Request": { description: "the id of the journal entry", schema: { type: "string" } },
  "X-Sim-Behaviour": {
    description: "the key of the behaviour table that decided the answer",
    schema: { type: "string" },
  },
  "X-Sim-Behaviour-Source": {
    description: "the source of that key's value if it was measured",
    schema: { type: "string", enum: ["observed"] },
  },
  "Retry-After": {
    description: "with 429 and 503: the seconds until the call may be repeated",
    schema: { type: "integer" },
  },
};

/** @param url the server's address, for `servers` */
export const describeApi = (url: string): object =>
  openapiDocument({
    title: "Customer Messaging Integration API (simulated)",
    description:
      "Conversations, messaging windows, templates, customer profiles, users and webhooks of one organization.",
    url,
    security: [{ token: [] }],
    securitySchemes: { token: { type: "apiKey", in: "header", name: "token" } },
    tags: [...new Set(OPERATIONS.map(({ section }) => section))].map((section) => ({
      name: tagOf(section),
      description: `Specification: ${section}.`,
    })),
    operations: OPERATIONS.map(described),
  });

const tagOf = (section: string): string => section.replace(/^.* \/ /, "");

function described(operation: Operation): DescribedOperation {
  const { description, section, deprecated, body } = operation;
  return {
    ...operation,
    deprecated: deprecated !== undefined,
    description: [description, `Specification: ${section}.`].filter(Boolean).join("\n\n"),
    tags: [tagOf(section)],
    bodyRequired: body?.required !== undefined,
    answers: possibleAnswers(operation).map(describedAnswer),
    headers: HEADERS,
  };
}

const describedAnswer = (answer: PossibleAnswer): DescribedAnswer => {
  const { status, description, schema, behaviour, example } = answer;
  return {
    status,
    description: behaviour === undefined ? description : `${description} (behaviour \`${behaviour}\`)`,
    schema,
    example:
      example === undefined
        ? undefined
        : { name: behaviour ?? description, summary: description, value: example },
  };
};

const MESSAGES = {
  message: {
    summary: "A message was sent or received",
    payload: messageEventSchema,
    subscription: SUBSCRIPTION_OF.message,
  },
  transfer: {
    summary: "A conversation was reassigned to another business",
    payload: transferEventSchema,
    subscription: SUBSCRIPTION_OF.transfer,
  },
  legacyMessage: {
    summary: "A message, in the flat form of webhooks set through the legacy endpoint",
    payload: legacyPayloadSchema,
    subscription: SUBSCRIPTION_OF.message,
  },
} as const;

export function describeWebhooks(): object {
  const messages = Object.entries(MESSAGES);
  return {
    asyncapi: "3.1.0",
    info: {
      title: "Customer Messaging Integration webhooks (simulated)",
      ...ORIGIN,
      tags: [{ name: "webhooks" }],
      description:
        "Each event is one HTTP POST with a JSON body to every enabled webhook that is subscribed to it.",
    },
    defaultContentType: "application/json",
    servers: {
      receiver: {
        host: "{host}",
        protocol: "http",
        description: "The receiver of a webhook: HTTP or HTTPS.",
        variables: { host: { default: "127.0.0.1:3000" } },
      },
    },
    channels: {
      webhook: {
        address: null,
        description: "The URL of a webhook, with its extraHeaders.",
        messages: Object.fromEntries(
          messages.map(([name]) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: Object.fromEntries(
      messages.map(([name, { summary, subscription }]) => [
        `deliver-${name}`,
        {
          action: "send",
          channel: { $ref: "#/channels/webhook" },
          summary: `${summary} (subscription ${subscription})`,
          description: `${summary}. Sent to webhooks subscribed to ${subscription}.`,
          messages: [{ $ref: `#/channels/webhook/messages/${name}` }],
        },
      ]),
    ),
    components: {
      messages: Object.fromEntries(
        messages.map(([name, { summary, payload }]) => [
          name,
          { name, summary, payload: published(payload) },
        ]),
      ),
    },
  };
}
