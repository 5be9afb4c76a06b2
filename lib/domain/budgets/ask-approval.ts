import { approvalSecret } from "../alerts/mail-text.ts";
import type { Ports } from "../ports.ts";
import type { NewApproval } from "./budget-ports.ts";

/** Where a person decides about a request: for its payer, and for the agent that has to wait. */
export type AskedApproval = { approvalId: string; url: string };

/** Lets a request wait for a person, once however often it is sent; null while too many of the account wait. */
export async function askApproval(
  ports: Ports,
  request: Omit<NewApproval, "approvalId" | "secretHash">,
): Promise<AskedApproval | null> {
  const { crypto } = ports;
  const approvalId = crypto.randomId();
  const secretHash = crypto.digest(approvalSecret(crypto, approvalId));
  const open = await ports.approvals.ask({ ...request, approvalId, secretHash });
  return open && { ...open, url: `${ports.origin}/approvals/${open.approvalId}` };
}
