import { redirect } from "next/navigation";
import { AskFirst } from "@/components/checkout/ask-first.tsx";
import { CardOrder } from "@/components/checkout/card-order.tsx";
import { CheckoutFrame } from "@/components/checkout/checkout-frame.tsx";
import {
  CannotOrder,
  EarlierOrder,
  LinkExpired,
  NoOrderYet,
  TwoPlans,
} from "@/components/checkout/checkout-notices.tsx";
import { CryptoOrder } from "@/components/checkout/crypto-order.tsx";
import { type CheckoutLink, orderHref } from "@/components/checkout/order-href.ts";
import { isOpen } from "@/components/checkout/order-state.ts";
import {
  grantText,
  offerOf,
  type PlanPrice,
  priceOf,
  priceText,
} from "@/components/checkout/plan-price.ts";
import { PlanSummary } from "@/components/checkout/plan-summary.tsx";
import { coversPlan, nameOf, unitOf } from "@/components/delegations/delegation-text.ts";
import type { Routed, Searched } from "@/components/search-params.ts";
import { leftText, whenOver } from "@/components/subscriptions/subscription-text.ts";
import { chainName } from "@/components/wallet/chain-name.ts";
import { findLinkedSession } from "@/lib/domain/orders/checkout-session.ts";
import { getRunning } from "@/lib/server/running.ts";
import { read } from "../../../_session/operations.ts";
import { requireSession } from "../../../_session/session.ts";
import { readAllDelegations } from "../../../(dashboard)/delegations/read-backing.ts";
import {
  addPaymentMethod,
  finishPaymentMethod,
} from "../../../(dashboard)/payment-methods/actions.ts";
import {
  getTestFunds,
  pay,
  prepareGrant,
  revokeGrant,
  submitGrantSignature,
} from "../../actions.ts";
import { type Purchase, readAlternatives, readOpens, readPurchase } from "../../read-checkout.ts";
import { readFunds } from "../../read-funds.ts";
import { SalesNotice } from "../../sales-notice.tsx";
import { readLinkEnd, readSessionId } from "../../session-id.ts";

export const metadata = { title: "Order", robots: { index: false } };

type CheckoutPageProps = Routed<"planId"> &
  Searched<Partial<Record<"follows" | "session" | "ends", string | string[]>>>;

export default async function CheckoutPage({ params, searchParams }: CheckoutPageProps) {
  const { planId } = await params;
  const { follows, ...query } = await searchParams;
  const link = { session: readSessionId(query.session), ends: readLinkEnd(query.ends) };
  const { session } = link;
  const { account } = await requireSession();
  const [{ ports, chain }, purchase] = await Promise.all([getRunning(), readPurchase(planId)]);
  const pageOf = ({ orderId }: { orderId: string }) => orderHref(planId, orderId, session);
  const who = { account: account.address, planId };
  const linked =
    session === undefined ? null : await findLinkedSession(ports, who, { ...link, session });
  if (linked?.order) redirect(pageOf(linked.order));
  const { plan, price, agents, orders, own } = purchase;
  const newest = own[0];
  // While one order is in progress there is no second one, in any tab or browser.
  const open = orders.find(({ status }) => isOpen(status));
  if (open) redirect(pageOf(open));
  // This page ordered and was left before its answer arrived.
  const hasTried = typeof follows === "string";
  const hasOrdered = hasTried && newest && newest.orderId !== follows;
  if (hasOrdered) redirect(pageOf(newest));

  const [now, alternatives, opens] = await Promise.all([
    ports.clock.now(),
    readAlternatives(purchase),
    readOpens(purchase),
  ]);
  const agentNames = agents.map(({ metadata }) => metadata.main.name);
  const name = plan.metadata.main.name;
  const minted = own.find(({ status }) => status === "minted");
  const closed = plan.archivedAt
    ? "archived"
    : plan.metadata.plan.isTrialPlan && minted && { trialOrderedAt: minted.createdAt };
  const { twin } = alternatives;
  return (
    <CheckoutFrame
      title={`Order “${name}”`}
      lead={
        agentNames[0] ? `${grantText(plan)} for calls to ${agentNames[0]}.` : `${grantText(plan)}.`
      }
      summary={<PlanSummary plan={plan} price={price} agents={agentNames} />}
      beside={
        twin &&
        !closed && (
          <TwoPlans
            here={await productOf(plan, price)}
            there={await productOf(twin, priceOf(twin, chain.deployment.usdc))}
          />
        )
      }
    >
      {!price.isFree && <SalesNotice />}
      {linked?.isExpired ? (
        <LinkExpired />
      ) : closed ? (
        <CannotOrder
          why={closed}
          planId={planId}
          hasOrdered={minted !== undefined}
          others={alternatives.plans.map((other) => ({
            planId: other.planId,
            name: other.metadata.main.name,
            price: priceText(priceOf(other, chain.deployment.usdc)),
            grant: grantText(other),
          }))}
        />
      ) : (
        <>
          {hasTried && <NoOrderYet />}
          {newest && <EarlierOrder order={newest} planId={planId} now={now.toISOString()} />}
          {opens ? (
            <AskFirst why={opens}>{await orderForm(purchase, link)}</AskFirst>
          ) : (
            await orderForm(purchase, link)
          )}
        </>
      )}
    </CheckoutFrame>
  );
}

/** A plan as it is compared with another, with what the account has of it. */
async function productOf(plan: Purchase["plan"], price: PlanPrice) {
  const { planId, metadata } = plan;
  const [subscription] = (await read("listSubscriptions", { planId, limit: 1 })).items;
  return {
    planId,
    name: metadata.main.name,
    price: priceText(price),
    grant: grantText(plan),
    balance: subscription ? `${leftText(subscription).toLowerCase()} now` : "none yet",
  };
}

async function orderForm({ plan, price, agents, own }: Purchase, link: CheckoutLink) {
  const { planId } = plan;
  const { account } = await requireSession();
  const { env, ports, chain, cards: processor } = await getRunning();
  const newest = own[0];
  const follows = newest?.orderId ?? "first";
  const isSandbox = env.environment === "sandbox";
  if (price.isCard) {
    return (
      <CardOrder
        key={follows}
        planId={planId}
        price={price}
        offer={offerOf(plan, price)}
        follows={follows}
        link={link}
        now={(await ports.clock.now()).toISOString()}
        cards={await read("listPaymentMethods", {})}
        avoid={newest?.status === "declined" ? newest.providerPaymentMethodId : undefined}
        whenOver={whenOver(plan.metadata.plan.accessLimit)}
        hasTestCards={isSandbox && processor?.stop !== undefined}
        actions={{ pay, addPaymentMethod, finishPaymentMethod }}
      />
    );
  }
  const isOwnWallet = account.ownerKey === null;
  const [firstAgent] = agents;
  const funds = price.isFree ? null : await readFunds(account.address, price.tokenAddress);
  return (
    <CryptoOrder
      key={follows}
      planId={planId}
      price={price}
      offer={offerOf(plan, price)}
      follows={follows}
      seller={plan.metadata.main.author || firstAgent?.metadata.main.name || "the seller"}
      grant={grantText(plan)}
      account={account.address}
      chain={chainName(chain.deployment.chainId)}
      isSandbox={isSandbox}
      isOwnWallet={isOwnWallet}
      funds={funds?.toString() ?? null}
      {...(isOwnWallet && !price.isFree && (await coveringDelegation(planId, price)))}
      actions={{ pay, getTestFunds, prepareGrant, submitGrantSignature, revokeGrant }}
    />
  );
}

/** A delegation the wallet has signed and this order fits into. */
async function coveringDelegation(planId: string, { cents }: Pick<PlanPrice, "cents">) {
  if (cents === null) return {};
  const found = (await readAllDelegations()).find(
    (each) =>
      coversPlan(each, { planId, isCard: false }) && BigInt(each.remainingBudgetCents) >= cents,
  );
  if (!found) return {};
  const { delegationId, remainingBudgetCents } = found;
  const leftCents = String(remainingBudgetCents);
  return { delegation: { delegationId, name: nameOf(found), leftCents, currency: unitOf(found) } };
}
