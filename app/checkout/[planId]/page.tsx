import { redirect } from "next/navigation";
import { CardOrder } from "@/components/checkout/card-order.tsx";
import { CheckoutFrame } from "@/components/checkout/checkout-frame.tsx";
import { CryptoOrder } from "@/components/checkout/crypto-order.tsx";
import { isOpen } from "@/components/checkout/order-state.ts";
import { grantText, priceOf, priceText } from "@/components/checkout/plan-price.ts";
import { PlanSummary } from "@/components/checkout/plan-summary.tsx";
import { EarlierOrder, Rails, TrialUsed } from "@/components/checkout/standing.tsx";
import { chainName } from "@/components/wallet/chain-name.ts";
import { getRunning } from "@/lib/server/running.ts";
import { read } from "../../_session/operations.ts";
import { requireSession } from "../../_session/session.ts";
import {
  addPaymentMethod,
  finishPaymentMethod,
} from "../../(dashboard)/payment-methods/actions.ts";
import { getTestFunds, pay, prepareGrant, submitGrantSignature } from "../actions.ts";
import { readAlternatives, readPurchase } from "../read-checkout.ts";
import { readFunds } from "../read-funds.ts";

export const metadata = { title: "Order", robots: { index: false } };

type CheckoutPageProps = {
  params: Promise<{ planId: string }>;
  searchParams: Promise<{ follows?: string | string[] }>;
};

export default async function CheckoutPage({ params, searchParams }: CheckoutPageProps) {
  const { planId } = await params;
  const { follows } = await searchParams;
  const { account } = await requireSession();
  const [{ env, ports, chain, cards: processor }, purchase] = await Promise.all([
    getRunning(),
    readPurchase(planId),
  ]);
  const { plan, price, agents, orders } = purchase;
  const own = orders.filter(({ isTopUp }) => !isTopUp);
  const newest = own[0];
  // While one order is open nobody can make another, in whichever tab or browser.
  const open = orders.find(({ status }) => isOpen(status));
  if (open) redirect(`/checkout/${planId}/${open.orderId}`);
  // This page ordered, and was left before it had its answer.
  const hasOrdered = typeof follows === "string" && newest && newest.orderId !== follows;
  if (hasOrdered) redirect(`/checkout/${planId}/${newest.orderId}`);

  const [now, alternatives] = await Promise.all([ports.clock.now(), readAlternatives(purchase)]);
  const agentNames = agents.map(({ metadata }) => metadata.main.name);
  const name = plan.metadata.main.name;
  const minted = own.find(({ status }) => status === "minted");
  const isTrialUsed = plan.metadata.plan.isTrialPlan && minted !== undefined;
  const isSandbox = env.environment === "sandbox";
  const shared = {
    planId,
    price,
    follows: newest?.orderId ?? "first",
    now: now.toISOString(),
  };
  const seller = plan.metadata.main.author || agentNames[0] || "its seller";
  const { twin } = alternatives;
  return (
    <CheckoutFrame
      title={`Order ‘${name}’`}
      lead={`${grantText(plan)} for calls to ${agentNames[0] ?? "its agents"}.`}
      summary={<PlanSummary plan={plan} price={price} agents={agentNames} />}
    >
      {twin && !isTrialUsed && (
        <Rails
          here={{ planId, price: priceText(price), isCard: price.isCard }}
          there={{
            planId: twin.planId,
            price: priceText(priceOf(twin, chain.deployment.usdc)),
            isCard: !twin.registry.price.isCrypto,
          }}
        />
      )}
      {isTrialUsed ? (
        <TrialUsed
          at={minted.createdAt}
          planId={planId}
          others={alternatives.plans.map((other) => ({
            planId: other.planId,
            name: other.metadata.main.name,
            price: priceText(priceOf(other, chain.deployment.usdc)),
            grant: grantText(other),
          }))}
        />
      ) : (
        <>
          {newest && <EarlierOrder order={newest} planId={planId} now={now.toISOString()} />}
          {price.isCard ? (
            <CardOrder
              key={shared.follows}
              {...shared}
              cards={await read("listPaymentMethods", {})}
              avoid={newest?.status === "declined" ? newest.providerPaymentMethodId : undefined}
              hasTestCards={isSandbox && processor.stop !== undefined}
              actions={{ pay, addPaymentMethod, finishPaymentMethod }}
            />
          ) : (
            <CryptoOrder
              key={shared.follows}
              {...shared}
              seller={seller}
              grant={grantText(plan)}
              account={account.address}
              chain={chainName(chain.deployment.chainId)}
              isSandbox={isSandbox}
              isOwnWallet={account.ownerKey === null}
              funds={
                price.isFree
                  ? null
                  : ((await readFunds(account.address, price.tokenAddress))?.toString() ?? null)
              }
              {...(await coveringDelegation(account.ownerKey === null, planId, price))}
              actions={{ pay, getTestFunds, prepareGrant, submitGrantSignature }}
            />
          )}
        </>
      )}
    </CheckoutFrame>
  );
}

/** For accounts of a person's own wallet: a signed delegation this order fits into. */
async function coveringDelegation(
  isOwnWallet: boolean,
  planId: string,
  price: { cents: bigint | null; isFree: boolean },
) {
  const { cents } = price;
  if (!isOwnWallet || price.isFree || cents === null) return {};
  const { items } = await read("listDelegations", { limit: 100 });
  const found = items.find(
    (each) =>
      each.provider === "erc4337" &&
      each.status === "Active" &&
      (each.planIds.length === 0 || each.planIds.includes(planId)) &&
      BigInt(each.remainingBudgetCents) >= cents,
  );
  if (!found) return {};
  const { delegationId, name, remainingBudgetCents, currency } = found;
  return {
    delegation: {
      delegationId,
      name: name ?? `…${delegationId.slice(-4)}`,
      leftCents: String(remainingBudgetCents),
      currency,
    },
  };
}
