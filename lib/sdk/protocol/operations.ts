import { z } from "zod";
import {
  ActivitySeries,
  Funnel,
  FunnelQuery,
  RequestQuery,
  RequestRecord,
  RequestReport,
  SeriesQuery,
} from "./activity.ts";
import { Agent, AgentApiAttributes, AgentMetadata } from "./agent.ts";
import {
  AddPaymentMethod,
  CardRef,
  CardRemoval,
  CardSetup,
  CardSetupRef,
  FiatOrder,
  FiatOrderAnswer,
  RemovePaymentMethod,
} from "./card.ts";
import {
  CreateDelegationPayload,
  DelegationConfig,
  DelegationStatus,
  DelegationSummary,
  PaymentMethodSummary,
} from "./delegation.ts";
import { Earnings, EarningsQuery, Home } from "./earnings.ts";
import { GrantSignature, GrantToSign } from "./grants.ts";
import {
  DelegationEffects,
  OrderQuery,
  OrderSummary,
  Subscription,
  TokenDetails,
  TokenQuery,
  TokenSummary,
} from "./holdings.ts";
import { PageQuery, pageOf } from "./listing.ts";
import {
  FacilitatorInput,
  SettleInput,
  Settlement,
  Verification,
  VerifyInput,
} from "./permission.ts";
import { PlanCreditsConfig } from "./plans/credits.ts";
import {
  AccessLimit,
  OrderReceipt,
  Plan,
  PlanBalance,
  PlanMetadata,
  PlanState,
  Subscriber,
} from "./plans/plan.ts";
import { PlanPriceConfig } from "./plans/price.ts";
import {
  Address,
  AgentId,
  AgentRequestId,
  Count,
  Decimal,
  Instant,
  PlanId,
  plainText,
  Uint256,
} from "./primitives.ts";
import { Receipt } from "./receipt.ts";
import { ArmedFault, FaultRequest, FundRequest, Funds } from "./sandbox.ts";
import { RemovedPart, SharedRun, SharedRunSummary } from "./shared-run.ts";
import { UnsettledRequest } from "./unsettled.ts";

/** One operation: the API serves it, the client calls it, OpenAPI prints it, the domain has its verb. */
export type Operation = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/api/v1`; `:name` members come from the input. */
  path: string;
  summary: string;
  /** Who may call: anyone, or the holder of an API key. */
  access: "public" | "key";
  /** Whether a repeat has the effect of one call, so that a client may retry by itself. */
  repeatable: boolean;
  /** For operations that share a path: whether this body is meant for this one. */
  meant?: (body: Record<string, unknown>) => boolean;
  /** Exists only in the sandbox. */
  sandboxOnly?: boolean;
  input: z.ZodType;
  output: z.ZodType;
};

const operation = <const O extends Operation>(row: O): O => row;

const Nothing = z.object({});
const ShareRef = z.object({ shareId: z.string().max(64) });
const Done = z.object({ success: z.literal(true) });
const IdempotencyKey = z.string().min(1).max(255).optional();

const PlanTerms = z.object({
  metadataAttributes: PlanMetadata,
  priceConfig: PlanPriceConfig,
  creditsConfig: PlanCreditsConfig,
  isTrialPlan: z.boolean().optional(),
  state: PlanState.optional(),
  /** Accounts that may redeem, for `ONLY_PLAN_ROLE`. */
  redeemers: z.array(Address).max(50).optional(),
});

const RegisterPlan = PlanTerms.extend({
  accessLimit: AccessLimit.default("credits"),
  /** Makes registration repeatable: one account and nonce is one plan. */
  nonce: Uint256.optional(),
});

const AgentTerms = z.object({
  metadataAttributes: AgentMetadata,
  agentApiAttributes: AgentApiAttributes,
});

const AgentRef = z.object({ agentId: AgentId });
const PlanRef = z.object({ planId: PlanId });
const DelegationRef = z.object({ delegationId: z.string().max(64) });
const AgentAndPlan = z.object({ agentId: AgentId, planId: PlanId });

const ApiKeySummary = z.object({
  keyId: z.string(),
  name: z.string(),
  last4: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  lastUsedAt: z.string().optional(),
  status: z.enum(["Active", "Revoked", "Expired"]),
  /** The delegation under which its tokens and orders are made by themselves. */
  rootDelegationId: z.string().optional(),
});

/** What a key may spend by itself: one grant, under which its tokens and orders are made. */
const RootLimit = CreateDelegationPayload.pick({
  spendingLimitCents: true,
  durationSecs: true,
  currency: true,
  maxTransactions: true,
});

const NewDelegation = z.object({
  delegationId: z.string(),
  expiresAt: z.string(),
  status: DelegationStatus,
  /** What the owner's wallet has to sign first; with status `AwaitingSignature`. */
  grant: GrantToSign.optional(),
});

const PlanPage = pageOf(Plan).extend({ plans: z.array(Plan) });
const AgentPage = pageOf(Agent).extend({ agents: z.array(Agent) });

/** Every operation of the service, by the specification's name for it (§4.1) in camelCase. */
export const operations = {
  registerCreditsPlan: operation({
    method: "POST",
    path: "/protocol/plans",
    summary: "Register a plan whose credits are counted down",
    access: "key",
    repeatable: false,
    meant: (body) => body.accessLimit !== "time",
    input: RegisterPlan.extend({ accessLimit: z.literal("credits").default("credits") }),
    output: PlanRef,
  }),
  registerTimePlan: operation({
    method: "POST",
    path: "/protocol/plans",
    summary: "Register a plan that gives access for a time",
    access: "key",
    repeatable: false,
    meant: (body) => body.accessLimit === "time",
    input: RegisterPlan.extend({ accessLimit: z.literal("time").default("time") }),
    output: PlanRef,
  }),
  listPlans: operation({
    method: "GET",
    path: "/protocol/plans",
    summary: "List your own plans, newest first",
    access: "key",
    repeatable: true,
    input: PageQuery,
    output: PlanPage,
  }),
  listPublicPlans: operation({
    method: "GET",
    path: "/protocol/plans/public",
    summary: "List the plans everyone can find",
    access: "public",
    repeatable: true,
    input: PageQuery.extend({ search: plainText(100).optional() }),
    output: PlanPage,
  }),
  getPlan: operation({
    method: "GET",
    path: "/protocol/plans/:planId",
    summary: "Read a plan: its price decides the payment scheme",
    access: "public",
    repeatable: true,
    input: PlanRef,
    output: Plan,
  }),
  updatePlan: operation({
    method: "PUT",
    path: "/protocol/plans/:planId",
    summary: "Change a plan; new price or credits make a new version for later orders",
    access: "key",
    repeatable: true,
    input: PlanRef.extend(PlanTerms.partial().shape),
    output: Plan,
  }),
  getPlanAgents: operation({
    method: "GET",
    path: "/protocol/plans/:planId/agents",
    summary: "List the agents a plan pays for",
    access: "public",
    repeatable: true,
    input: PlanRef.extend(PageQuery.shape),
    output: AgentPage,
  }),
  getPlanBalance: operation({
    method: "GET",
    path: "/protocol/plans/:planId/balance/:holderAddress",
    summary: "Read what an account has left on a plan",
    access: "public",
    repeatable: true,
    input: PlanRef.extend({ holderAddress: Address }),
    output: PlanBalance,
  }),
  listSubscribers: operation({
    method: "GET",
    path: "/protocol/plans/:planId/subscribers",
    summary: "List the accounts that ordered your plan",
    access: "key",
    repeatable: true,
    input: PlanRef.extend(PageQuery.shape),
    output: pageOf(Subscriber),
  }),
  orderPlan: operation({
    method: "POST",
    path: "/protocol/plans/:planId/order",
    summary: "Order a plan: pay its price and get its credits",
    access: "key",
    repeatable: false,
    input: PlanRef.extend({
      idempotencyKey: IdempotencyKey,
      providerPaymentMethodId: z.string().max(255).optional(),
      delegationId: z.string().max(64).optional(),
    }),
    output: OrderReceipt,
  }),
  orderFiatPlan: operation({
    method: "POST",
    path: "/fiat/stripe/payment",
    summary: "Buy a card plan: with a named card at once, else by a link to the checkout",
    access: "key",
    repeatable: false,
    input: FiatOrder,
    output: FiatOrderAnswer,
  }),
  getOrder: operation({
    method: "GET",
    path: "/orders/:orderId",
    summary: "Read how far an order of yours came",
    access: "key",
    repeatable: true,
    input: z.object({ orderId: z.string().max(64) }),
    output: OrderReceipt,
  }),
  listOrders: operation({
    method: "GET",
    path: "/orders",
    summary: "List what you ordered, newest first",
    access: "key",
    repeatable: true,
    input: OrderQuery,
    output: pageOf(OrderSummary),
  }),
  listSubscriptions: operation({
    method: "GET",
    path: "/subscriptions",
    summary: "List the plans you have and what is left of them",
    access: "key",
    repeatable: true,
    input: PageQuery.extend({ planId: PlanId.optional() }),
    output: pageOf(Subscription),
  }),
  registerAgent: operation({
    method: "POST",
    path: "/protocol/agents",
    summary: "Register an agent and the plans that pay for it",
    access: "key",
    repeatable: false,
    input: AgentTerms.extend({
      plans: z.array(PlanId).max(50).default([]),
      nonce: Uint256.optional(),
    }),
    output: AgentRef.extend({ data: AgentRef }),
  }),
  updateAgent: operation({
    method: "PUT",
    path: "/protocol/agents/:agentId",
    summary: "Change an agent's description or endpoints",
    access: "key",
    repeatable: true,
    input: AgentRef.extend(AgentTerms.partial().shape),
    output: Agent,
  }),
  getAgent: operation({
    method: "GET",
    path: "/protocol/agents/:agentId",
    summary: "Read an agent",
    access: "public",
    repeatable: true,
    input: AgentRef,
    output: Agent,
  }),
  listAgents: operation({
    method: "GET",
    path: "/protocol/agents",
    summary: "List your own agents, newest first",
    access: "key",
    repeatable: true,
    input: PageQuery,
    output: AgentPage,
  }),
  registerAgentAndPlan: operation({
    method: "POST",
    path: "/protocol/agents/plans",
    summary: "Register an agent and its plan together, or neither",
    access: "key",
    repeatable: false,
    input: z.object({ agent: AgentTerms, plan: RegisterPlan }),
    output: AgentAndPlan.extend({ data: AgentAndPlan, txHash: z.string() }),
  }),
  getAgentPlans: operation({
    method: "GET",
    path: "/protocol/agents/:agentId/plans",
    summary: "List the plans that pay for an agent",
    access: "public",
    repeatable: true,
    input: AgentRef.extend(PageQuery.shape),
    output: PlanPage,
  }),
  addPlanToAgent: operation({
    method: "POST",
    path: "/protocol/agents/:agentId/plan/:planId",
    summary: "Let a plan pay for an agent",
    access: "key",
    repeatable: true,
    input: AgentAndPlan,
    output: Done,
  }),
  removePlanFromAgent: operation({
    method: "DELETE",
    path: "/protocol/agents/:agentId/plan/:planId",
    summary: "Stop a plan from paying for an agent",
    access: "key",
    repeatable: true,
    input: AgentAndPlan,
    output: Done,
  }),
  getX402AccessToken: operation({
    method: "POST",
    path: "/x402/permissions",
    summary: "Mint an access token for a plan",
    access: "key",
    repeatable: false,
    input: z.object({
      accepted: z.looseObject({
        scheme: z.string().max(64).optional(),
        network: z.string().max(64).optional(),
        planId: PlanId.optional(),
        extra: z
          .looseObject({
            planId: PlanId.optional(),
            agentId: AgentId.optional(),
            httpVerb: z.string().max(16).optional(),
          })
          .optional(),
      }),
      delegationConfig: DelegationConfig.optional(),
      resource: z.union([z.string().max(2048), z.object({ url: z.string().max(2048) })]).optional(),
      httpVerb: z.string().max(16).optional(),
      /** Earlier form (§4.1 rule 4): the most requests, the most spent on orders, the end. */
      redemptionLimit: Count.pipe(z.number().min(1)).optional(),
      orderLimit: Uint256.optional(),
      expiration: Instant.optional(),
    }),
    output: z.object({
      accessToken: z.string(),
      tokenId: z.string(),
      delegationId: z.string(),
      expiresAt: z.string(),
    }),
  }),
  listTokens: operation({
    method: "GET",
    path: "/x402/permissions",
    summary: "List your access tokens; the tokens themselves are not shown again",
    access: "key",
    repeatable: true,
    input: TokenQuery,
    output: pageOf(TokenSummary),
  }),
  getToken: operation({
    method: "GET",
    path: "/x402/permissions/:tokenId",
    summary: "Read one of your access tokens with its limits and its delegation",
    access: "key",
    repeatable: true,
    input: z.object({ tokenId: z.string().max(64) }),
    output: TokenDetails,
  }),
  revokeToken: operation({
    method: "DELETE",
    path: "/x402/permissions/:tokenId",
    summary: "Revoke an access token at once",
    access: "key",
    repeatable: true,
    input: z.object({ tokenId: z.string().max(64) }),
    output: Done,
  }),
  verifyPermissions: operation({
    method: "POST",
    path: "/x402/verify",
    summary: "Check a token for a request; takes no credits",
    access: "key",
    repeatable: true,
    input: z.union([VerifyInput, FacilitatorInput]),
    output: Verification,
  }),
  settlePermissions: operation({
    method: "POST",
    path: "/x402/settle",
    summary: "Take the credits of a delivered request, once per request id",
    access: "key",
    repeatable: false,
    input: z.union([SettleInput, FacilitatorInput]),
    output: Settlement,
  }),
  releasePermissions: operation({
    method: "POST",
    path: "/x402/release",
    summary: "Give the credits on hold back: the request was not delivered",
    access: "key",
    repeatable: true,
    input: z.object({ agentRequestId: AgentRequestId }),
    output: z.object({ success: z.literal(true), released: Decimal }),
  }),
  getSettlement: operation({
    method: "GET",
    path: "/x402/settlements/:agentRequestId",
    summary: "Read what became of a request: money status, receipt, chain status",
    access: "key",
    repeatable: true,
    input: z.object({ agentRequestId: AgentRequestId }),
    output: RequestRecord,
  }),
  supported: operation({
    method: "GET",
    path: "/x402/supported",
    summary: "List the schemes and networks this facilitator settles",
    access: "public",
    repeatable: true,
    input: Nothing,
    output: z.object({
      kinds: z.array(
        z.object({ x402Version: z.literal(2), scheme: z.string(), network: z.string() }),
      ),
      extensions: z.array(z.string()),
      signers: z.record(z.string(), z.array(z.string())),
    }),
  }),
  createDelegation: operation({
    method: "POST",
    path: "/delegation/create",
    summary: "Allow spending up to a limit for a time",
    access: "key",
    repeatable: false,
    input: CreateDelegationPayload,
    output: NewDelegation,
  }),
  getGrant: operation({
    method: "GET",
    path: "/delegation/:delegationId/grant",
    summary: "Read what the owner's wallet has to sign before the delegation begins",
    access: "key",
    repeatable: true,
    input: DelegationRef,
    output: GrantToSign,
  }),
  submitGrantSignature: operation({
    method: "POST",
    path: "/delegation/:delegationId/signature",
    summary: "Hand in the wallet's signature; the delegation begins",
    access: "key",
    repeatable: true,
    input: DelegationRef.extend({ signature: GrantSignature }),
    output: DelegationSummary,
  }),
  getDelegationEffects: operation({
    method: "GET",
    path: "/delegation/:delegationId/effects",
    summary: "Read what would stop if the delegation were revoked",
    access: "key",
    repeatable: true,
    input: DelegationRef,
    output: DelegationEffects,
  }),
  revokeAllDelegations: operation({
    method: "POST",
    path: "/delegation/revoke-all",
    summary: "Revoke all your delegations and every token under them, at once",
    access: "key",
    repeatable: true,
    input: Nothing,
    output: z.object({
      success: z.literal(true),
      delegationsRevoked: z.number(),
      tokensRevoked: z.number(),
    }),
  }),
  listDelegations: operation({
    method: "GET",
    path: "/delegation",
    summary: "List your delegations and what is left of them",
    access: "key",
    repeatable: true,
    input: PageQuery,
    output: pageOf(DelegationSummary).extend({
      delegations: z.array(DelegationSummary),
      totalResults: z.number(),
    }),
  }),
  getDelegation: operation({
    method: "GET",
    path: "/delegation/:delegationId",
    summary: "Read one of your delegations",
    access: "key",
    repeatable: true,
    input: DelegationRef,
    output: DelegationSummary,
  }),
  revokeDelegation: operation({
    method: "DELETE",
    path: "/delegation/:delegationId",
    summary: "Revoke a delegation and every token under it, at once",
    access: "key",
    repeatable: true,
    input: DelegationRef,
    output: z.object({ success: z.literal(true), tokensRevoked: z.number() }),
  }),
  listPaymentMethods: operation({
    method: "GET",
    path: "/payment-methods",
    summary: "List your saved cards",
    access: "key",
    repeatable: true,
    input: Nothing,
    output: z.array(PaymentMethodSummary),
  }),
  addPaymentMethod: operation({
    method: "POST",
    path: "/payment-methods",
    summary: "Begin saving a card; a page finishes it with the client secret",
    access: "key",
    repeatable: false,
    input: AddPaymentMethod,
    output: CardSetup,
  }),
  finishPaymentMethod: operation({
    method: "POST",
    path: "/payment-methods/setups/:setupIntentId",
    summary: "Read how saving a card went; the first card becomes the default",
    access: "key",
    repeatable: true,
    input: CardSetupRef,
    output: CardSetup,
  }),
  setDefaultPaymentMethod: operation({
    method: "PUT",
    path: "/payment-methods/:paymentMethodId/default",
    summary: "Make a saved card the one that is charged when none is named",
    access: "key",
    repeatable: true,
    input: CardRef,
    output: Done,
  }),
  removePaymentMethod: operation({
    method: "DELETE",
    path: "/payment-methods/:paymentMethodId",
    summary: "Forget a card and end what charges it; a dry run only tells what that is",
    access: "key",
    repeatable: false,
    input: RemovePaymentMethod,
    output: CardRemoval,
  }),
  createApiKey: operation({
    method: "POST",
    path: "/api-keys",
    summary: "Make an API key; it is shown this once",
    access: "key",
    repeatable: false,
    input: z.object({
      name: plainText(80).pipe(z.string().min(1)),
      durationSecs: Count.pipe(
        z
          .number()
          .min(60)
          .max(100 * 31_557_600),
      ).optional(),
      /** Let the key make tokens and orders by itself, up to this. */
      rootLimit: RootLimit.optional(),
    }),
    output: z.object({
      apiKey: z.string(),
      keyId: z.string(),
      expiresAt: z.string(),
      rootDelegation: NewDelegation.optional(),
    }),
  }),
  listApiKeys: operation({
    method: "GET",
    path: "/api-keys",
    summary: "List your API keys, never the keys themselves",
    access: "key",
    repeatable: true,
    input: Nothing,
    output: z.object({ items: z.array(ApiKeySummary) }),
  }),
  revokeApiKey: operation({
    method: "DELETE",
    path: "/api-keys/:keyId",
    summary: "Revoke an API key; its next request is refused",
    access: "key",
    repeatable: true,
    input: z.object({ keyId: z.string().max(80) }),
    output: Done,
  }),
  listRequests: operation({
    method: "GET",
    path: "/requests",
    summary: "List paid requests you made or served, newest first",
    access: "key",
    repeatable: true,
    input: RequestQuery,
    output: pageOf(RequestRecord),
  }),
  getRequest: operation({
    method: "GET",
    path: "/requests/:agentRequestId",
    summary: "Read one paid request you made or served",
    access: "key",
    repeatable: true,
    input: z.object({ agentRequestId: AgentRequestId }),
    output: RequestRecord,
  }),
  reportRequests: operation({
    method: "POST",
    path: "/requests/report",
    summary: "Tell what your gate saw of requests, for the activity list; moves no credits",
    access: "key",
    repeatable: false,
    input: RequestReport,
    output: z.object({ accepted: z.number() }),
  }),
  listUnsettledRequests: operation({
    method: "GET",
    path: "/unsettled",
    summary: "List requests you delivered that are not settled, and what can be done",
    access: "key",
    repeatable: true,
    input: PageQuery.extend({ planId: PlanId.optional(), agentId: AgentId.optional() }),
    output: pageOf(UnsettledRequest),
  }),
  settleRequest: operation({
    method: "POST",
    path: "/requests/:agentRequestId/settle",
    summary: "Settle a delivered request by the permission that was checked when it came",
    access: "key",
    repeatable: true,
    input: z.object({ agentRequestId: AgentRequestId, maxAmount: Uint256.optional() }),
    output: Settlement,
  }),
  writeOffRequest: operation({
    method: "POST",
    path: "/requests/:agentRequestId/write-off",
    summary: "Give up the credits of a request that is not settled",
    access: "key",
    repeatable: true,
    input: z.object({ agentRequestId: AgentRequestId, note: plainText(200).optional() }),
    output: RequestRecord,
  }),
  getReceipt: operation({
    method: "GET",
    path: "/receipts/:settlementId",
    summary: "Read a settlement with the proof of its burn, to check it yourself",
    access: "public",
    repeatable: true,
    input: z.object({ settlementId: z.string().max(64) }),
    output: Receipt,
  }),
  getActivitySeries: operation({
    method: "GET",
    path: "/figures/activity",
    summary: "Count your requests by money status over time",
    access: "key",
    repeatable: true,
    input: SeriesQuery,
    output: ActivitySeries,
  }),
  getFunnel: operation({
    method: "GET",
    path: "/figures/funnel",
    summary: "Count how many requests came from the first 402 to the money",
    access: "key",
    repeatable: true,
    input: FunnelQuery,
    output: Funnel,
  }),
  getEarnings: operation({
    method: "GET",
    path: "/figures/earnings",
    summary: "Read what your plans sold and your agents served",
    access: "key",
    repeatable: true,
    input: EarningsQuery,
    output: Earnings,
  }),
  getHome: operation({
    method: "GET",
    path: "/figures/home",
    summary: "Read the figures of the first page",
    access: "key",
    repeatable: true,
    input: Nothing,
    output: Home,
  }),
  shareRun: operation({
    method: "POST",
    path: "/runs/shared",
    summary: "Share a run of the playground for seven days; secrets are taken out first",
    access: "key",
    repeatable: false,
    /** The run as JSON text, as the playground exports it. */
    input: z.object({ run: z.string().min(2).max(1_000_000) }),
    output: SharedRunSummary.extend({ removed: z.array(RemovedPart) }),
  }),
  listSharedRuns: operation({
    method: "GET",
    path: "/runs/shared",
    summary: "List the runs you share, newest first",
    access: "key",
    repeatable: true,
    input: Nothing,
    output: z.object({ items: z.array(SharedRunSummary) }),
  }),
  getSharedRun: operation({
    method: "GET",
    path: "/runs/shared/:shareId",
    summary: "Read a shared run by the id in its link",
    access: "public",
    repeatable: true,
    input: ShareRef,
    output: ShareRef.extend({
      run: SharedRun,
      createdAt: z.string(),
      expiresAt: z.string(),
      /** The caller shared it, and may end it. */
      isYours: z.boolean(),
    }),
  }),
  endSharedRun: operation({
    method: "DELETE",
    path: "/runs/shared/:shareId",
    summary: "End a link to a shared run at once",
    access: "key",
    repeatable: true,
    input: ShareRef,
    output: Done,
  }),
  fund: operation({
    method: "POST",
    path: "/sandbox/fund",
    summary: "Fill your account up with test money",
    access: "key",
    repeatable: true,
    sandboxOnly: true,
    input: FundRequest,
    output: Funds,
  }),
  injectFault: operation({
    method: "POST",
    path: "/sandbox/fault",
    summary: "Make a part of the sandbox fail, so many times or for so long",
    access: "key",
    repeatable: false,
    sandboxOnly: true,
    input: FaultRequest,
    output: ArmedFault,
  }),
  listFaults: operation({
    method: "GET",
    path: "/sandbox/fault",
    summary: "List the faults that are armed",
    access: "key",
    repeatable: true,
    sandboxOnly: true,
    input: Nothing,
    output: z.object({ items: z.array(ArmedFault) }),
  }),
  clearFaults: operation({
    method: "DELETE",
    path: "/sandbox/fault",
    summary: "End every fault, or the one that is named",
    access: "key",
    repeatable: true,
    sandboxOnly: true,
    input: z.object({ faultId: z.string().max(64).optional() }),
    output: Done.extend({ cleared: z.number() }),
  }),
  advanceClock: operation({
    method: "POST",
    path: "/sandbox/clock",
    summary: "Move the sandbox's clock forward",
    access: "key",
    repeatable: false,
    sandboxOnly: true,
    input: z.object({ seconds: Count.pipe(z.number().min(1).max(31_557_600)) }),
    output: z.object({ now: z.string() }),
  }),
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** What a caller gives: numbers, bigints or decimal strings for amounts. */
export type InputOf<K extends OperationName> = z.input<(typeof operations)[K]["input"]>;
/** What a verb receives: parsed, amounts as `bigint`. */
export type ParsedInputOf<K extends OperationName> = z.output<(typeof operations)[K]["input"]>;
/** What an operation answers, parsed. */
export type OutputOf<K extends OperationName> = z.output<(typeof operations)[K]["output"]>;
