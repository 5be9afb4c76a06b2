import { toJson } from "@turnpike/payments/protocol";
import { type OperationName, samples } from "./operation-samples.ts";
import {
  createAlertSpares,
  createApprovals,
  createCardDelegation,
  createUnsigned,
  createUnused,
  type SampleWorld,
} from "./sample-world.ts";

const MOST_SPARE_ENDPOINTS = 10;
/** A hostile member may leave a budget that refuses what other samples buy. */
const NO_BUDGETS = { limits: [], allow: {}, approval: {} };

/** What samples may revoke, decide or delete: its names among the spare objects, and how it is made new. */
type Renewal = {
  of: (keyof SampleWorld["spare"])[];
  renew: (world: SampleWorld) => Promise<Partial<SampleWorld["spare"]>>;
};

const RENEWALS: Renewal[] = [
  {
    of: ["unsignedId", "unsignedGrantId", "grantSignature"],
    renew: ({ builder }) => createUnsigned(builder),
  },
  { of: ["endingPlanId", "endingAgentId"], renew: ({ builder }) => createUnused(builder) },
  { of: ["endpointToDeleteId"], renew: renewEndpoint },
  { of: ["endpointId"], renew: endEarlierSecrets },
  { of: ["approvalId", "approvalToDeclineId"], renew: renewApprovals },
  {
    of: ["alertRuleId", "alertRuleToDeleteId", "emailSecret"],
    renew: ({ builder }) => createAlertSpares(builder),
  },
  {
    of: ["renewingDelegationId"],
    renew: async ({ builder }) => ({ renewingDelegationId: await createCardDelegation(builder) }),
  },
];

/** Keeps what an operation's sample names usable, and makes it new only where a call may have used it up. */
export function createSpareRenewal(world: SampleWorld) {
  const fresh = new Set<Renewal>(RENEWALS);
  const { builder, subscriber } = world;
  let isAddressKnown = false;
  let isUnlimited = false;
  return {
    /** After any call that may change something: one of the samples revokes all there is. */
    mayBeUsed() {
      fresh.clear();
      isAddressKnown = false;
      isUnlimited = false;
    },
    async renewFor(name: OperationName) {
      if (!isUnlimited) await builder.payments.budgets.setBudgets(NO_BUDGETS);
      isUnlimited = true;
      const sample = toJson(samples[name](world));
      for (const each of RENEWALS) {
        const isNamed = each.of.some((member) => sample.includes(world.spare[member]));
        if (!isNamed || fresh.has(each)) continue;
        Object.assign(world.spare, await each.renew(world));
        fresh.add(each);
      }
      if (isAddressKnown || !sample.includes(subscriber.address)) return;
      await builder.money.addWithdrawalAddress({ address: subscriber.address });
      isAddressKnown = true;
    },
  };
}

/** Makes everything new that any sample may have used up. */
export async function renewSpares(world: SampleWorld): Promise<void> {
  for (const { renew } of RENEWALS) Object.assign(world.spare, await renew(world));
  await world.builder.money.addWithdrawalAddress({ address: world.subscriber.address });
}

/** An account has few endpoints, and samples create more. */
async function renewEndpoint({ spare, builder }: SampleWorld) {
  const { webhooks } = builder.payments;
  const { items } = await webhooks.listWebhookEndpoints();
  const others = items.flatMap(({ endpointId }) =>
    endpointId === spare.endpointId ? [] : [endpointId],
  );
  if (others.length <= MOST_SPARE_ENDPOINTS && others.includes(spare.endpointToDeleteId)) return {};
  await Promise.all(others.map((id) => webhooks.deleteWebhookEndpoint(id)));
  const hook = { url: "https://builder.example/hooks" };
  return { endpointToDeleteId: (await webhooks.createWebhookEndpoint(hook)).endpointId };
}

/** Few secrets of an endpoint sign at a time. */
async function endEarlierSecrets({ spare, builder }: SampleWorld) {
  const { endpointId } = spare;
  await builder.payments.webhooks.rotateWebhookSecret({ endpointId, overlapSecs: 0 });
  return {};
}

/** An account has few requests that wait, too. */
async function renewApprovals({ spare, builder, planId }: SampleWorld) {
  const { budgets } = builder.payments;
  const asked = await Promise.all(
    [spare.approvalId, spare.approvalToDeclineId].map((id) => budgets.getApproval(id)),
  );
  const isWaiting = asked.every(({ status }) => status === "pending");
  return isWaiting ? {} : createApprovals(builder, planId);
}
