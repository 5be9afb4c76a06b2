import { AuthType } from "@turnpike/payments/protocol";
import { z } from "zod";

/** How callers authenticate with an agent, as entered in the form; not stored. */
export const AgentAccess = z.object({
  authType: z._default(AuthType, "NONE"),
  username: z.string().max(256).optional(),
  password: z.string().max(1024).optional(),
  token: z.string().max(8192).optional(),
  headers: z.record(z.string().max(128), z.string().max(8192)).optional(),
});
export type AgentAccess = z.output<typeof AgentAccess>;

export function accessHeaders(access: AgentAccess | undefined): {
  authorization?: string;
  headers: Record<string, string>;
} {
  const headers = access?.headers ?? {};
  if (access?.authType === "BASIC") {
    const pair = `${access.username ?? ""}:${access.password ?? ""}`;
    return { headers, authorization: `Basic ${Buffer.from(pair, "utf8").toString("base64")}` };
  }
  if (access?.authType === "BEARER" && access.token) {
    return { headers, authorization: `Bearer ${access.token}` };
  }
  return { headers };
}
