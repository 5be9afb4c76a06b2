import {
  type GrantToSign,
  getFixedCreditsConfig,
  getNativeTokenPriceConfig,
  type InputOf,
} from "@turnpike/payments/protocol";
import { getAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { checkoutGrant } from "@/components/checkout/checkout-grant.ts";
import { priceOf } from "@/components/checkout/plan-price.ts";
import { readTokenLimits } from "@/components/delegations/read-limits.ts";
import { grantInput, type MintTerms } from "@/components/tokens/mint-values.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId, requirementOf } from "../testing/operation-samples.ts";
import { createMarket } from "../testing/test-service.ts";
import { useChainMarket } from "../testing/use-chain-market.ts";

const PRICE = 10n ** 16n;

describe.each(ruleStores())("a plan priced in ETH, on $name", ({ open }) => {
  const at = useChainMarket(open, { order: false });

  /** The plan, and a person with ETH whose own wallet signs the delegations made for it. */
  async function opened() {
    const market = await createMarket(at.service, {
      price: getNativeTokenPriceConfig(PRICE, at.receiver),
      credits: getFixedCreditsConfig(100n, 1n),
      order: false,
    });
    const walletKey = generatePrivateKey();
    const wallet = privateKeyToAccount(walletKey);
    const { payments, address } = await at.service.party({ walletKey });
    await at.service.chain.fund(getAddress(address), 10n * PRICE);
    const sign = ({ typedData }: GrantToSign) =>
      wallet.signTypedData(typedData as never as Parameters<typeof wallet.signTypedData>[0]);
    const { plans, delegation } = payments;
    const plan = await plans.getPlan(market.planId);
    return {
      market,
      payments,
      price: priceOf(plan, at.service.usdc),
      async delegate(input: InputOf<"createDelegation">) {
        const { delegationId, grant } = await delegation.createDelegation(input);
        if (!grant) throw new Error("There is nothing to sign.");
        await delegation.submitGrantSignature(delegationId, await sign(grant));
        return delegationId;
      },
    };
  }

  test("is paid under the delegation that checkout has a wallet sign", async () => {
    const { market, price, payments, delegate } = await opened();
    const delegationId = await delegate(checkoutGrant(market.planId, price));
    const receipt = await payments.plans.orderPlan(market.planId, { delegationId });
    expect(receipt).toMatchObject({ success: true, status: "minted" });
  });

  test("is ordered by a call whose token's delegation a wallet signed", async () => {
    const { market, price, payments, delegate } = await opened();
    const { planId, agentId } = market;
    const terms = { planId, planName: "ETH", token: price } as unknown as MintTerms;
    const draft = { limit: "0.01", durationSecs: 86_400, maxTransactions: "" };
    const reading = readTokenLimits(draft, price);
    if (reading.faults) throw new Error(JSON.stringify(reading.faults));
    const delegationId = await delegate(grantInput(reading.limits, terms));
    const { accessToken } = await payments.x402.getX402AccessToken(planId, agentId, {
      delegationConfig: { delegationId },
    });
    const settlement = await market.builder.payments.facilitator.settlePermissions({
      paymentRequired: requirementOf(market),
      x402AccessToken: accessToken,
      agentRequestId: freshId(),
    });
    expect(settlement).toMatchObject({ success: true, remainingBalance: "99" });
  });
});
