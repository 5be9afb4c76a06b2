import { setTimeout } from "node:timers/promises";
import { encodeAccessToken } from "../protocol/access-token.ts";
import {
  balanceOf,
  createFakeService,
  type FakeCall,
  planOf,
  refusal,
  settlementOf,
  tokenOf,
} from "./fake-service.ts";

const PRICE_CENTS = 100n;
const LATER = "2099-01-01T00:00:00Z";

type Delegation = { delegationId: string; limit: bigint; spent: bigint; createdAt: string };
type Token = { tokenId: string; delegation: Delegation; orderLimit: bigint; spent: bigint };

/** A fake service that sells plan 42 to one buyer, for a dollar an order, and takes its time like a busy one. */
export function createSellingService(granted: bigint, pauseMs: () => number) {
  const service = createFakeService([planOf("42")]);
  const tokens = new Map<string, Token & { isRevoked: boolean }>();
  const delegations: Delegation[] = [];
  /** What each request ordered, while its credit is on hold. */
  const holds = new Map<string, boolean>();
  let credits = 0n;
  let orders = 0;

  /** Makes the order of a token, where it and its delegation have enough left. */
  async function order(token: Token): Promise<boolean> {
    const { delegation } = token;
    const isLeft = token.spent < token.orderLimit;
    if (!isLeft || delegation.limit - delegation.spent < PRICE_CENTS) return false;
    token.spent = token.orderLimit;
    delegation.spent += PRICE_CENTS;
    orders += 1;
    await setTimeout(pauseMs());
    credits += granted;
    // Others may take what it bought first.
    await setTimeout(pauseMs());
    return true;
  }

  const refuse = (invalidReason: string) => ({
    isValid: false,
    invalidReason,
    error: invalidReason,
  });
  const { verify } = service.handlers;

  Object.assign(service.handlers, {
    async getPlanBalance() {
      await setTimeout(pauseMs());
      return balanceOf("42", credits);
    },
    listDelegations: () => {
      // Of live ones only.
      const live = delegations.filter(({ limit, spent }) => limit === 0n || spent < limit);
      const items = live.map(summaryOf);
      const total = items.length;
      return { items, delegations: items, total, totalResults: total, page: 1, offset: 100 };
    },
    mint({ body }: FakeCall) {
      const { delegationConfig, orderLimit } = body as {
        delegationConfig: { delegationId?: string; spendingLimitCents?: string };
        orderLimit: string;
      };
      const known = delegations.find((each) => each.delegationId === delegationConfig.delegationId);
      const delegation = known ?? {
        delegationId: `d${delegations.length}`,
        limit: BigInt(delegationConfig.spendingLimitCents ?? 0),
        spent: 0n,
        createdAt: new Date(delegations.length).toISOString(),
      };
      if (!known) delegations.push(delegation);
      const tokenId = `t${tokens.size}`;
      const limit = BigInt(orderLimit);
      tokens.set(tokenId, { tokenId, delegation, orderLimit: limit, spent: 0n, isRevoked: false });
      const token = tokenOf("42");
      token.payload.authorization.jti = tokenId;
      token.payload.sessionKey.limits.orderLimit = orderLimit;
      return {
        accessToken: encodeAccessToken(token),
        tokenId,
        delegationId: delegation.delegationId,
        expiresAt: LATER,
      };
    },
    async verify(call: FakeCall) {
      await setTimeout(pauseMs());
      const text = Buffer.from(String(call.body.x402AccessToken), "base64").toString();
      const token = tokens.get(JSON.parse(text).payload.authorization.jti);
      if (!token || token.isRevoked) return refuse("invalid_token");
      let hasOrdered = false;
      while (credits === 0n) {
        if (!(await order(token))) return refuse("insufficient_balance");
        hasOrdered = true;
      }
      credits -= 1n;
      holds.set(String(call.body.agentRequestId), hasOrdered);
      return verify?.(call);
    },
    async settle({ body }: FakeCall) {
      await setTimeout(pauseMs());
      const isNamed = holds.get(String(body.agentRequestId));
      return { ...settlementOf(body), ...(isNamed && { orderTx: "0x1" }) };
    },
    release: () => {
      credits += 1n;
      return { success: true, released: "1" };
    },
    revokeToken({ path }: FakeCall) {
      const token = tokens.get(idIn(path));
      if (token) token.isRevoked = true;
      return { success: true };
    },
    getToken: ({ path }: FakeCall) => {
      const token = tokens.get(idIn(path));
      return token ? detailsOf(token) : refusal(404, "not_found");
    },
  });
  return { ...service, orders: () => orders, minted: () => tokens.size };
}

const idIn = (path: string) => path.split("/").at(-1) as string;

const summaryOf = ({ delegationId, limit, spent, createdAt }: Delegation) => ({
  delegationId,
  name: limit > 0n ? "payments.fetch: orders" : "payments.fetch: no orders",
  provider: "erc4337",
  status: "Active",
  sessionKeyAddress: "0x",
  planIds: [],
  spendingLimitCents: limit,
  amountSpentCents: spent,
  amountReservedCents: 0n,
  remainingBudgetCents: limit - spent,
  currency: "usd",
  transactionCount: 0,
  activeTokens: 1,
  rootOf: [],
  expiresAt: LATER,
  createdAt,
});

const detailsOf = ({ tokenId, delegation, orderLimit, spent }: Token) => ({
  tokenId,
  planId: "42",
  planName: "Plan 42",
  delegationId: delegation.delegationId,
  status: "Active",
  redemptionLimit: 1000,
  redemptionsUsed: 0,
  redemptionsReserved: 0,
  redemptionsLeft: 1000,
  orderLimit,
  orderSpent: spent,
  orderReserved: 0n,
  orderLeft: orderLimit - spent,
  issuedAt: LATER,
  expiresAt: LATER,
  delegation: summaryOf(delegation),
});
