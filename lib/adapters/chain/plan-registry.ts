import { encodeFunctionData, toHex } from "viem";
import { signTypedData } from "viem/accounts";
import type { PlanVersion } from "@/lib/domain/chain-ports.ts";
import { plansAbi } from "./abis.ts";
import { userOperationTypedData } from "./bundler/user-operation.ts";
import { MOST_A_REQUEST, saleIdOf, toOnChainPlan } from "./chain-plan.ts";
import type { OnChain } from "./deployment.ts";
import { findOwnerKey, type OwnerKeys } from "./grants/owner-keys.ts";
import { createOwnerOperation, sendOwnerOperation } from "./grants/owner-operation.ts";
import { nonceKeyOf } from "./grants/session-key.ts";
import {
  type OnChainPlan,
  type Operator,
  type OperatorOutcome,
  registerPlanOnChain,
} from "./operator.ts";
import { findRevertData } from "./revert-reason.ts";

/** Registers plans with the contract before their first order. */
export type PlanRegistry = ReturnType<typeof createPlanRegistry>;

export type PlanRegistryOptions = {
  operator: Operator;
  owners: OwnerKeys;
  /** Reads the terms a version was sold under. */
  findVersion: (planId: string, version: number) => Promise<PlanVersion>;
};

const OWNER_HOLDS_KEY =
  "other receivers and cheaper credits take the signature of the plan's owner, whose wallet holds the key; sell them as another plan";
const TOO_MANY_CREDITS = "a request may take more credits than the contract can count";
const OWNER_CALL_GAS = 1_600_000n;

/** Makes a {@link PlanRegistry}. Terms on chain never change, so a version is compared once. */
export function createPlanRegistry(options: PlanRegistryOptions) {
  const { findVersion } = options;
  const known = new Set<bigint>();

  /**
   * Registers a version, and its plan first, if the chain lacks them. Returns why the version cannot be sold, or null.
   * Null means that the chain has exactly the version's terms: money goes to no one else's receivers.
   *
   * @param sender who pays for it; the operator by default.
   */
  async function ensure(
    plan: PlanVersion,
    sender = options.operator.sender,
  ): Promise<string | null> {
    const operator = { ...options.operator, sender };
    const saleId = saleIdOf(plan);
    if (known.has(saleId)) return null;
    if (plan.credits.maxAmount > MOST_A_REQUEST) return TOO_MANY_CREDITS;
    const isFirst = plan.version === 1;
    const refusal = isFirst ? null : await ensure(await findVersion(plan.planId, 1), sender);
    if (refusal !== null) return refusal;
    if ((await readTerms(operator, saleId)) === null) {
      const outcome = isFirst
        ? await registerPlanOnChain(operator, toOnChainPlan(plan))
        : await registerVersion({ ...options, operator }, plan);
      if (outcome.status === "refused") return outcome.detail;
    }
    if (!(await hasTermsOnChain(operator, plan))) {
      return `The chain has other terms under ${saleId} than plan ${plan.planId}, version ${plan.version}`;
    }
    known.add(saleId);
    return null;
  }
  return { ensure };
}

/** Whether the chain sells exactly these terms under the version's id. */
export async function hasTermsOnChain(operator: OnChain, plan: PlanVersion): Promise<boolean> {
  const { planId: saleId, ...terms } = toOnChainPlan(plan);
  const found = await readTerms(operator, saleId);
  return (
    found?.planId === BigInt(plan.planId) &&
    Object.entries(terms).every(([name, value]) => isSame(found[name as keyof typeof terms], value))
  );
}

const isSame = (a: unknown, b: unknown): boolean => String(a) === String(b);

/** The terms that the chain has under an id, and the plan whose credits they sell; null for an unknown id. */
async function readTerms(
  { client, deployment }: OnChain,
  saleId: bigint,
): Promise<OnChainPlan | null> {
  const at = { address: deployment.plans, abi: plansAbi, args: [saleId] } as const;
  try {
    const [[rule, price], planId] = await Promise.all([
      client.readContract({ ...at, functionName: "planOf" }),
      client.readContract({ ...at, functionName: "planOfVersion" }),
    ]);
    const { total: _, ...terms } = price;
    const redemptionType = rule.redemptionType as OnChainPlan["redemptionType"];
    const lists = { amounts: [...terms.amounts], receivers: [...terms.receivers] };
    return { ...rule, ...terms, ...lists, redemptionType, planId };
  } catch (error) {
    if (findRevertData(error)) return null;
    throw error;
  }
}

/** Registers a later version; terms that a registrar alone may not register are signed by the plan's owner. */
async function registerVersion(
  { operator, owners }: PlanRegistryOptions,
  plan: PlanVersion,
): Promise<OperatorOutcome> {
  const terms = toOnChainPlan(plan);
  const planId = BigInt(plan.planId);
  const outcome = await registerPlanOnChain(operator, terms, planId);
  if (outcome.status !== "refused" || outcome.reason !== "OwnerMustRegister") return outcome;
  const privateKey = await findOwnerKey(owners, plan.owner);
  if (privateKey === null) return { ...outcome, detail: OWNER_HOLDS_KEY };
  const args = [planId, BigInt(plan.version), terms] as const;
  const callData = encodeFunctionData({ abi: plansAbi, functionName: "registerVersion", args });
  const unsigned = createOwnerOperation({
    account: terms.owner,
    calls: [{ target: operator.deployment.plans, value: 0n, callData }],
    nonceKey: nonceKeyOf(toHex(crypto.getRandomValues(new Uint8Array(32)))),
    callGas: OWNER_CALL_GAS,
  });
  const typedData = userOperationTypedData(operator.deployment, unsigned, "HybridDeleGator");
  const reason = await sendOwnerOperation(operator, {
    account: await owners.smartAccount(plan.owner),
    unsigned,
    signature: await signTypedData({ ...typedData, privateKey }),
    callGas: OWNER_CALL_GAS,
  });
  // A concurrent attempt may have come first.
  if (reason?.name === "PlanExists") return { status: "already" };
  if (reason) return { status: "refused", reason: reason.name, detail: reason.detail };
  return { status: "already" };
}
