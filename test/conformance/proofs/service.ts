import { expect } from "vitest";
import type { Proofs } from "../row.js";
import type { SERVICE } from "../rows/service.js";
import { DETAILS } from "../support.js";

export const service: Proofs<typeof SERVICE> = {
  "base.rest": "version.paths",
  "base.graphql": "graphql.path",
  "service.visible": "send.visible",
  "service.internal": "send.internal",
  "service.widget": "widget.threadType",
  "service.window": "details.path",
  "service.templates": "templates.array",
  "service.status": "updateStatus.path",
  "service.profile": "getProfile.id",
  "service.profileUpdate": "updateProfile.supplied",
  "service.userDeletion": "deleteUser.path",
  "service.webhooks": "events.enabled",
  "service.twoParts": "messageData.employeeOnly",
  "service.token": async ({ api }) => {
    const statuses = [null, "no-such-token", "acme-token", "globex-token"].map(
      async (token) => (await api(DETAILS, undefined, { token })).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 401, 200, 404]);
  },
};
