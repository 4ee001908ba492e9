import type { ComponentChildren } from "preact";
import type { Tone } from "../model/outcome";

export const Pill = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`pill ${tone}`}>{children}</span>
);
