import * as z from "zod/mini";

/** One wrong field of an input: where, and what would be right. */
export const ErrorDetail = z.object({ path: z.string(), message: z.string() });
export type ErrorDetail = z.output<typeof ErrorDetail>;

/** The one error body of the API: our fields and those of `application/problem+json` together. */
export const ErrorEnvelope = z.object({
  code: z.string(),
  message: z.string(),
  httpStatus: z.number(),
  hint: z.optional(z.string()),
  details: z.optional(z.array(ErrorDetail)),
  requestId: z.string(),
  type: z.optional(z.string()),
  title: z.optional(z.string()),
  status: z.optional(z.number()),
});
export type ErrorEnvelope = z.output<typeof ErrorEnvelope>;

/** The five reasons for which verify and settle refuse (§7.1). */
export const InvalidReason = z.enum([
  "invalid_token",
  "expired_token",
  "insufficient_balance",
  "invalid_plan",
  "invalid_agent",
]);
export type InvalidReason = z.output<typeof InvalidReason>;

/** What a zod error says, as the `details` of an envelope. */
export const detailsOf = (error: z.core.$ZodError): ErrorDetail[] =>
  error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
