import { MAX_UINT256 } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import type { DelegationRecord } from "@/lib/domain/records.ts";
import { delegationTerms } from "./delegation-grant.ts";
import { periodLimitsOf } from "./period-limits.ts";

const TOKEN = `0x${"ab".repeat(20)}` as const;
const STABLE = new Map([[TOKEN as string, "usdc"]]);

test("a limit of 2^256-1 cents is the largest amount in the token, which can be signed", () => {
  const delegation = {
    ...{ planIds: [], expiresAt: new Date(), spendingLimitCents: MAX_UINT256 },
  } as unknown as DelegationRecord;
  expect(delegationTerms(delegation, TOKEN, STABLE).orderLimit).toBe(MAX_UINT256);
  const limits = [{ unit: "money", period: "day", limit: MAX_UINT256.toString() }];
  const budgets = [{ scope: "account", document: { currency: "usd", limits } }];
  expect(periodLimitsOf(budgets as never, TOKEN, STABLE)).toMatchObject([{ limit: MAX_UINT256 }]);
});
