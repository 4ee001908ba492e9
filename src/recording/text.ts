/** A recording as the YAML of a scenario file. */

import type { Node } from "yaml";
import { Document, isCollection, isMap, isPair, isScalar, visit } from "yaml";
import { isPrintable, printable, printableLines } from "../kernel/printable.js";
import type { Recording } from "./record.js";

/** What fits into so many characters stands on one line. */
const WIDTH = 100;
const HEAD = [" yaml-language-server: $schema=node_modules/messaging-sim/schemas/scenario.json"];

export function recordingText({ scenario, notes, guesses }: Recording): string {
  const document = new Document(scenario, { aliasDuplicateObjects: false });
  document.commentBefore = [...HEAD, ...notes.map((note) => ` Note: ${printable(note)}`)].join("\n");
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && !isPrintable(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  const top = document.contents;
  if (isMap(top))
    for (const { key, value } of top.items) {
      const isSteps = isScalar(key) && key.value === "steps";
      if (!isCollection(value)) continue;
      if (!isSteps) layOut(value as Node);
      else
        for (const [index, step] of (value.items as Node[]).entries()) {
          layOutParts(step);
          const guess = guesses.get(index);
          if (guess !== undefined) step.commentBefore = ` Guessed: ${printable(guess)}`;
        }
    }
  // In quotes, where the text of an escape is the character.
  return printableLines(document.toString({ lineWidth: 0 }));
}

/** Lays out the parts of a step or of a collection, each on one line where it fits. */
function layOutParts(node: Node): void {
  if (!isCollection(node)) return;
  for (const item of node.items) layOut((isPair(item) ? item.value : item) as Node);
}

function layOut(node: Node): void {
  if (!isCollection(node)) return;
  node.flow = true;
  if (node.items.length === 0 || widthOf(node) <= WIDTH) return;
  node.flow = false;
  layOutParts(node);
}

const widthOf = (node: Node): number => {
  const text = new Document(node).toString({ lineWidth: 0 }).trimEnd();
  return text.includes("\n") ? Number.POSITIVE_INFINITY : text.length;
};
