"use server";

import { actionsOf } from "@/app/_session/operations.ts";

const action = actionsOf("/balance", "layout");

export async function addTestFunds() {
  return action("fund")({ usdc: true, native: false });
}

export const createWithdrawal = action("createWithdrawal");
export const addWithdrawalAddress = action("addWithdrawalAddress");
export const removeWithdrawalAddress = action("removeWithdrawalAddress");

export async function createPayoutAccount() {
  return action("createPayoutAccount")({ idempotencyKey: crypto.randomUUID() });
}

export const createPayout = action("createPayout");
export const setPayoutSchedule = action("setPayoutSchedule");
