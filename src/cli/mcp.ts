/** The simulator as a server of the Model Context Protocol, for coding assistants. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { SimError } from "../client/errors.js";
import { hasCode } from "../kernel/errors.js";
import { VERSION } from "../kernel/packages.js";
import { printableLines } from "../kernel/printable.js";
import { formatProblem, type Problem, UnusableDocument } from "../kernel/problems.js";
import { published, type Schema } from "../kernel/schema.js";
import { problemsBySchema } from "../kernel/schema-problems.js";
import { unknownKey } from "../kernel/words.js";
import { SERVE_OPTIONS } from "../server/config/options.js";
import { createSimulator, type Simulator } from "../server/simulator.js";
import { REMOTE, type Session, sessionOf } from "./action.js";
import { baseAddress, command, optional } from "./command.js";
import { TOOLS } from "./mcp-tools.js";
import { PRINTABLE } from "./schema.js";
import { OK, onFirstSignal } from "./terminal.js";

/** The resources for assistants, as in `schema`, and the current behaviour table of the sandbox. */
const RESOURCES: Readonly<Record<string, (session: Session) => Promise<unknown>>> = {
  ...Object.fromEntries(Object.entries(PRINTABLE).map(([name, read]) => [`schema/${name}`, read])),
  "behaviour-table": ({ client }) => client.behaviour(),
};
const RESOURCE_SCHEME = "messaging-sim://";

/** Runs a tool with the arguments of a call; an error is also a result, in words. */
async function callTool(
  session: Session,
  name: string,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (tool === undefined) return failed(unknownKey("tool", name, Object.keys(TOOLS)));
  textsIn(tool.input, input);
  const problems = problemsBySchema(tool.input, input);
  if (problems.length > 0) return failed(linesOf(problems));
  try {
    const outcome = await tool.call(session, input);
    const text = printableLines(tool.says(outcome, input));
    // The protocol has no lists here.
    const structuredContent = Array.isArray(outcome) ? { [name]: outcome } : { ...Object(outcome) };
    return { content: [{ type: "text", text }], structuredContent };
  } catch (error) {
    if (error instanceof UnusableDocument) return failed(linesOf(error.problems));
    if (error instanceof SimError) return failed(error.reason);
    if (error instanceof TypeError) return failed(error.message);
    throw error;
  }
}

const linesOf = (problems: readonly Problem[]): string => problems.map(formatProblem).join("\n");

/** Converts numbers to strings where a tool's input requires a string, such as the id of a thread. */
function textsIn({ properties = {} }: Schema, input: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(input))
    if (typeof value === "number" && properties[name]?.type === "string") input[name] = String(value);
}

const failed = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text: printableLines(text) }],
});

/** Serves the protocol on standard input and output until either ends. */
async function serve(session: Session, url: string): Promise<void> {
  const server = new Server(
    { name: "messaging-sim", version: VERSION },
    {
      capabilities: { tools: {}, resources: {} },
      instructions: `A simulator of a customer-messaging API at ${url}; sandbox ${session.sandbox}. Set this as the bot's base URL, and connect its webhook URL. threads shows the conversations; after customer_says, wait_for_reply or why_no_reply shows how the bot reacted.`,
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(TOOLS).map(([name, { does: description, input, readOnly = false }]) => ({
      name,
      description,
      inputSchema: { ...published(input), type: "object" as const },
      annotations: { readOnlyHint: readOnly },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: input = {} } }) =>
    callTool(session, name, input),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: Object.keys(RESOURCES).map((name) => ({
      uri: RESOURCE_SCHEME + name,
      name,
      mimeType: "application/json",
    })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const name = uri.startsWith(RESOURCE_SCHEME) ? uri.slice(RESOURCE_SCHEME.length) : uri;
    const read = uri !== name && Object.hasOwn(RESOURCES, name) ? RESOURCES[name] : undefined;
    if (read === undefined)
      throw new McpError(ErrorCode.InvalidParams, unknownKey("resource", name, Object.keys(RESOURCES)));
    const text = JSON.stringify(await read(session), null, 2);
    return { contents: [{ uri, mimeType: "application/json", text }] };
  });
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once("end", resolve);
    onFirstSignal(resolve);
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}

/** A simulator at the default address, or at a free port if that is in use. */
const ownSimulator = (): Promise<Simulator> =>
  createSimulator({ port: SERVE_OPTIONS.port.default }).catch((error) => {
    if (hasCode(error, "EADDRINUSE")) return createSimulator();
    throw error;
  });

/** `messaging-sim mcp` */
export const MCP = command({
  options: {
    url: optional("simulator to use (default: start one)", baseAddress),
    sandbox: REMOTE.sandbox,
    "control-token": REMOTE["control-token"],
  },
  examples: {
    "messaging-sim mcp": "the command for the configuration of a coding assistant; starts a simulator",
    "messaging-sim mcp --url http://127.0.0.1:4020": "the same for a running simulator",
  },
  exits: {
    0: "the assistant closed the connection",
    2: "the simulator does not respond, or an option is invalid",
  },
  run: async ({ url: given, sandbox, controlToken }, { err }) => {
    const own = given === undefined ? await ownSimulator() : undefined;
    const url = given ?? own?.url ?? "";
    const session = sessionOf({ url, sandbox, controlToken });
    try {
      await session.client.sandboxInfo(sandbox);
      err(`messaging-sim mcp uses ${own === undefined ? "" : "its own simulator at "}${url}\n`);
      await serve(session, url);
    } finally {
      await own?.close();
    }
    return OK;
  },
});
