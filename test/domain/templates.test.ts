import { describe, expect, it } from "vitest";
import { templateOf, templatesDecidedBy, templatesFor } from "../../src/service/domain/messages.js";
import { thread, worldWith } from "./records.js";
import { view } from "./run.js";

const template = (id: string, organizationId: string) => ({
  id,
  organizationId,
  title: id,
  text: `Text ${id}`,
});
const templates = [template("HX3", "1"), template("HX2", "2"), template("HX1", "1")];
const reader = view({ world: worldWith({ templates }) });

describe("the templates of a thread", () => {
  it.each([
    ["WHATSAPP", "11", ["HX3", "HX1"]],
    ["WHATSAPP", "21", ["HX2"]],
    ["SMS", "11", []],
    ["EMAIL", "11", []],
  ])("on %s of business %s are %j", (channel, businessId, ids) => {
    const found = templatesFor(reader, thread({ id: "91", channel, businessId }));
    expect(found).toStrictEqual(ids.map((id) => templates.find((each) => each.id === id)));
  });
});

describe("templates of some businesses", () => {
  const scoped = [
    { ...template("HX1", "1"), businessIds: ["12"] },
    { ...template("HX3", "1"), businessIds: ["11", "12"] },
    template("HX5", "1"),
  ];

  it.each([
    ["organization", "11", ["HX1", "HX3", "HX5"]],
    ["business", "11", ["HX3", "HX5"]],
    ["business", "12", ["HX1", "HX3", "HX5"]],
  ] as const)("with the templates.scope %s business %s has %j", (scope, businessId, ids) => {
    const behaviour = { "templates.scope": scope };
    const bound = view({ world: worldWith({ templates: scoped }), behaviour });
    const place = thread({ id: "91", businessId });
    expect(templatesFor(bound, place).map(({ id }) => id)).toEqual(ids);
    const known = ids.some((id) => id === "HX1");
    if (known) expect(templateOf(bound, place, "HX1").id).toBe("HX1");
    else expect(() => templateOf(bound, place, "HX1")).toThrow();
  });

  it.each([
    [scoped, "11", "WHATSAPP", "templates.scope"],
    [scoped, "12", "WHATSAPP", "templates.channels"],
    [scoped, "11", "SMS", "templates.channels"],
    [scoped.slice(1), "11", "WHATSAPP", "templates.channels"],
  ])("decide by their scope only where it matters: %#", (held, businessId, channel, key) => {
    const place = thread({ id: "91", businessId, channel });
    expect(templatesDecidedBy(view({ world: worldWith({ templates: held }) }), place)).toBe(key);
  });
});
