import type { Chapter } from "../row.js";
import { about } from "../row.js";

export const STATES = {
  "States and transitions / Thread status": about("updateThreadStatus", {
    "status.waiting": "A thread can be moved to waiting",
    "status.replied": "A thread can be moved to replied",
    "status.resolved": "A thread can be moved to resolved",
    "status.others": "No other value is a status",
    "status.anyMove": [
      "No stated rule limits from which status a thread may move",
      "threadStatus.transitions",
    ],
    "status.access": ["The token's user needs access to the thread", "threads.notAccessible"],
    "status.noOtherEffect": "A move of status has no other stated effect",
    "status.autoMoves": ["Automatic moves of status are not shown", "threadStatus.autoMoves"],
    "status.transitions": [
      "Which status may move to which is not shown",
      "threadStatus.transitions",
      "threadStatus.transitionError",
    ],
  }),
  "States and transitions / Webhook enabled flag": about("graphql", {
    "enabled.created": ["A webhook made without enabled is enabled (REST)", "createWebhook"],
    "enabled.saved": "A webhook made without enabled is enabled (GraphQL)",
    "enabled.createdDisabled": ["A webhook made with enabled false is disabled (REST)", "createWebhook"],
    "enabled.savedDisabled": "A webhook made with enabled false is disabled (GraphQL)",
    "enabled.updated": ["An update with enabled gives it the value supplied (REST)", "updateWebhook"],
    "enabled.savedAgain": "A save of a known hookId gives enabled the value supplied (GraphQL)",
    "enabled.omitted": [
      "An update changes the supplied fields, and the omitted ones keep their values",
      "updateWebhook",
    ],
    "enabled.savedOmitted": "A save keeps the values of omitted fields",
    "enabled.deleted": ["A delete removes an enabled or a disabled webhook (REST)", "deleteWebhook"],
    "enabled.deletedByGraphql": "A delete removes an enabled or a disabled webhook (GraphQL)",
    "enabled.silent": ["A disabled webhook forwards no messages", "message event"],
    "enabled.pending": [
      "What waits for a webhook that is disabled is not forwarded either",
      "webhooks.pendingAfterDisable",
    ],
  }),
  "States and transitions / Messaging window": {
    "window.open": ["While the window is open, free-form text may be sent", "sendMessageToCustomerThread"],
    "window.closed": [
      "While it is closed, only a template may be sent",
      "sendMessageToCustomerThread",
      "window.closedError",
    ],
    "window.otherChannels": ["Channels that do not limit text are always open", "window.channels"],
    "window.moves": [
      "What moves the window is not shown",
      "window.duration",
      "window.undatedEnd",
      "window.channels",
    ],
    "window.internal": [
      "Whether the window limits internal text is not shown: it does not",
      "window.internalMessages",
    ],
  },
} as const satisfies Chapter;
