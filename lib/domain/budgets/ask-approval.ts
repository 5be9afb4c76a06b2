import type { Ports } from "../ports.ts";
import { announceApproval } from "./announce-approval.ts";
import type { NewApproval } from "./budget-ports.ts";

/** Where a person decides about a request: for its payer, and for the agent that has to wait. */
export type AskedApproval = { approvalId: string; url: string };

/** Lets a request wait for a person, once however often it is sent; null while too many of the account wait. */
export async function askApproval(
  ports: Ports,
  request: Omit<NewApproval, "approvalId" | "secretHash">,
): Promise<AskedApproval | null> {
  const { crypto } = ports;
  const secret = `${crypto.randomId()}${crypto.randomId()}`;
  const approvalId = crypto.randomId();
  const asked = { ...request, approvalId, secretHash: crypto.digest(secret) };
  const open = await ports.approvals.ask(asked);
  if (!open) return null;
  const url = approvalUrl(ports, open.approvalId);
  if (open.isNew) announceApproval(ports, { approval: asked, url, secret });
  return { approvalId: open.approvalId, url };
}

const approvalUrl = ({ origin }: Ports, approvalId: string) => `${origin}/approvals/${approvalId}`;
