"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { changeOf } from "@/app/_session/operations.ts";

const changeAlerts = changeOf("/alerts", "layout");

export async function createAlertRule(input: InputOf<"createAlertRule">) {
  return changeAlerts("createAlertRule", input);
}

export async function updateAlertRule(input: InputOf<"updateAlertRule">) {
  return changeAlerts("updateAlertRule", input);
}

export async function deleteAlertRule(ruleId: string) {
  return changeAlerts("deleteAlertRule", { ruleId });
}

/** Sends a link to the address, which confirms it. */
export async function setEmailAddress(address: string) {
  return changeAlerts("setEmailAddress", { address });
}

export async function confirmEmailAddress(secret: string) {
  return changeAlerts("confirmEmailAddress", { secret });
}

export async function removeEmailAddress() {
  return changeAlerts("removeEmailAddress", {});
}
