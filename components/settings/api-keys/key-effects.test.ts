import {
  hasRight,
  KEY_LEVELS,
  KEY_PRESETS,
  KEY_SCOPES,
  type KeyRights,
  operations,
  rightOf,
} from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { consoleOperations } from "@/lib/console/operations.ts";
import { sandbox } from "@/lib/sandbox/operations.ts";
import { EFFECTS, effectsOf } from "./key-text.ts";

/** A plan's sales can go to anyone. */
const SELLS = ["change plans and agents", "set where sales are paid", "withdraw"];

/** What each operation that changes something does, in the words of the key form. */
const DOES: Record<string, string[]> = {
  verifyPermissions: ["charge calls"],
  settlePermissions: ["charge calls"],
  releasePermissions: ["charge calls"],
  renewPermissions: ["charge calls"],
  getPricedPlan: ["charge calls"],
  leasePermissions: ["charge calls"],
  settleBatch: ["charge calls"],
  signOffers: ["charge calls"],
  reportRequests: ["charge calls"],
  registerCreditsPlan: SELLS,
  registerTimePlan: SELLS,
  updatePlan: SELLS,
  archivePlan: ["change plans and agents"],
  restorePlan: ["change plans and agents"],
  deletePlan: ["change plans and agents"],
  registerAgent: ["change plans and agents"],
  registerAgentAndPlan: SELLS,
  updateAgent: ["change plans and agents"],
  archiveAgent: ["change plans and agents"],
  restoreAgent: ["change plans and agents"],
  deleteAgent: ["change plans and agents"],
  addPlanToAgent: ["change plans and agents"],
  removePlanFromAgent: ["change plans and agents"],
  checkAgentDomain: ["change plans and agents"],
  setCheckSchedule: ["change plans and agents"],
  // The seller can be anyone, also the holder of the key.
  orderPlan: ["order plans", "withdraw"],
  orderFiatPlan: ["order plans"],
  setRenewal: ["order plans", "withdraw"],
  fund: ["order plans"],
  // Makes a delegation with the limits that the caller gives, and the token orders within it.
  getX402AccessToken: ["mint tokens", "order plans", "set spending limits", "withdraw"],
  createAuthorization: ["pay any x402 seller from the balance", "set spending limits", "withdraw"],
  revokeToken: ["mint tokens"],
  createDelegation: ["set spending limits"],
  submitGrantSignature: ["set spending limits"],
  revokeDelegation: ["set spending limits"],
  revokeAllDelegations: ["set spending limits"],
  addPaymentMethod: ["save and remove cards"],
  finishPaymentMethod: ["save and remove cards"],
  setDefaultPaymentMethod: ["save and remove cards"],
  removePaymentMethod: ["save and remove cards"],
  settleRequest: ["charge calls"],
  writeOffRequest: ["write off requests"],
  testWebhookEndpoint: ["resend events"],
  replayWebhookDelivery: ["resend events"],
  replayWebhookEvents: ["resend events"],
  createAlertRule: ["change alert rules"],
  updateAlertRule: ["change alert rules"],
  deleteAlertRule: ["change alert rules"],
  shareRun: ["share runs"],
  endSharedRun: ["share runs"],
  createApiKey: ["create and revoke keys"],
  revokeApiKey: ["create and revoke keys"],
  createWebhookEndpoint: ["change webhook endpoints"],
  updateWebhookEndpoint: ["change webhook endpoints"],
  deleteWebhookEndpoint: ["change webhook endpoints"],
  rotateWebhookSecret: ["change webhook endpoints"],
  createRefund: ["refund"],
  acceptRefundRequest: ["refund"],
  declineRefundRequest: ["refund"],
  requestRefund: ["request refunds"],
  submitEvidence: ["answer disputes"],
  createWithdrawal: ["withdraw"],
  addWithdrawalAddress: ["withdraw"],
  removeWithdrawalAddress: ["withdraw"],
  createPayout: ["pay out"],
  createPayoutAccount: ["pay out"],
  setPayoutSchedule: ["pay out"],
  setBudgets: ["set budgets"],
  setDelegationBudgets: ["set budgets"],
  approveRequest: ["approve waiting requests"],
  declineRequest: ["approve waiting requests"],
  setEmailAddress: ["change the account’s email address"],
  confirmEmailAddress: ["change the account’s email address"],
  removeEmailAddress: ["change the account’s email address"],
  injectFault: ["change the sandbox"],
  clearFaults: ["change the sandbox"],
  advanceClock: ["change the sandbox"],
};

const written = Object.entries({ ...operations, ...consoleOperations, ...sandbox }).flatMap(
  ([name, row]) => {
    const right = rightOf(row);
    return right?.level === "write" ? [{ name, right }] : [];
  },
);

const everyRight: KeyRights[] = [
  ...Object.values(KEY_PRESETS),
  ...KEY_SCOPES.flatMap((scope) => KEY_LEVELS.map((level): KeyRights => ({ [scope]: level }))),
];

test("every operation that changes something does what the key form names", () => {
  expect(Object.keys(DOES).sort()).toEqual(written.map(({ name }) => name).sort());
  const named = new Set(EFFECTS.map(({ text }) => text));
  expect(new Set(Object.values(DOES).flat())).toEqual(named);
});

test.each(everyRight)("what a key with %j can and can't do is what its operations do", (rights) => {
  const { can, cannot } = effectsOf(rights);
  const allowed = written.filter(({ right }) => hasRight(rights, right));
  const does = new Set(allowed.flatMap(({ name }) => DOES[name] ?? []));
  expect(cannot.filter((text) => does.has(text))).toEqual([]);
  expect(can.filter((text) => !does.has(text))).toEqual([]);
  // Each effect is on one side, unless it is only reached in another way.
  const neither = EFFECTS.map(({ text }) => text).filter(
    (text) => !can.includes(text) && !cannot.includes(text),
  );
  expect(neither.filter((text) => !does.has(text) && text !== "change the sandbox")).toEqual([]);
  for (const { name } of allowed) expect(can).toEqual(expect.arrayContaining([named(name)]));
});

/** Any of what an operation does that the key can be said to do. */
function named(name: string): string {
  return DOES[name]?.[0] ?? name;
}
