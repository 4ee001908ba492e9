// A plugin of StrykerJS that leaves prose alone: descriptions, questions and examples say what something means. No
// rule reads them, and the reference pages, which the gate keeps current, show every one.

import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

const isProse = (node) =>
  node.type === "ObjectProperty" && ["description", "question", "examples"].includes(node.key.name);
const isAllProse = (node) =>
  node.type === "ObjectExpression" && node.properties.length > 0 && node.properties.every(isProse);

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, "prose", {
    shouldIgnore: ({ node }) => (isProse(node) || isAllProse(node) ? "prose for readers" : undefined),
  }),
];
