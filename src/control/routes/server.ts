/** The simulator as a whole, its sandboxes, and how to connect to them. */

import type { IncomingMessage } from "node:http";
import { DEFAULT_SANDBOX, sandboxToken } from "../../kernel/names.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { InferReadonly } from "../../kernel/schema.js";
import {
  array,
  boolean,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  record,
  string,
  unknown,
} from "../../kernel/schema.js";
import { SANDBOX_ID } from "../../sandbox/ids.js";
import { byName } from "../../sandbox/registry.js";
import { type SandboxSummary, summaryOf } from "../../sandbox/summary.js";
import { connect, isSendable } from "../../service/domain/webhooks.js";
import { headerName, webhookUrl } from "../../service/world/records.js";
import { ControlError, unusable } from "../errors.js";
import { sandboxWithId } from "../inputs.js";
import { route } from "../route.js";
import { sandboxRequestSchema } from "../sandbox-maker.js";
import type { ControlServices, Descriptions } from "../services.js";

const description = <const Path extends `/${string}`>(id: keyof Descriptions, path: Path, summary: string) =>
  route(id, `GET ${path}`, {
    scope: "server",
    secrets: "none",
    summary,
    success: { status: 200, schema: record(unknown()) },
    handle: async ({ services }) => ({ body: await services.descriptions[id]() }),
  });

const storeSchema = object({
  location: string({ description: "the folder or server of --data" }),
  durability: string({ description: "`batched` or `strict`" }),
  failure: nullable(string(), { description: "why changes cannot currently be saved" }),
});

const healthSchema = object({
  status: oneOf(["ok"]),
  version: string(),
  uptimeMs: integer({ minimum: 0 }),
  sandboxes: integer({
    minimum: 0,
    description:
      "the number of sandboxes, including default; if several processes share them, the number open in this process",
  }),
  store: optional(storeSchema),
});
/** The simulator's health. */
export type Health = InferReadonly<typeof healthSchema>;

const connectedSchema = object(
  {
    id: string(),
    hookId: string(),
    organizationId: string(),
    url: string(),
    previousUrl: nullable(string(), { description: "null if the webhook is new" }),
    token: nullable(string(), { description: "the fixture's token sent in `header`; null for none" }),
    enabled: boolean({ description: "false: it receives no deliveries" }),
    changed: boolean({ description: "false: it already had this address" }),
    blocked: nullable(string(), {
      description: "why the outbound guard blocks deliveries to the address, and which option allows them",
    }),
  },
  { title: "connected webhook" },
);
const connectionSchema = object({ webhooks: array(connectedSchema) });
/** The result of connecting a sandbox to an address. */
export type Connection = InferReadonly<typeof connectionSchema>;

function checkHeader(header: string | undefined): void {
  if (header === undefined || isSendable(header)) return;
  throw unusable([{ path: "header", message: `must be a header that a sender may choose, not ${header}` }]);
}

const sandboxSchema = object(
  {
    id: string(),
    tokens: record(string(), { description: "the fixture's tokens, each with its token for this sandbox" }),
    url: string({ description: "the base address of the simulated API" }),
  },
  { title: "sandbox" },
);
/** A sandbox as the server describes it. */
export type SandboxInfo = InferReadonly<typeof sandboxSchema>;

/** The address of the simulated API for this caller: if several processes serve, that of their proxy. */
function addressOf({ headers }: IncomingMessage, { url, ownership }: ControlServices): string {
  const own = new URL(url());
  const { host, "x-forwarded-proto": scheme = own.protocol.slice(0, -1) } = headers;
  return ownership === undefined || host === undefined ? url() : `${scheme}://${host}`;
}

const sandboxView = ({ id, tokens }: SandboxSummary, url: string): SandboxInfo => ({
  id,
  tokens: Object.fromEntries(tokens.map((token) => [token, sandboxToken(id, token)])),
  url,
});

export const SERVER_ROUTES = [
  route("health", "GET /health", {
    scope: "server",
    summary: "Check that the simulator is running",
    open: true,
    success: { status: 200, schema: healthSchema },
    handle: ({ services }) => ({
      body: {
        status: "ok",
        version: services.version,
        uptimeMs: services.uptime(),
        sandboxes: services.registry.size,
        ...omitUndefined({ store: services.store?.status }),
      },
    }),
  }),
  route("ready", "GET /ready", {
    scope: "server",
    summary: "Check that calls are served and changes can be saved; otherwise 503",
    success: { status: 200, schema: object({ status: oneOf(["ok"]) }) },
    handle: async ({ services: { store } }) => {
      await store?.ready();
      return { body: { status: "ok" } };
    },
  }),
  route("checkpoint", "POST /checkpoint", {
    scope: "server",
    summary: "Wait until everything that is kept of all sandboxes is on disk",
    success: { status: 200, schema: object({ sandboxes: integer({ description: "how many there are" }) }) },
    handle: async ({ services: { store, registry } }) => {
      if (store === undefined) throw new ControlError("store.none");
      await store.flush();
      return { body: { sandboxes: registry.size } };
    },
  }),
  description("openapi", "/openapi.json", "Show the OpenAPI 3.1 description of the simulated API"),
  description("control", "/control.json", "Show the OpenAPI 3.1 description of the control API"),
  description("asyncapi", "/asyncapi.json", "Show the AsyncAPI 3.1 description of the webhooks"),
  route("createSandbox", "POST /sandboxes", {
    scope: "server",
    summary: "Create a sandbox",
    body: sandboxRequestSchema,
    world: "fixtures",
    bodyOptional: true,
    success: { status: 201, schema: sandboxSchema },
    handle: async ({ body, services, request }) => {
      const sandbox = await services.sandboxes.make(body);
      const view = sandboxView(summaryOf(sandbox), addressOf(request, services));
      // The creator's next call may reach another process.
      await services.ownership?.handOver(sandbox);
      return { body: view };
    },
  }),
  route("ensureSandbox", "PUT /sandboxes/:sandbox", {
    scope: "server",
    summary: "Create a sandbox (201) unless it exists (200, unchanged)",
    body: sandboxRequestSchema,
    world: "fixtures",
    bodyOptional: true,
    success: { status: 200, schema: sandboxSchema, description: "The sandbox exists and is unchanged" },
    others: [{ status: 201, description: "The sandbox was created", schema: sandboxSchema }],
    handle: async ({ params: { sandbox: id }, body, services, request }) => {
      if (!new RegExp(SANDBOX_ID.pattern).test(id))
        throw unusable([{ path: "sandbox", message: `must be ${SANDBOX_ID["x-form"]}, but is "${id}"` }]);
      if (body.id !== undefined && body.id !== id)
        throw unusable([{ path: "id", message: `must be "${id}" as in the path, but is "${body.id}"` }]);
      const { sandbox, isNew } = await services.sandboxes.ensure({ ...body, id });
      const view = sandboxView(summaryOf(sandbox), addressOf(request, services));
      return { status: isNew ? 201 : 200, body: view };
    },
  }),
  route("listSandboxes", "GET /sandboxes", {
    scope: "server",
    summary: "List all sandboxes, oldest first; sorted by name if several processes share them",
    success: { status: 200, schema: array(sandboxSchema) },
    handle: async ({ services, request }) => {
      const url = addressOf(request, services);
      const others = (await services.ownership?.others()) ?? [];
      const here = [...services.registry.all()].map(summaryOf);
      const all = others.length === 0 ? here : [...others, ...here].sort((a, b) => byName(a.id, b.id));
      return { body: all.map((summary) => sandboxView(summary, url)) };
    },
  }),
  route("getSandbox", "GET /sandboxes/:sandbox", {
    scope: "server",
    summary: "Show a sandbox",
    success: { status: 200, schema: sandboxSchema },
    handle: ({ params, services, request }) => {
      const sandbox = sandboxWithId(services.registry, params.sandbox);
      return { body: sandboxView(summaryOf(sandbox), addressOf(request, services)) };
    },
  }),
  route("deleteSandbox", "DELETE /sandboxes/:sandbox", {
    scope: "server",
    summary: "Delete a sandbox and abort its work",
    success: { status: 200, schema: object({ id: string() }) },
    handle: async ({ params, services }) => {
      const sandbox = sandboxWithId(services.registry, params.sandbox);
      if (sandbox.id === DEFAULT_SANDBOX) throw new ControlError("sandboxes.default", { id: sandbox.id });
      sandbox.saver.check();
      services.sandboxes.remove(sandbox);
      await sandbox.saver.settled();
      return { body: { id: sandbox.id } };
    },
  }),
  route("connect", "POST /connect", {
    summary: "Point all webhooks at an address; if there are none, each organization gets a new one",
    body: object({
      url: webhookUrl(),
      ...partial({
        header: headerName({
          description: "each delivery carries the first token of its organization in this header",
        }),
      }),
    }),
    success: { status: 200, schema: connectionSchema },
    handle: ({ run, sandbox, services, body: { url, header }, cause }) => {
      checkHeader(header);
      const blocked = services.delivery.objection(run, url);
      const keyOf = (token: string) => sandboxToken(sandbox.id, token);
      const connected = run.transact(cause(), connect, { url, header, keyOf });
      const webhooks = connected.map(({ webhook, ...more }) => {
        const { id, hookId, organizationId, enabled } = webhook;
        return { id, hookId, organizationId, url, enabled, ...more, blocked };
      });
      return { body: { webhooks } };
    },
  }),
];
