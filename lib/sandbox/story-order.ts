import {
  isFree,
  type OrderReceipt,
  PaymentsError,
  type Plan,
  totalOf,
  ZERO_ADDRESS,
} from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import {
  creditsText,
  grouped,
  type PlanKind,
  readBalance,
  StepFailed,
  type StepResult,
  type StoryScene,
} from "./story-step.ts";

/** A sandbox plan that can pay for the call. */
export type PlanChoice = { kind: PlanKind; planId: string; plan: Plan };

const AUTOMATIC: readonly PlanKind[] = ["crypto", "trial", "card"];
const ORDER_WAIT_MS = 10_000;

export async function readPlan(
  scene: StoryScene,
  kind?: PlanKind,
): Promise<StepResult<PlanChoice[]>> {
  const kinds = kind ? [kind] : AUTOMATIC;
  const choices = await Promise.all(
    kinds.map(async (each) => {
      const planId = scene.sandbox.plans[each];
      return { kind: each, planId, plan: await scene.subscriber.plans.getPlan(planId) };
    }),
  );
  const first = choices[0] as PlanChoice;
  const { name } = first.plan.metadata.main;
  const { amount } = first.plan.registry.credits;
  return {
    result: choices,
    meaning: `“${name}” sells ${creditsText(amount)} ${costText(first.plan)}.`,
    facts: {
      plan: name,
      planId: first.planId,
      kind: first.kind,
      scheme: first.plan.scheme,
      credits: amount,
      price: priceText(first.plan),
    },
  };
}

export async function readAgent(scene: StoryScene): Promise<StepResult<{ agentId: string }>> {
  const { agentId, url } = scene.sandbox.agent;
  const agent = await scene.subscriber.agents.getAgent(agentId);
  const missing = Object.values(scene.sandbox.plans).filter((id) => !agent.plans.includes(id));
  if (missing.length > 0) {
    throw new StepFailed(`The agent does not accept plan ${missing.join(", ")}.`);
  }
  return {
    result: { agentId },
    meaning: `“${agent.metadata.main.name}” runs at ${url} and accepts ${plural(agent.plans.length, "plan")}.`,
    facts: { agent: agent.metadata.main.name, agentId, url, plans: String(agent.plans.length) },
  };
}

/** Uses remaining credits, and orders only if there are none. */
export async function orderCredits(
  scene: StoryScene,
  choices: PlanChoice[],
): Promise<StepResult<PlanChoice>> {
  const refusals: string[] = [];
  for (const choice of choices) {
    const ordered = await orderOne(scene, choice, refusals);
    if (!ordered) continue;
    if (refusals.length === 0) return ordered;
    return {
      ...ordered,
      meaning: `${refusedNames(choices, choice)} cannot be ordered here. ${ordered.meaning}`,
      facts: { ...ordered.facts, refused: refusals.join(" ") },
    };
  }
  throw new StepFailed(refusals.join(" "), {
    meaning: "No sandbox plan could be ordered. Nothing was charged.",
    facts: { tried: choices.map(({ kind }) => kind).join(", ") },
  });
}

const refusedNames = (choices: PlanChoice[], chosen: PlanChoice) =>
  choices
    .slice(0, choices.indexOf(chosen))
    .map(({ plan }) => `“${plan.metadata.main.name}”`)
    .join(" and ");

async function orderOne(
  scene: StoryScene,
  choice: PlanChoice,
  refusals: string[],
): Promise<StepResult<PlanChoice> | undefined> {
  const { planId, plan } = choice;
  const { name } = plan.metadata.main;
  const had = await readBalance(scene, planId);
  const facts = { plan: name, planId, kind: choice.kind };
  if (had > 0n) {
    const meaning = `“${name}” has ${creditsText(had)} left, so no order was needed.`;
    return { result: choice, meaning, facts: { ...facts, ordered: "no", balance: String(had) } };
  }
  const receipt = await tryOrder(scene, planId);
  if (receipt instanceof PaymentsError) {
    refusals.push(`“${name}” (${receipt.code}): ${receipt.message}`);
    return undefined;
  }
  if (!receipt.success) {
    refusals.push(`“${name}” (${receipt.status}): ${receipt.message ?? "the order was declined."}`);
    return undefined;
  }
  const has = await readBalance(scene, planId);
  const granted = BigInt(plan.registry.credits.amount);
  if (has !== granted) {
    throw new StepFailed(`Ordered ${granted} credits, but the balance is ${has}.`, { facts });
  }
  return {
    result: choice,
    meaning: `Ordered “${name}” ${costText(plan)}: the account has ${creditsText(has)}.`,
    facts: {
      ...facts,
      ordered: "yes",
      orderId: receipt.orderId,
      balance: String(has),
      ...(receipt.txHash && { transaction: receipt.txHash }),
    },
  };
}

/** The order's receipt, or a refusal after which another plan can be tried. Throws any other error. */
async function tryOrder(scene: StoryScene, planId: string): Promise<OrderReceipt | PaymentsError> {
  try {
    const receipt = await scene.subscriber.plans.orderPlan(planId);
    return await waitForOrder(scene, receipt);
  } catch (error) {
    if (PaymentsError.is(error) && isRefusal(error)) return error;
    throw error;
  }
}

const isRefusal = ({ code }: PaymentsError) =>
  code === "rail_unavailable" ||
  code === "payment_refused" ||
  code === "insufficient_balance" ||
  code === "already_ordered";

async function waitForOrder(scene: StoryScene, first: OrderReceipt): Promise<OrderReceipt> {
  const deadline = Date.now() + ORDER_WAIT_MS;
  let receipt = first;
  while (receipt.status === "reserved" || receipt.status === "charging") {
    if (Date.now() > deadline) {
      throw new StepFailed(`Order ${receipt.orderId} is still ${receipt.status}.`, {
        meaning: "It is not known yet whether the order went through. Do not order again yet.",
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
    receipt = await scene.subscriber.plans.getOrder(receipt.orderId);
  }
  return receipt;
}

const costText = (plan: Plan) =>
  isFree(plan.registry.price) ? "free of charge" : `for ${priceText(plan)}`;

function priceText({ registry: { price } }: Plan): string {
  if (isFree(price)) return "free";
  const total = totalOf(price);
  if (price.isCrypto && price.tokenAddress === ZERO_ADDRESS) return `${total} wei`;
  if (price.isCrypto && !price.currency) return `${total} of the token’s smallest unit`;
  return `${millionths(total)} ${price.currency ?? ""}`.trim();
}

// Fiat prices and stablecoin prices are both in millionths.
function millionths(amount: bigint): string {
  const fraction = (amount % 1_000_000n)
    .toString()
    .padStart(6, "0")
    .replace(/0{1,4}$/, "");
  return `${grouped(amount / 1_000_000n)}.${fraction}`;
}
