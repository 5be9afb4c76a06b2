import "server-only";
import {
  getCryptoPriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import type { Context } from "@/lib/domain/context.ts";
import { registerAgent, updateAgent } from "@/lib/domain/plans/agents.ts";
import { registerCreditsPlan } from "@/lib/domain/plans/plans.ts";
import {
  LAB_PATHS,
  LAB_PLANS,
  type LabPath,
  type LabPlan,
  pathOn,
  RAILS,
} from "@/lib/playground/lab-places.ts";
import type { SandboxLab } from "./lab-terms.ts";
import type { SandboxFile } from "./sandbox-file.ts";

type LabParts = {
  context: Context;
  builder: SandboxFile["builder"];
  agentPort: number;
  /** The stablecoin that pays for the crypto plans. */
  usdc: string;
};

/**
 * Seeds the failure lab: a builder with plans and agents that fail on purpose. The plans are separate and unlisted, so
 * that a fault affects no other calls. Idempotent.
 */
export async function seedLab({
  context,
  builder,
  agentPort,
  usdc,
}: LabParts): Promise<SandboxLab> {
  const plans = {} as Record<LabPlan, string>;
  for (const [index, name] of LAB_PLANS.entries()) {
    plans[name] = await registerPlan(context, { name, usdc, nonce: BigInt(FIRST_NONCE + index) });
  }
  const base = `http://localhost:${agentPort}`;
  const urlsOf = (paths: LabPath[]) =>
    RAILS.flatMap((rail) => paths.map((path) => `${base}${pathOn(rail, path)}`));
  const { other: _, ...own } = LAB_PATHS;
  const offered = LAB_PLANS.filter((name) => name !== "other" && name !== "card-other");
  const agentId = await register(context, 1n, "Failure lab", {
    plans: offered.map((name) => plans[name]),
    urls: [...new Set(urlsOf(Object.keys(own) as LabPath[]))],
  });
  const otherAgentId = await register(context, 2n, "Failure lab, another agent", {
    plans: [plans.calls, plans["card-calls"]],
    urls: urlsOf(["other"]),
  });
  return { builder, plans, agentId, otherAgentId, url: base };
}

type Wanted = { name: LabPlan; usdc: string; nonce: bigint };

async function registerPlan(context: Context, { name, usdc, nonce }: Wanted): Promise<string> {
  const { title, calls } = TERMS[name];
  const receiver = context.caller?.account ?? "";
  const priceConfig = name.startsWith("card")
    ? getFiatPriceConfig(CARD_PRICE, receiver, "USD")
    : { ...getCryptoPriceConfig(CRYPTO_PRICE, receiver, usdc), currency: "USDC" };
  const { planId } = await registerCreditsPlan(context, {
    metadataAttributes: { name: title, description: "For the failure lab.", tags: ["lab"] },
    priceConfig,
    creditsConfig: getFixedCreditsConfig(calls, 1n),
    accessLimit: "credits",
    state: "unlisted",
    nonce,
  });
  return planId;
}

/** Earlier nonces belong to free plans. */
const FIRST_NONCE = 11;
/** In millionths of a dollar: more expensive than the smallest delegation limit, one cent. */
const CRYPTO_PRICE = 100_000n;
const CARD_PRICE = 5_000_000n;

const TERMS: Record<LabPlan, { title: string; calls: bigint }> = {
  calls: { title: "Lab calls", calls: 100n },
  other: { title: "Lab, another plan", calls: 100n },
  once: { title: "Lab, a single call", calls: 1n },
  late: { title: "Lab, settled late", calls: 100n },
  changing: { title: "Lab, changing price", calls: 100n },
  card: { title: "Lab by card", calls: 10n },
  "card-calls": { title: "Lab calls by card", calls: 100n },
  "card-other": { title: "Lab, another plan by card", calls: 100n },
  "card-once": { title: "Lab, a single call by card", calls: 1n },
  "card-late": { title: "Lab, settled late by card", calls: 100n },
  "card-changing": { title: "Lab, changing price by card", calls: 100n },
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
    description: "Fails on purpose, for the playground's failure lab.",
    author: "Turnpike demo",
    tags: ["lab"],
  };
  const { agentId } = await registerAgent(context, {
    metadataAttributes,
    agentApiAttributes,
    plans,
    nonce,
  });
  // The port may have changed since the last start.
  await updateAgent(context, { agentId, agentApiAttributes });
  return agentId;
}
