import type { Settlement } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { worthValues } from "../credits-worth.ts";
import { compareReceipt, readReceipt } from "../read-receipt.ts";
import type { Fact } from "../run.ts";
import { checkPayment } from "./check-payment.ts";
import type { Permission } from "./choose-permission.ts";
import { findSettlement, type PaidAnswer } from "./find-settlement.ts";
import type { StepContext, StepEnd } from "./step.ts";
import type { VerifiedToken } from "./verify-token.ts";

type Given = { permission: Permission; verified: VerifiedToken; paid: PaidAnswer };

/** Step 6: checks the receipt, or looks the settlement up where the response carried none. */
export async function checkSettlement(context: StepContext, given: Given): Promise<StepEnd> {
  const { paid, permission } = given;
  if (permission.exact) return checkPayment(context.service, paid.exchange, permission.exact);
  const receipt = readReceipt(paid.exchange);
  if (receipt.kind === "settled") return checkReceipt(context, given, receipt.settlement);
  if (receipt.kind === "refused") {
    const { errorReason, errorMessage } = receipt.settlement;
    // The gate reports this while it is still retrying.
    if (errorReason !== "settlement_pending") {
      const values = { message: errorMessage ?? errorReason };
      return { outcome: "receipt-refused", values, reason: errorReason, found: null };
    }
  }
  if (receipt.kind === "unreadable" && !paid.agentRequestId) {
    return { outcome: "receipt-unreadable", values: {}, found: null };
  }
  return findSettlement(context, { permission, paid });
}

async function checkReceipt(
  { service }: StepContext,
  { permission, verified, paid }: Given,
  settlement: Extract<Settlement, { success: true }>,
): Promise<StepEnd> {
  const { token, offer, plan, planId, before } = permission;
  const { creditsRedeemed, remainingBalance } = settlement;
  const used = BigInt(creditsRedeemed);
  const current = service.account ? await service.readBalance(planId).catch(() => null) : null;
  const expected = {
    ...{ token, offer, plan },
    // An order made on the way adds to the earlier balance.
    before: verified.topsUp ? null : before,
    after: current?.balance ?? null,
  };
  const isOdd = ({ holds }: Fact) => holds === false;
  let facts = compareReceipt(settlement, expected);
  if (facts.some(isOdd)) {
    // Another call or an order of the same account changes the balance too: the service's record decides.
    const record = await service.findRequest(settlement.agentRequestId).catch(() => null);
    const recorded = record?.moneyStatus === "settled" ? BigInt(record.credits) : null;
    facts = compareReceipt(settlement, { ...expected, recorded });
  }
  const odd = facts.find(isOdd);
  return {
    outcome: odd ? "settled-odd" : "settled",
    values: {
      credits: plural(used, "credit"),
      after: remainingBalance,
      first: odd ? `${odd.name} ${odd.note}` : "",
      ...worthValues(plan, used),
    },
    facts,
    changes: {
      agentRequestId: paid.agentRequestId ?? settlement.agentRequestId,
      credits: {
        before: String(verified.topsUp ? BigInt(remainingBalance) + used : (before ?? "")),
        after: remainingBalance,
      },
    },
    found: null,
  };
}
