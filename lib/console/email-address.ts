import { defineOperations } from "@turnpike/payments/protocol";
import * as z from "zod/mini";

/** Where your mail goes. */
export const EmailAddress = z.object({
  /** Absent until it is confirmed. */
  address: z.optional(z.string()),
  /** Waits for the link that was sent to it. */
  unconfirmed: z.optional(z.string()),
  /** Whether this service sends mail at all. */
  isAvailable: z.boolean(),
  /** Mails that the mail server has not accepted yet, and what it said last. */
  waiting: z.int(),
  lastError: z.optional(z.string()),
  lastSentAt: z.optional(z.string()),
});
export type EmailAddress = z.output<typeof EmailAddress>;

const Mailbox = z
  .string()
  .check(
    z.maxLength(254),
    z.regex(
      /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$/,
      "Expected an email address such as ada@example.com.",
    ),
  );

const Nothing = z.object({});

export const email = /* @__PURE__ */ defineOperations(
  // Mail has links to approve payments: the right to set its address goes with the right to spend.
  { name: "email", section: "Dashboard", scope: "money", audience: "console" },
  {
    getEmailAddress: {
      route: "GET /email-address",
      summary: "Get where your email goes, and whether it arrives",
      sample: () => ({}),
      input: Nothing,
      output: EmailAddress,
    },
    /** Sets where your mail goes: a link is sent to the address, which confirms it. */
    setEmailAddress: {
      route: "PUT /email-address",
      summary: "Set where your email goes; a link sent there confirms it",
      sample: ({ freshId }) => ({ address: `${freshId()}@mail.example` }),
      input: z.object({ address: Mailbox }),
      output: EmailAddress,
    },
    /** Confirms your new address with the secret of its link. Throws `conflict` once it is used or expired. */
    confirmEmailAddress: {
      route: "POST /email-address/confirm",
      summary: "Confirm your new email address with the secret of its link",
      args: (secret: string) => ({ secret }),
      sample: ({ spare }) => ({ secret: spare.emailSecret }),
      input: z.object({ secret: z.string().check(z.maxLength(128)) }),
      output: EmailAddress,
    },
    /** Removes your address: nothing is mailed any more. */
    removeEmailAddress: {
      route: "DELETE /email-address",
      summary: "Remove your email address",
      input: Nothing,
      output: EmailAddress,
    },
  },
);
