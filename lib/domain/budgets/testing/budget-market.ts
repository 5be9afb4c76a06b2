import {
  type BudgetsInput,
  getErc20PriceConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import { createPermissionCalls } from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  type TestMarket,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const RECEIVER = "0x000000000000000000000000000000000000dEaD";
export const CREDITS_PER_ORDER = 10n;

/** A plan at 1.00 for ten credits, on chain or by card, and a token of a subscriber that may order it. */
export async function createBudgetMarket(
  service: TestService,
  {
    rail = "chain",
    perCall = CREDITS_PER_ORDER,
  }: { rail?: "chain" | "card"; perCall?: bigint } = {},
) {
  const usdc = [...service.ports.stableTokens.keys()][0] ?? "";
  const price =
    rail === "card"
      ? getFiatPriceConfig(1_000_000n, RECEIVER)
      : getErc20PriceConfig(1_000_000n, usdc, RECEIVER);
  const market = await createMarket(service, {
    price,
    credits: getFixedCreditsConfig(CREDITS_PER_ORDER, perCall),
    order: false,
  });
  return { market, ...(await mintFor(service, market)) };
}

const DAY_SECS = 86_400;

/** Moves a service's clock to the next noon, so that no day, week or month ends while a test counts one. */
export async function moveToNoon({ ports: { clock } }: TestService): Promise<void> {
  const secs = Math.floor((await clock.now()).getTime() / 1000) % DAY_SECS;
  await clock.advance((1.5 * DAY_SECS - secs) % DAY_SECS);
}

/** Another token of the market's subscriber, under its own delegation or the one named. */
export async function mintFor(
  service: TestService,
  market: TestMarket,
  delegation: object = { spendingLimitCents: 10_000_000, durationSecs: 86_400 * 90 },
) {
  const { planId, agentId, subscriber } = market;
  const { accessToken, delegationId, tokenId } = await subscriber.payments.x402.getX402AccessToken(
    planId,
    agentId,
    {
      redemptionLimit: 100_000,
      delegationConfig: delegation,
    },
  );
  const calls = createPermissionCalls(service, { ...market, token: accessToken });
  return { calls, delegationId, tokenId, accessToken };
}

type Limits = NonNullable<BudgetsInput["limits"]>;

/** Limits as callers write them: `["day", "money", 500]`. */
export const limits = (
  ...rows: [Limits[number]["period"], Limits[number]["unit"], number, object?][]
) => rows.map(([period, unit, limit, more]) => ({ period, unit, limit: BigInt(limit), ...more }));

/** What the account's orders cost that were not declined, in cents, and what its calls took and reserved. */
export async function spentBy(service: TestService, { address }: TestParty) {
  const [row] = await service.database.query<{ cents: bigint; credits: bigint }>(
    `select coalesce((select sum(coalesce(cents, reserved_cents)) from orders where account = $1 and status <> 'declined'), 0) as cents,
      coalesce((select sum(amount) from settlements where account = $1), 0)
        + coalesce((select sum(amount) from holds where account = $1 and state = 'held'), 0) as credits`,
    [address],
  );
  return { cents: Number(row?.cents ?? 0n), credits: Number(row?.credits ?? 0n) };
}
