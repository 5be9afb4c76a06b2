"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { change } from "@/app/_session/operations.ts";
import type { ConsoleOperations } from "@/lib/console/operations.ts";

/** Mints a token for the person signed in; it is in this answer and nowhere else. */
export async function mintAccessToken(input: InputOf<"getX402AccessToken">) {
  return change("getX402AccessToken", input);
}

/** Would the token be accepted? Takes nothing, and reserves nothing. */
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

/** Shares a run; the service cleans it once more before it keeps it. */
export async function shareRun(input: InputOf<"shareRun", ConsoleOperations>) {
  return change("shareRun", input);
}

export async function endSharedRun(input: InputOf<"endSharedRun", ConsoleOperations>) {
  return change("endSharedRun", input);
}
