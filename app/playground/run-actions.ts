"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { actionOf, answer, sentFrom } from "@/app/_session/operations.ts";
import { requireCaller } from "@/app/_session/session.ts";
import type { RunActions } from "@/components/playground/run/session-service.ts";
import type { RunPayer, RunPermission } from "@/lib/playground/ports.ts";
import { openRunCaller, type RunCaller } from "@/lib/server/identity/run-payer.ts";
import { getRunning } from "@/lib/server/running.ts";

// What a run of the playground or the failure lab calls, as its payer. The service offers test customers, faults and
// test cards in the sandbox only.

const as = <T>(payer: RunPayer, work: (caller: RunCaller) => Promise<T>) =>
  answer(async () => {
    const [running, caller, from] = [await getRunning(), await requireCaller(), await sentFrom()];
    return work(await openRunCaller(running, caller, payer, from));
  });

export async function readRunBalance(payer: RunPayer, planId: string) {
  return as(payer, (caller) => caller.readBalance(planId));
}

/** Mints a token for a single call. Only this response contains it. */
export async function mintForRun(payer: RunPayer, input: InputOf<"getX402AccessToken">) {
  return as(payer, (caller) => caller.mint(input));
}

/** Signs one payment by `exact`. Only this response contains it. */
export async function authorizeForRun(payer: RunPayer, input: InputOf<"createAuthorization">) {
  return as(payer, (caller) => caller.authorize(input));
}

/** Revokes what `mintForRun` opened. */
export async function endRun(payer: RunPayer, permission: RunPermission) {
  return as(payer, async (caller) => {
    await caller.end(permission);
    return {};
  });
}

/** Verifies a token (dry run): uses and reserves no credits. */
export async function dryVerify(payer: RunPayer, input: Parameters<RunActions["dryVerify"]>[1]) {
  const { paymentRequired, x402AccessToken, maxAmount } = input;
  return as(payer, ({ call }) =>
    call("verifyPermissions", {
      paymentRequired,
      x402AccessToken,
      ...(maxAmount && { maxAmount }),
    }),
  );
}

export async function findRunRequest(payer: RunPayer, agentRequestId: string) {
  return as(payer, ({ call }) => call("getRequest", { agentRequestId }));
}

export async function orderForLab(input: InputOf<"orderPlan">) {
  return as("test", (caller) => caller.order(input));
}

/** Saves a test card of the test customer, and confirms it as its holder where the bank requires that. */
export async function saveTestCard(testCard: string) {
  return as("test", async ({ call }) => {
    const added = await call("addPaymentMethod", { testCard });
    if (added.status !== "requires_action") return added;
    const { setupIntentId } = added;
    const { cards } = await getRunning();
    cards?.confirmAsHolder?.(setupIntentId);
    return call("finishPaymentMethod", { setupIntentId });
  });
}

export async function removeTestCard(paymentMethodId: string) {
  return as("test", ({ call }) => call("removePaymentMethod", { paymentMethodId }));
}

/** What the test customer has on chain, in millionths of a dollar. */
export async function readTestMoney(wanted: { isToppedUp: boolean }) {
  return as("test", async (caller) => String(await caller.money(wanted)));
}

export const armFault = actionOf("injectFault");
export const clearFault = actionOf("clearFaults");
