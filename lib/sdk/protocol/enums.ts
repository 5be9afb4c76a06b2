import * as z from "zod/mini";
import { wordOf } from "./word-of.ts";

/**
 * How an agent's own endpoint authenticates its callers (§2.12): a schema, read in any case and written upper-case, and
 * its values by name.
 *
 * @example const api = { endpoints, authType: AuthType.BEARER, token }
 */
export const AuthType = Object.assign(
  wordOf(["NONE", "BASIC", "BEARER"], (value) => value.toUpperCase()),
  { NONE: "NONE", BASIC: "BASIC", BEARER: "BEARER" } as const,
);
export type AuthType = z.output<typeof AuthType>;

/** How far an agent's sub-task came; the specification names the enum, the values are our choice. */
export const AgentTaskStatus = Object.assign(z.enum(["SUCCESS", "FAILED", "PENDING"]), {
  SUCCESS: "SUCCESS",
  FAILED: "FAILED",
  PENDING: "PENDING",
} as const);
export type AgentTaskStatus = z.output<typeof AgentTaskStatus>;

/** One deployment is one environment; keys, tokens and rows of one are not valid in the other. */
export const Environment = z.enum(["sandbox", "live"]);
export type Environment = z.output<typeof Environment>;
