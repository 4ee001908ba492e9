import { keysOf } from "../../kernel/objects.js";
import { object, oneOf, optional, string } from "../../kernel/schema.js";
import { CONTACTS, startConversation } from "../../service/domain/widget.js";
import { operation } from "../operation.js";

const phone = (channel: string) =>
  optional(string({ format: "e164", description: `E.164 phone number; starts ${channel} conversation` }));

export const sendMessageToBusiness = operation(
  "sendMessageToBusiness",
  "POST /api/widget/send-message-to-business",
  {
    section: "Endpoints / Start a conversation from the widget route",
    summary: "Start a conversation on the customer's side",
    description:
      "Give exactly one of `email`, `sms` and `whatsapp`, phone numbers without the prefix `whatsapp:`. Every call opens a new thread (`widget.reuse`), which the token may use with the other endpoints.",
    showsInvalid: true,
    body: object({
      businessId: string({ "x-id": true, examples: ["1001"] }),
      message: string({ description: "first message text" }),
      user: object(
        {
          email: optional(
            string({ format: "email", description: "valid e-mail address; starts an e-mail conversation" }),
          ),
          sms: phone("an SMS"),
          whatsapp: phone("a WhatsApp"),
          locale: optional(string()),
        },
        { oneOf: keysOf(CONTACTS).map((contact) => ({ required: [contact] })) },
      ),
    }),
    success: object({ result: oneOf(["ok"]), customerThreadId: string() }),
    refusals: [
      "widget.foreignBusiness",
      "widget.unknownBusiness",
      "widget.noSender",
      "widget.businessOffline",
      "limits.textLengthError",
    ],
    example: {
      businessId: "1001",
      message: "Hello, is my order ready?",
      user: { email: "ida@customer.example" },
    },
    handle: ({ body, caller, run }) => {
      const { thread } = run(startConversation, { ...body, caller });
      return { body: { result: "ok", customerThreadId: thread.id }, behaviour: "widget.reuse" };
    },
  },
);
