import "server-only";
import { randomBytes, randomUUID } from "node:crypto";
import { Payments } from "@turnpike/payments";
import {
  buildPaymentRequired,
  CHAIN_NETWORKS,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import { privateKeyToAddress } from "viem/accounts";
import { revokeApiKey } from "@/lib/domain/accounts/api-keys.ts";
import { type Booted, bootService } from "../boot.ts";
import type { Env } from "../env.ts";
import { silentProgress } from "../progress.ts";
import { createAccount } from "../tools/create-account.ts";
import { Fault, reasonOf } from "./check.ts";

const ENDPOINT = "https://preflight.invalid/ask";

/**
 * Pays one call with a credit of a free plan: verify, settle, and the balance after it. The requests go through
 * TURNPIKE_ORIGIN; the two accounts are created next to the running service, and the plan is archived afterwards.
 */
export async function payOneCall(env: Env): Promise<string> {
  const booted = await bootService({ ...env, logLevel: "silent" }, silentProgress, "tool");
  try {
    return await makeCall(env, booted);
  } catch (cause) {
    throw new Fault(
      `The paid call failed: ${reasonOf(cause)}.`,
      "Correct what the checks above name, then run this again. The log of the service has the request.",
    );
  } finally {
    await booted.close();
  }
}

/** Plays the call, and archives and revokes whatever it made, however far it came. */
export async function makeCall(env: Env, booted: Pick<Booted, "ports">): Promise<string> {
  const undo: Undo = [];
  const faults: unknown[] = [];
  const note = (cause: unknown) => {
    faults.push(cause);
    return "";
  };
  const found = await play(env, booted, undo).catch(note);
  for (const each of undo.toReversed()) await each().catch(note);
  if (faults.length > 0) throw faults[0];
  return found;
}

/** What was made, oldest first. */
type Undo = (() => Promise<unknown>)[];

async function play(env: Env, booted: Pick<Booted, "ports">, undo: Undo): Promise<string> {
  const builder = await openAccount(env, booted, undo);
  const subscriber = await openAccount(env, booted, undo);
  const { plans, agents, facilitator } = builder.payments;
  const { planId } = await plans.registerCreditsPlan(
    { name: "Preflight" },
    getFreePriceConfig(),
    getFixedCreditsConfig(1n, 1n),
    // A process that is stopped archives nothing.
    { state: "unlisted" },
  );
  undo.push(() => plans.archivePlan(planId));
  const { agentId } = await agents.registerAgent(
    { name: "Preflight" },
    {
      endpoints: [{ POST: ENDPOINT }],
      agentDefinitionUrl: "https://preflight.invalid/openapi.json",
    },
    [planId],
  );
  undo.push(() => agents.archiveAgent(agentId));
  await subscriber.payments.plans.orderPlan(planId);
  const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId);
  const call = {
    paymentRequired: buildPaymentRequired({
      network: CHAIN_NETWORKS[env.environment],
      planId,
      agentId,
      endpoint: ENDPOINT,
      httpVerb: "POST",
    }),
    x402AccessToken: accessToken,
    maxAmount: "1",
  };
  const verified = await facilitator.verifyPermissions(call);
  if (!verified.isValid) throw new Error(`verify answered ${verified.invalidReason}`);
  const settled = await facilitator.settlePermissions({
    ...call,
    agentRequestId: verified.agentRequestId ?? randomUUID(),
  });
  if (!settled.success) throw new Error(`settle answered ${settled.errorReason}`);
  const { balance } = await subscriber.payments.plans.getPlanBalance(planId, subscriber.address);
  if (BigInt(balance) !== 0n) throw new Error(`the balance is ${balance} after its one credit`);
  return `${settled.creditsRedeemed} credit charged through ${env.origin}`;
}

async function openAccount(env: Env, { ports }: Pick<Booted, "ports">, undo: Undo) {
  const owner = privateKeyToAddress(`0x${randomBytes(32).toString("hex")}`);
  const { address, context, apiKey, keyId } = await createAccount(ports, {
    owner,
    name: "Preflight",
    requestId: "preflight",
  });
  undo.push(() => revokeApiKey(context, { keyId }));
  const { environment, origin } = env;
  return {
    address,
    payments: Payments.getInstance({ apiKey, environment, baseUrl: origin }),
  };
}
