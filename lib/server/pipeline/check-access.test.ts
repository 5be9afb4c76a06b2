import {
  EXAMPLES,
  KEY_PRESETS,
  type KeyPreset,
  rightOf,
  toJson,
} from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import type { Ports } from "@/lib/domain/ports.ts";
import { createApi } from "../http/api.ts";
import { allRows, type OperationName, samples } from "../testing/operation-samples.ts";
import { createPipeline } from "./perform.ts";
import type { ServedOperation } from "./served-operations.ts";

/**
 * Who may call what, written from what each key is for and not from the rows: `g` a gate, `b` a buyer, `r` read-only,
 * `-` none of them. Full keys may call everything; public operations need no key.
 */
const TABLE: Record<OperationName, string> = {
  // Sells.
  registerCreditsPlan: "-",
  registerTimePlan: "-",
  updatePlan: "-",
  archivePlan: "-",
  restorePlan: "-",
  deletePlan: "-",
  listAudit: "r",
  listPlans: "g r",
  listSubscribers: "b r",
  registerAgent: "-",
  registerAgentAndPlan: "-",
  updateAgent: "-",
  archiveAgent: "-",
  restoreAgent: "-",
  deleteAgent: "-",
  listAgents: "g r",
  addPlanToAgent: "-",
  removePlanFromAgent: "-",
  // Says who is told of what, and where.
  createAlertRule: "-",
  updateAlertRule: "-",
  deleteAlertRule: "-",
  listAlertRules: "b r",
  listAlerts: "b r",
  getEmailAddress: "b r",
  setEmailAddress: "-",
  confirmEmailAddress: "-",
  removeEmailAddress: "-",
  // Sends events elsewhere.
  createWebhookEndpoint: "-",
  updateWebhookEndpoint: "-",
  deleteWebhookEndpoint: "-",
  testWebhookEndpoint: "-",
  rotateWebhookSecret: "-",
  replayWebhookDelivery: "-",
  replayWebhookEvents: "-",
  listWebhookEndpoints: "b r",
  getWebhookEndpoint: "b r",
  listWebhookDeliveries: "b r",
  listEvents: "b r",
  // Charges calls.
  verifyPermissions: "g",
  settlePermissions: "g",
  leasePermissions: "g",
  settleBatch: "g",
  releasePermissions: "g",
  renewPermissions: "g",
  getPricedPlan: "g",
  signOffers: "g",
  getSettlement: "g b r",
  reportRequests: "g",
  // Buys.
  orderPlan: "b",
  orderFiatPlan: "b",
  getOrder: "b r",
  listOrders: "b r",
  listSubscriptions: "b r",
  setRenewal: "b",
  listRenewals: "b r",
  createAuthorization: "b",
  getX402AccessToken: "b",
  listTokens: "b r",
  getToken: "b r",
  revokeToken: "b",
  createDelegation: "b",
  listDelegations: "b r",
  getDelegation: "b r",
  getDelegationTotals: "b r",
  getDelegationEffects: "b r",
  revokeDelegation: "b",
  revokeAllDelegations: "b",
  getBudgets: "b r",
  getDelegationBudgets: "b r",
  // A key that buys neither raises its budgets nor approves its own requests.
  setBudgets: "-",
  setDelegationBudgets: "-",
  listApprovals: "b r",
  getApproval: "b r",
  approveRequest: "-",
  declineRequest: "-",
  getGrant: "b r",
  submitGrantSignature: "b",
  // Cards are saved by their owner.
  listPaymentMethods: "b r",
  addPaymentMethod: "-",
  finishPaymentMethod: "-",
  setDefaultPaymentMethod: "-",
  removePaymentMethod: "-",
  // Looks back, and gives up revenue.
  listRequests: "b r",
  getRequest: "b r",
  listUnsettledRequests: "b r",
  settleRequest: "-",
  writeOffRequest: "-",
  getActivitySeries: "b r",
  getFunnel: "b r",
  getCauses: "b r",
  getEarnings: "b r",
  search: "b r",
  getPlanFigures: "b r",
  listMarketFacts: "g b r",
  getAgentDomain: "g r",
  checkAgentDomain: "-",
  getCheckSchedule: "g r",
  setCheckSchedule: "-",
  getAgentFigures: "b r",
  listPlanVersions: "g r",
  listCustomers: "b r",
  getCustomer: "b r",
  getHome: "b r",
  // Money out.
  getBalance: "b r",
  listMovements: "b r",
  listStatements: "b r",
  getStatement: "b r",
  getInvoice: "b r",
  checkMoney: "b r",
  createWithdrawal: "-",
  listWithdrawalAddresses: "b r",
  addWithdrawalAddress: "-",
  removeWithdrawalAddress: "-",
  createPayoutAccount: "-",
  getPayoutSetup: "b r",
  setPayoutSchedule: "-",
  createPayout: "-",
  listPayouts: "b r",
  shareRun: "-",
  listSharedRuns: "b r",
  endSharedRun: "-",
  // Moves money back.
  createRefund: "-",
  listRefunds: "b r",
  getRefund: "b r",
  getRefundable: "b r",
  requestRefund: "-",
  getRefundPayment: "b r",
  acceptRefundRequest: "-",
  declineRefundRequest: "-",
  listDisputes: "b r",
  getDispute: "b r",
  submitEvidence: "-",
  // Hands out access.
  createApiKey: "-",
  listApiKeys: "r",
  revokeApiKey: "-",
  // Test money is a buyer's; faults and the clock concern everyone in the sandbox.
  fund: "b",
  injectFault: "-",
  listFaults: "r",
  clearFaults: "-",
  advanceClock: "-",
  // Public.
  listMails: "g b r",
  listPublicPlans: "g b r",
  getPlan: "g b r",
  getPlanAgents: "g b r",
  getPlanBalance: "g b r",
  getAgent: "g b r",
  getAgentPlans: "g b r",
  supported: "g b r",
  listResources: "g b r",
  searchResources: "g b r",
  getSigningKeys: "g b r",
  getReceipt: "g b r",
  getSharedRun: "g b r",
};

const LETTER: Record<KeyPreset, string> = { gate: "g", buyer: "b", read: "r", full: "" };
const ORIGIN = "http://localhost:3000";

/** The API over every operation, whose key is its own preset, and whose verbs only say that they ran. */
function createWorld() {
  const now = new Date();
  const ports = {
    environment: "sandbox",
    crypto: { digest: (text: string) => text.replace("svc-sandbox:", "") },
    clock: { now: async () => now },
    apiKeys: {
      find: async (preset: string) => ({
        account: "0xabc",
        keyId: "k",
        preset,
        expiresAt: new Date(8e15),
        isActive: true,
      }),
      markUsed: async () => {},
    },
    log: { info: () => {}, warn: () => {}, error: () => {} },
  } as unknown as Ports;
  const operations = allRows.map(
    ([name, row]): ServedOperation => ({ name, row, verb: async () => ({ ran: name }) }),
  );
  const pipeline = createPipeline({ ports, operations });
  const health = async () => ({ ok: true }) as never;
  return createApi({ ports, pipeline, origin: ORIGIN, health });
}

const api = createWorld();

async function call(preset: KeyPreset, [name, row]: (typeof allRows)[number]): Promise<Response> {
  const input: Record<string, unknown> = JSON.parse(toJson(samples[name](EXAMPLES)));
  const path = row.path.replace(/:(\w+)/g, (_, member) =>
    encodeURIComponent(String(input[member])),
  );
  const hasBody = row.method === "POST" || row.method === "PUT";
  const query = hasBody ? "" : `?${new URLSearchParams(input as Record<string, string>)}`;
  return api.request(`/api/v1${path}${query}`, {
    method: row.method,
    headers: { authorization: `Bearer svc-sandbox:${preset}`, "content-type": "application/json" },
    ...(hasBody && { body: JSON.stringify({ ...input, ...row.when }) }),
  });
}

test("where mail goes is read with the right for money, as it is set", () => {
  const rights = allRows.flatMap(([name, row]) =>
    /EmailAddress$/.test(name) ? [rightOf(row)?.scope] : [],
  );
  expect(rights).toEqual(["money", "money", "money", "money"]);
});

test("a key that looks back sends no events elsewhere: that takes the right to create keys", () => {
  const changes = allRows.filter(([name]) =>
    /^(create|update|delete)WebhookEndpoint$|^rotateWebhookSecret$/.test(name),
  );
  expect(changes).toHaveLength(4);
  for (const [name, row] of changes) {
    expect(rightOf(row)).toEqual({ scope: "keys", level: "write" });
    // As for keys, a browser that was left open is not enough. What only ends deliveries waits for nothing.
    expect([name, row.stepUp]).toEqual([name, name !== "deleteWebhookEndpoint"]);
  }
});

describe.each(Object.keys(KEY_PRESETS) as KeyPreset[])("a %s key", (preset) => {
  test.each(allRows)("calls %s if it is for that, and is refused otherwise", async (name, row) => {
    const answer = await call(preset, [name, row]);
    const body = await answer.json();
    if (preset === "full" || TABLE[name].includes(LETTER[preset])) {
      expect(body).toEqual({ ran: name });
      return;
    }
    expect([answer.status, body.code]).toEqual([403, "forbidden"]);
    expect(body.message).toMatch(new RegExp(`^${name} needs the scope [a-z]+:(read|write), which`));
    expect(body.hint).toContain("Use a key with");
  });
});

test("an operation whose row has no class cannot be registered", () => {
  const [first] = allRows;
  if (!first) throw new Error("There are no operations.");
  const [name, row] = first;
  const register = (change: object) => () =>
    createPipeline({
      ports: {} as Ports,
      operations: [{ name, row: { ...row, ...change }, verb: async () => ({}) }],
    });
  expect(register({ scope: undefined })).toThrow(`The row of ${name} needs an access and a scope`);
  expect(register({ scope: "elsewhere" })).toThrow("needs an access and a scope");
  expect(register({ access: undefined })).toThrow("needs an access and a scope");
  expect(register({ access: "key" })).toThrow("needs an access and a scope");
  expect(register({})).not.toThrow();
});
