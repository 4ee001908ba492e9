import type { Proofs } from "../row.js";
import type { SERVICE } from "../rows/service.js";

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
  "service.token": "auth.token",
};
