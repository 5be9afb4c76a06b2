"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { change } from "@/app/_session/operations.ts";
import type { ConsoleOperations } from "@/lib/console/operations.ts";

/** Mints a token for the signed-in user. Only this response contains it. */
export async function mintAccessToken(input: InputOf<"getX402AccessToken">) {
  return change("getX402AccessToken", input);
}

/** Verifies a token (dry run): uses and reserves no credits. */
export async function dryVerify(input: {
  paymentRequired: Extract<
    InputOf<"verifyPermissions">,
    { paymentRequired: unknown }
  >["paymentRequired"];
  x402AccessToken: string;
  maxAmount?: string;
}) {
  const { paymentRequired, x402AccessToken, maxAmount } = input;
  return change("verifyPermissions", {
    paymentRequired,
    x402AccessToken,
    ...(maxAmount && { maxAmount }),
  });
}

/** Shares a run. The service redacts it again before storing it. */
export async function shareRun(input: InputOf<"shareRun", ConsoleOperations>) {
  return change("shareRun", input);
}

export async function endSharedRun(input: InputOf<"endSharedRun", ConsoleOperations>) {
  return change("endSharedRun", input);
}
