import type { Plan } from "@turnpike/payments/protocol";
import { read } from "@/app/_session/operations.ts";
import { priceOf, priceText } from "@/components/checkout/plan-price.ts";
import { coversPlan, nameOf } from "@/components/delegations/delegation-text.ts";
import { RenewalCard } from "@/components/subscriptions/renewal-card.tsx";
import { Section } from "@/components/ui/page-header.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { readAllDelegations } from "../delegations/read-backing.ts";
import { setRenewal } from "./actions.ts";

/** Whether and how a time plan renews; nothing for plans that don't. */
export async function PlanRenewal({ plan }: { plan: Plan }) {
  const { planId } = plan;
  const [{ chain }, { items }, subscriptions, delegations] = await Promise.all([
    getRunning(),
    read("listRenewals", { planId }),
    read("listSubscriptions", { planId, limit: 1 }),
    readAllDelegations(),
  ]);
  const price = priceOf(plan, chain.deployment.usdc);
  if (plan.metadata.plan.accessLimit !== "time" || plan.metadata.plan.isTrialPlan || price.isFree)
    return null;
  const [renewal] = items;
  const isSold = plan.archivedAt === undefined;
  if (!isSold && (renewal?.state ?? "off") === "off") return null;
  const { isCard } = price;
  return (
    <Section id="renewal" title="Renewal">
      <RenewalCard
        planId={planId}
        version={plan.version}
        price={priceText(price)}
        isSold={isSold}
        renewal={renewal}
        delegations={delegations
          .filter((each) => coversPlan(each, { planId, isCard }))
          .map((each) => ({
            delegationId: each.delegationId,
            name: nameOf(each),
            expiresAt: each.expiresAt,
          }))}
        endsAt={subscriptions.items[0]?.endsAt}
        setRenewal={setRenewal}
      />
    </Section>
  );
}
