import type { Descriptions } from "../control/services.js";
import { loadPart } from "../kernel/load.js";

/** The descriptions of the three surfaces, made from the tables when they are asked for. `url` is the server's address. */
export const describe = (url: () => string): Descriptions => ({
  openapi: async () => (await loadPart(() => import("../api/openapi.js"))).describeApi(url()),
  control: async () => (await loadPart(() => import("../control/openapi.js"))).describeControlApi(url()),
  asyncapi: async () => (await loadPart(() => import("../api/asyncapi.js"))).describeWebhooks(),
});
