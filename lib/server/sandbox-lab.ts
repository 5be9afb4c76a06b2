import "server-only";
import {
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  type PlanPriceConfig,
} from "@turnpike/payments/protocol";
import { registerAgent, updateAgent } from "@/lib/domain/agents.ts";
import type { Context } from "@/lib/domain/context.ts";
import { registerCreditsPlan } from "@/lib/domain/plans.ts";
import { LAB_PATHS, LAB_PLANS, type LabPlan } from "@/lib/playground/lab-places.ts";
import type { SandboxLab } from "./lab-terms.ts";
import type { SandboxFile } from "./sandbox-file.ts";

type Seat = { context: Context; builder: SandboxFile["builder"]; agentPort: number };

/**
 * The failure lab's own builder, with plans and agents that are there to go wrong. Its plans are unlisted and
 * nobody else's, so that no fault of a run strikes another's calls. Repeatable, as the rest of the sandbox is.
 */
export async function seedLab({ context, builder, agentPort }: Seat): Promise<SandboxLab> {
  const plans = {} as Record<LabPlan, string>;
  for (const [index, name] of LAB_PLANS.entries()) {
    plans[name] = await registerPlan(context, name, BigInt(index + 1));
  }
  const base = `http://localhost:${agentPort}`;
  const { other, ...own } = LAB_PATHS;
  const agentId = await register(context, 1n, "Failure lab", {
    plans: [plans.calls, plans.late, plans.once, plans.card, plans.changing],
    urls: Object.values(own).map((path) => `${base}${path}`),
  });
  const otherAgentId = await register(context, 2n, "Failure lab, another agent", {
    plans: [plans.calls],
    urls: [`${base}${other}`],
  });
  return { builder, plans, agentId, otherAgentId, url: base };
}

async function registerPlan(context: Context, name: LabPlan, nonce: bigint): Promise<string> {
  const { title, calls } = TERMS[name];
  const receiver = context.caller?.account ?? "";
  const price: PlanPriceConfig =
    name === "card" ? getFiatPriceConfig(5_000_000n, receiver, "USD") : getFreePriceConfig();
  const { planId } = await registerCreditsPlan(context, {
    metadataAttributes: { name: title, description: "Of the failure lab.", tags: ["lab"] },
    priceConfig: price,
    creditsConfig: getFixedCreditsConfig(calls, 1n),
    accessLimit: "credits",
    state: "unlisted",
    nonce,
  });
  return planId;
}

const TERMS: Record<LabPlan, { title: string; calls: bigint }> = {
  calls: { title: "Lab calls", calls: 100n },
  other: { title: "Lab, another plan", calls: 100n },
  once: { title: "Lab, a single call", calls: 1n },
  late: { title: "Lab, settled late", calls: 100n },
  changing: { title: "Lab, changing price", calls: 100n },
  card: { title: "Lab by card", calls: 10n },
};

async function register(
  context: Context,
  nonce: bigint,
  name: string,
  { plans, urls }: { plans: string[]; urls: string[] },
): Promise<string> {
  const agentApiAttributes = {
    endpoints: urls.map((url) => ({ verb: "POST" as const, url })),
    openEndpoints: [],
    authType: "NONE" as const,
  };
  const metadataAttributes = {
    name,
    description: "Goes wrong on purpose, for the playground's failure lab.",
    author: "Turnpike demo",
    tags: ["lab"],
  };
  const { agentId } = await registerAgent(context, {
    metadataAttributes,
    agentApiAttributes,
    plans,
    nonce,
  });
  // The port may differ from the last start's.
  await updateAgent(context, { agentId, agentApiAttributes });
  return agentId;
}
