import { paidIn } from "@/lib/console/paid-in.ts";
import type { ApprovalView } from "./budget-ports.ts";

/** The currency a person is asked to pay in. Budgets count USDC as USD; a plan is paid in its own currency. */
export const approvalCurrency = ({
  currency,
  isCrypto,
}: Pick<ApprovalView, "currency" | "isCrypto">): string | null =>
  currency && paidIn(currency, { isFiat: !isCrypto });
