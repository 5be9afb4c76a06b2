import type { Ports } from "../ports.ts";
import type { NewApproval } from "./budget-ports.ts";

/**
 * The one place where a request that waits becomes a notice. The inbox reads the approvals themselves; a channel that
 * leaves the service sends `url` with the secret as its fragment, which no server and no log ever sees.
 */
export function announceApproval(
  { log }: Ports,
  { approval, url }: { approval: NewApproval; url: string; secret: string },
): void {
  const { approvalId, account, reason } = approval;
  log.info({ approvalId, account, reason, url }, "a request waits for approval");
}
