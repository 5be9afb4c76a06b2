"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { changeOf } from "@/app/_session/operations.ts";
import type { DashboardOperations } from "@/lib/console/operations.ts";

const changeHere = changeOf("/balance", "layout");

export async function addTestFunds() {
  return changeHere("fund", { usdc: true, native: false });
}

export async function createWithdrawal(input: InputOf<"createWithdrawal">) {
  return changeHere("createWithdrawal", input);
}

export async function addWithdrawalAddress(
  input: InputOf<"addWithdrawalAddress", DashboardOperations>,
) {
  return changeHere("addWithdrawalAddress", input);
}

export async function removeWithdrawalAddress(address: string) {
  return changeHere("removeWithdrawalAddress", { address });
}

export async function createPayoutAccount() {
  return changeHere("createPayoutAccount", { idempotencyKey: crypto.randomUUID() });
}

export async function createPayout(input: InputOf<"createPayout">) {
  return changeHere("createPayout", input);
}

export async function setPayoutSchedule(input: InputOf<"setPayoutSchedule", DashboardOperations>) {
  return changeHere("setPayoutSchedule", input);
}
