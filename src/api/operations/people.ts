import { keysOf } from "../../kernel/objects.js";
import type { Schema } from "../../kernel/schema.js";
import { array, boolean, integer, nullable, object, oneOf, optional, string } from "../../kernel/schema.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import { customerFor } from "../../service/domain/access.js";
import { deleteUserByEmail as deleteUser, updateProfile } from "../../service/domain/people.js";
import type { Customer } from "../../service/world/records.js";
import { nameValueSchema } from "../../service/world/records.js";
import { operation } from "../operation.js";

const survey = nullable(object({ createdAt: integer(), text: string() }));
const SURVEYS = ["nps", "preferredChannel"] as const;

const PROFILE = {
  id: string({ description: "customer identifier" }),
  type: nullable(string()),
  editable: nullable(boolean()),
  pictureHref: nullable(string()),
  displayName: nullable(string()),
  emailAddress: nullable(string()),
  phoneNumber: nullable(string({ description: "international format" })),
  firstName: nullable(string()),
  lastName: nullable(string()),
  company: nullable(string()),
  channel: nullable(string()),
  customerData: nullable(array(nameValueSchema)),
  lastSurveys: nullable(object({ nps: optional(survey), preferredChannel: optional(survey) })),
};
/** Fields without a known value, which may be omitted (`profile.emptyFields`). */
const profileSchema = object(PROFILE, { title: "CustomerProfile", required: ["id"] });

/** The value of an empty field if `profile.emptyFields` is `empty`: one of its documented type. */
const emptyValue = ({ type, anyOf = [] }: Schema): unknown => {
  const types = [type, ...anyOf.map((branch) => branch.type)].flat();
  if (types.includes("string")) return "";
  if (types.includes("array")) return [];
  return types.includes("object") ? {} : true;
};

/** The fields of a profile. `profile.emptyFields` says how those without a known value look. */
function profileOf(customer: Customer, behaviour: BehaviourValues): object {
  const fields = keysOf(PROFILE).flatMap((field): [string, unknown][] => {
    const value = field === "lastSurveys" ? surveysOf(customer, behaviour) : customer[field];
    if (value != null) return [[field, value]];
    const form = behaviour["profile.emptyFields"];
    if (form === "omit") return [];
    return [[field, form === "null" ? null : emptyValue(PROFILE[field])]];
  });
  return Object.fromEntries(fields);
}

function surveysOf({ lastSurveys }: Customer, behaviour: BehaviourValues): object | null {
  // Whether the field itself is shown without a value is decided by `profile.emptyFields`.
  if (lastSurveys === null && behaviour["profile.emptyFields"] !== "empty") return null;
  const surveys = SURVEYS.flatMap((name): [string, unknown][] => {
    const survey = lastSurveys?.[name];
    if (survey == null) return behaviour["surveys.unanswered"] === "null" ? [[name, null]] : [];
    const inSeconds = behaviour["surveys.createdAtUnit"] === "s";
    return [[name, inSeconds ? { ...survey, createdAt: Math.floor(survey.createdAt / 1000) } : survey]];
  });
  return Object.fromEntries(surveys);
}

const params = object({ customerId: string({ description: "customer identifier" }) });

export const getCustomerProfile = operation("getCustomerProfile", "GET /api/customers/:customerId/profile", {
  section: "Endpoints / Get customer profile",
  summary: "Get a customer profile",
  params,
  success: profileSchema,
  refusals: ["profile.notFound"],
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
    refusals: ["profile.notFound", "profile.notEditableError"],
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
