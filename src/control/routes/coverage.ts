import { object, oneOf, optional } from "../../kernel/schema.js";
import type { Coverage } from "../../sandbox/coverage.js";
import { coverageSchema } from "../../sandbox/coverage.js";
import { sandboxWithId } from "../inputs.js";
import { route } from "../route.js";
import type { ControlServices } from "../services.js";

const CONTENT_TYPES = {
  json: "application/json",
  pretty: "text/plain; charset=utf-8",
  markdown: "text/markdown; charset=utf-8",
  html: "text/html; charset=utf-8",
} as const;
const query = object({
  format: optional(
    oneOf(["json", "pretty", "markdown", "html"], {
      description: "left out: json; the others are for readers",
    }),
  ),
});

async function answerOf(
  { coverage }: ControlServices,
  met: Coverage,
  format: keyof typeof CONTENT_TYPES = "json",
) {
  const report = await coverage.reportOf(met);
  if (format === "json") return { body: report };
  return { text: await coverage.textOf(report, format), contentType: CONTENT_TYPES[format] };
}

const success = { status: 200, schema: coverageSchema };

export const COVERAGE_ROUTES = [
  route("coverage", "GET /coverage", {
    scope: "server",
    summary: "What the system under test has met, in all sandboxes together, those that are gone included",
    query,
    success,
    handle: ({ services, query: { format } }) => answerOf(services, services.registry.coverage(), format),
  }),
  route("sandboxCoverage", "GET /sandboxes/:sandbox/coverage", {
    scope: "server",
    summary: "What the system under test has met in one sandbox since it was made, over resets",
    query,
    success,
    refusals: ["sandboxes.notFound"],
    handle: ({ services, params, query: { format } }) =>
      answerOf(services, sandboxWithId(services.registry, params.sandbox).coverage, format),
  }),
  route("clearCoverage", "DELETE /coverage", {
    scope: "server",
    summary: "Count from zero again, in all sandboxes",
    success: { status: 200, schema: object({}) },
    handle: ({ services }) => {
      services.registry.clearCoverage();
      return { body: {} };
    },
  }),
];
