import type { IncomingMessage } from "node:http";
import { mapped } from "../../kernel/objects.js";
import type { InferReadonly } from "../../kernel/schema.js";
import { array, boolean, integer, nullable, object, oneOf, record, string } from "../../kernel/schema.js";
import { DEFAULT_SANDBOX, ID_SERIES, sandboxToken } from "../../protocol/names.js";
import type { SandboxSummary } from "../../sandbox/durable.js";
import { SANDBOX_ID } from "../../sandbox/ids.js";
import { byName } from "../../sandbox/registry.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { ControlError, unusable } from "../errors.js";
import { sandboxWithId } from "../inputs.js";
import { route } from "../route.js";
import { sandboxRequestSchema } from "../sandbox-maker.js";
import type { ControlServices } from "../services.js";

const sandboxSchema = object(
  {
    id: string(),
    tokens: record(string(), {
      description: "the fixture's tokens, each with its token for this sandbox",
    }),
    url: string({ description: "the base address of the simulated API" }),
    seed: integer(),
    ids: oneOf(ID_SERIES),
    now: integer({ description: "the sandbox's time, ms" }),
    frozen: boolean(),
    expiresAt: nullable(integer(), {
      description: "real time at which ttlMs deletes it, ms; null for never",
    }),
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

function sandboxView(sandbox: Sandbox, url: string): SandboxInfo {
  const { id } = sandbox;
  const { start, world, clock } = sandbox.run;
  const tokens = [...world.all("tokens")].map((token) => token.id);
  const { ids = "same", seed } = start;
  return summaryView({ id, tokens, seed, ids, ...clock.state(), expiresAt: sandbox.expiresAt ?? null }, url);
}

const summaryView = ({ id, tokens, ...summary }: SandboxSummary, url: string): SandboxInfo => ({
  id,
  tokens: Object.fromEntries(tokens.map((token) => [token, sandboxToken(id, token)])),
  url,
  ...summary,
});

export const SANDBOXES_ROUTES = [
  route("createSandbox", "POST /sandboxes", {
    scope: "server",
    summary: "Create a sandbox",
    body: sandboxRequestSchema,
    world: "fixtures",
    bodyOptional: true,
    success: { status: 201, schema: sandboxSchema },
    refusals: ["sandboxes.taken", "sandboxes.tooMany"],
    handle: async ({ body, services, request }) => {
      const sandbox = await services.sandboxes.make(body);
      const view = sandboxView(sandbox, addressOf(request, services));
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
    refusals: ["sandboxes.tooMany"],
    handle: async ({ params: { sandbox: id }, body, services, request }) => {
      if (!new RegExp(SANDBOX_ID.pattern).test(id))
        throw unusable([{ path: "sandbox", message: `must be ${SANDBOX_ID["x-form"]}, but is "${id}"` }]);
      if (body.id !== undefined && body.id !== id)
        throw unusable([{ path: "id", message: `must be "${id}" as in the path, but is "${body.id}"` }]);
      const { sandbox, isNew } = await services.sandboxes.ensure({ ...body, id });
      return { status: isNew ? 201 : 200, body: sandboxView(sandbox, addressOf(request, services)) };
    },
  }),
  route("listSandboxes", "GET /sandboxes", {
    scope: "server",
    summary: "List all sandboxes, oldest first; sorted by name if several processes share them",
    success: { status: 200, schema: array(sandboxSchema) },
    handle: async ({ services, request }) => {
      const url = addressOf(request, services);
      const others = (await services.ownership?.others()) ?? [];
      const here = [...services.registry.all()];
      if (others.length === 0) return { streamed: mapped(here, (sandbox) => sandboxView(sandbox, url)) };
      const all = [
        ...others.map((summary) => summaryView(summary, url)),
        ...here.map((one) => sandboxView(one, url)),
      ];
      return { streamed: all.sort((a, b) => byName(a.id, b.id)) };
    },
  }),
  route("getSandbox", "GET /sandboxes/:sandbox", {
    scope: "server",
    summary: "Show a sandbox",
    success: { status: 200, schema: sandboxSchema },
    refusals: ["sandboxes.notFound"],
    handle: ({ params, services, request }) => ({
      body: sandboxView(sandboxWithId(services.registry, params.sandbox), addressOf(request, services)),
    }),
  }),
  route("deleteSandbox", "DELETE /sandboxes/:sandbox", {
    scope: "server",
    summary: "Delete a sandbox and abort its work",
    success: { status: 200, schema: object({ id: string() }) },
    refusals: ["sandboxes.notFound", "sandboxes.default"],
    handle: async ({ params, services }) => {
      const sandbox = sandboxWithId(services.registry, params.sandbox);
      if (sandbox.id === DEFAULT_SANDBOX) throw new ControlError("sandboxes.default", { id: sandbox.id });
      sandbox.log.check();
      services.sandboxes.remove(sandbox);
      await sandbox.log.settled();
      return { body: { id: sandbox.id } };
    },
  }),
];
