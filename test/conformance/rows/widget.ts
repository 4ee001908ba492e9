import type { Chapter } from "../row.js";
import { about } from "../row.js";

export const WIDGET = {
  "Endpoints / Start a conversation from the widget route": about("sendMessageToBusiness", {
    "widget.path": "POST /api/widget/send-message-to-business starts a conversation",
    "widget.businessId": "businessId is a required string",
    "widget.ownBusiness": [
      "The business must belong to the organization of the token",
      "sendMessageToBusiness",
      "widget.unknownBusiness",
    ],
    "widget.message": "message is a required string, the first message's text",
    "widget.user": "user is a required object",
    "widget.email": ["email is a valid e-mail address", "widget.emailFormat"],
    "widget.emailChannel": "email starts an e-mail conversation",
    "widget.sms": "sms is a valid E.164 phone number",
    "widget.smsChannel": "sms starts an SMS conversation",
    "widget.whatsapp": "whatsapp is a valid E.164 phone number",
    "widget.whatsappChannel": "whatsapp starts a WhatsApp conversation",
    "widget.sender": ["For whatsapp the business must have an active WhatsApp sender", "widget.noSender"],
    "widget.online": ["For whatsapp the business must be in the online state", "widget.businessOffline"],
    "widget.otherContacts": "Neither sender nor online state is asked for with email and sms",
    "widget.locale": ["locale is an optional string, that of the invited user", "widget.knownLocale"],
    "widget.noContact": "At least one of email, sms and whatsapp is given",
    "widget.twoContacts": "At most one of email, sms and whatsapp is given",
    "widget.prefix": "A whatsapp: prefix in sms or whatsapp is rejected",
    "widget.success": "Success is 200 with result ok and customerThreadId",
    "widget.threadType": "customerThreadId is a string, the conversation's identifier",
    "widget.newThread": [
      "Whether every call opens a thread, and how that stands, is not shown",
      "widget.reuse",
      "widget.threadStatus",
      "widget.window",
    ],
    "widget.sameCustomer": [
      "Who the customer is of a contact that is known is not shown",
      "widget.customerMatch",
    ],
    "widget.threadUse": [
      "The thread's identifier can be used with the other endpoints",
      "widget.threadAccess",
    ],
  }),
} as const satisfies Chapter;
