import type { ServiceRefusalKey } from "../service/domain/refusals.js";

/** What must hold so that a call is not refused, in words: access rules first. Left out are the refusals of any call. */
export const CONDITIONS: Readonly<Partial<Record<ServiceRefusalKey, string>>> = {
  "users.deleteForbidden": "The token has the permission `user:delete`.",
  "users.deleteSelfError": "The user is another one than the token's, where `users.deleteSelf` is `refuse`.",
  "users.notFound": "The user belongs to the token's organization.",
  "users.lastRepresentative":
    "No business has the user as its last customer representative, which is an employee who is contactable.",
  "users.lastInPool": "No business has the user as the last member of its escalation pool.",
  "profile.notFound": "The customer belongs to the token's organization.",
  "profile.notEditableError": "The customer is editable, where `profile.notEditable` is `refuse`.",
  "threads.notFound": "The thread belongs to a business of the token's organization.",
  "threads.notAccessible":
    "The token's user has access to the thread: its business is one of the user's, or the user began the thread through the widget route and `widget.threadAccess` is `token`.",
  "templates.unknown": "`contentSid` is one of the templates that are listed for the thread.",
  "window.closedError":
    "`text` for the customer needs an open messaging window on the channels of `window.channels`; a template does not, and internal text does only where `window.internalMessages` is `bound`.",
  "threadStatus.transitionError": "`threadStatus.transitions` allows the move.",
  "webhooks.notFound":
    "The webhook belongs to the token's organization; every token of the organization has access.",
  "widget.foreignBusiness": "The business belongs to the token's organization.",
  "widget.noSender": "For `whatsapp`, the business has an active WhatsApp sender.",
  "widget.businessOffline": "For `whatsapp`, the business is online.",
  "limits.webhooksError": "The organization has fewer webhooks than `limits.webhooks`, where that is set.",
  "profile.notAccessible":
    "The token's user may use the customer, as `profile.access` and `ids.foreign` say; by default every token of the organization may.",
  "widget.unknownBusiness": "The business exists.",
  "limits.textLengthError": "The text is not longer than `limits.textLength`, where that is set.",
};
