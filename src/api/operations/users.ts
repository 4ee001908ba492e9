import { object, oneOf, string } from "../../kernel/schema.js";
import { deleteUserByEmail as rule } from "../../service/domain/people.js";
import { operation } from "../operation.js";

export const deleteUserByEmail = operation("deleteUserByEmail", "POST /api/user/delete-by-email", {
  section: "Endpoints / Delete user by email",
  summary: "Delete a user of the organization by e-mail address",
  description:
    "The last customer representative of a business and the last member of an escalation pool cannot be deleted.",
  permission: { name: "user:delete", refusal: "users.deleteForbidden" },
  showsInvalid: true,
  body: object({ email: string() }),
  success: object({ status: oneOf(["success"]), deletedUserId: string(), email: string() }),
  refusals: ["users.deleteSelfError", "users.notFound", "users.lastRepresentative", "users.lastInPool"],
  example: { email: "chloe@acme.example" },
  handle: ({ body, caller, run, view }) => {
    const user = run(rule, { caller, email: body.email });
    const email = view.behaviour["users.deleteEcho"] === "sent" ? body.email : user.email;
    const answer = { status: "success", deletedUserId: user.id, email };
    return user.email === body.email ? { body: answer } : { body: answer, behaviour: "users.deleteEcho" };
  },
});
