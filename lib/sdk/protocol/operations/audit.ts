import * as z from "zod/mini";
import { PageQuery, pageOf } from "../listing.ts";
import { Instant } from "../primitives.ts";
import { samplePage } from "./examples.ts";
import { defineCalls, serveCalls } from "./operation.ts";

const Members = z.looseObject({});

/** One change of the account: who made it, from where, and what it replaced. */
export const AuditEntry = z.object({
  entryId: z.string(),
  /** What was done: `plan.update`, `api-key.create`, `delegation.revoke`. */
  action: z.string(),
  /** The id of what was changed. */
  subject: z.string(),
  /** The API key that did it; absent for someone signed in, and for the service. */
  keyId: z.optional(z.string()),
  /** Where the call came from; absent for the service's own work. */
  address: z.optional(z.string()),
  requestId: z.string(),
  /** The members that the change replaced, and by what. Of a long value, its beginning and its length. */
  before: z.optional(Members),
  after: z.optional(Members),
  createdAt: z.string(),
});
export type AuditEntry = z.output<typeof AuditEntry>;

export const audit = /* @__PURE__ */ defineCalls({
  /** Lists what was changed in your account, newest first. `action` is one action or its group: `plan`. */
  listAudit: {
    route: "GET /audit",
    input: z.extend(PageQuery, {
      action: z.optional(z.string().check(z.regex(/^[a-z]+([.-][a-z]+)*$/), z.maxLength(60))),
      keyId: z.optional(z.string().check(z.maxLength(100))),
      since: z.optional(Instant),
      until: z.optional(Instant),
    }),
    output: pageOf(AuditEntry),
  },
});

export const auditOperations = /* @__PURE__ */ serveCalls(
  { name: "audit", section: "Audit", scope: "keys" },
  audit,
  {
    listAudit: {
      summary: "List what was changed in your account, by whom and from where",
      sample: () => ({ ...samplePage, action: "api-key" }),
    },
  },
);
