import { object, oneOf, optional, string } from "../../kernel/schema.js";
import { customerFor } from "../../service/domain/access.js";
import { deleteUserByEmail as deleteUser, updateProfile } from "../../service/domain/people.js";
import { operation } from "../operation.js";
import { profileOf, profileSchema } from "../presentation.js";

const params = object({ customerId: string({ description: "customer identifier" }) });

export const getCustomerProfile = operation("getCustomerProfile", "GET /api/customers/:customerId/profile", {
  section: "Endpoints / Get customer profile",
  summary: "Get a customer profile",
  params,
  success: profileSchema,
  refusals: ["profile.notFound", "profile.notAccessible"],
  decidedBy: ["profile.emptyFields", "surveys.unanswered", "surveys.createdAtUnit"],
  handle: ({ params, caller, view }) => ({
    body: profileOf(customerFor(view, caller, params.customerId), view.behaviour),
  }),
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

export const deleteUserByEmail = operation("deleteUserByEmail", "POST /api/user/delete-by-email", {
  section: "Endpoints / Delete user by email",
  summary: "Delete a user of the organization by e-mail address",
  description:
    "The last customer representative of a business and the last member of an escalation pool cannot be deleted.",
  permission: { name: "user:delete", refusal: "users.deleteForbidden" },
  showsInvalid: true,
  body: object({ email: string() }),
  decidedBy: ["users.deleteEcho"],
  success: object({ status: oneOf(["success"]), deletedUserId: string(), email: string() }),
  refusals: ["users.deleteSelfError", "users.notFound", "users.lastRepresentative", "users.lastInPool"],
  example: { email: "chloe@acme.example" },
  handle: ({ body, caller, run, view }) => {
    const user = run(deleteUser, { caller, email: body.email });
    const isSpelledOtherwise = user.email !== body.email;
    const email =
      isSpelledOtherwise && view.behaviour["users.deleteEcho"] === "sent" ? body.email : user.email;
    return { body: { status: "success", deletedUserId: user.id, email } };
  },
});
