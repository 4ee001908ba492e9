import { omitUndefined } from "../../kernel/objects.js";
import { object, optional, string } from "../../kernel/schema.js";
import { customerFor } from "../../service/domain/access.js";
import { updateProfile } from "../../service/domain/people.js";
import { operation } from "../operation.js";
import { profileDecidedBy, profileOf, profileSchema } from "../presentation.js";

const params = object({ customerId: string({ description: "customer identifier" }) });

export const getCustomerProfile = operation("getCustomerProfile", "GET /api/customers/:customerId/profile", {
  section: "Endpoints / Get customer profile",
  summary: "Get a customer profile",
  params,
  success: profileSchema,
  refusals: ["profile.notFound", "profile.notAccessible"],
  handle: ({ params, caller, view }) => {
    const customer = customerFor(view, caller, params.customerId);
    return {
      body: profileOf(customer, view.behaviour),
      ...omitUndefined({ behaviour: profileDecidedBy(customer) }),
    };
  },
});

export const updateCustomerProfile = operation(
  "updateCustomerProfile",
  "POST /api/customers/:customerId/profile/update",
  {
    section: "Endpoints / Update customer profile",
    summary: "Change the name or company of a customer",
    description: "Only supplied fields are updated.",
    params,
    body: object({
      firstName: optional(string()),
      lastName: optional(string()),
      company: optional(string()),
    }),
    success: "profile.updateResponse",
    refusals: ["profile.notFound", "profile.notAccessible", "profile.notEditableError"],
    example: { firstName: "Alan", company: "Initech" },
    handle: ({ params, body, caller, run }) => {
      const customer = run(updateProfile, { caller, customerId: params.customerId, update: body });
      return { answer: "profile.updateResponse", scope: { customer } };
    },
  },
);
