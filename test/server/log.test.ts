import { expect, it } from "vitest";
import { SimError } from "../../src/client/errors.js";
import { SILENT } from "../../src/kernel/errors.js";
import { withoutSecrets } from "../../src/server/log.js";

it("logs an error with a name of its own, masked", () => {
  const logged: { readonly err: Error }[] = [];
  const logger = withoutSecrets({ ...SILENT, error: (fields) => logged.push(fields as { err: Error }) });
  const cause = new Error("http://bot:password@bot.example is gone");
  logger.error({ err: new SimError("no answer", 400, "conflict", [], { cause }) }, "it failed");
  const [{ err }] = logged as [{ err: Error }];
  expect(err).toMatchObject({ name: "SimError", message: "no answer", code: "conflict", status: 400 });
  expect((err.cause as Error).message).toBe("http://bot:••••rd@bot.example is gone");
});
