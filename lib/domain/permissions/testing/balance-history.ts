import { getDynamicCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import type { Database } from "@/lib/adapters/db/client.ts";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import type { Recorded } from "@/lib/testing/linearizability.ts";
import type { Random } from "@/lib/testing/seeded-random.ts";
import type { BalanceInput, BalanceOutput } from "./counter-with-ids.ts";

const WORKERS = 12;
const REPLICAS = 3;
export const GRANTED = 40;
/** Calls of a history whose answers are lost: each may have happened at any time, or never. */
const LOST = 6;

export type History = Recorded<BalanceInput, BalanceOutput>[];

/** Three replicas with small groups, so that requests meet in the database and not in one group before it. */
export function startReplicas(database: Database): TestService[] {
  const secretKey = new Uint8Array(32).fill(7);
  return Array.from({ length: REPLICAS }, () =>
    createTestService(database, { secretKey, ledger: { maxBatch: 3, lanes: 2 } }),
  );
}

/** Twelve workers at one balance: what each asked, when, and what it was told. */
export async function recordHistory(
  services: TestService[],
  random: Random,
  operations: number,
): Promise<History> {
  const [first] = services as [TestService];
  const market = await createMarket(first, {
    price: getFreePriceConfig(),
    credits: getDynamicCreditsConfig(BigInt(GRANTED), 1n, 9n),
    order: false,
  });
  const history: History = [];
  const ids: { id: string; amount: number }[] = [];
  const ask = async (input: BalanceInput) => {
    const service = random.pick(services);
    const isLost = history.length % Math.ceil(operations / LOST) === 17;
    const entry: History[number] = {
      input,
      output: undefined,
      invoked: performance.now(),
      returned: Number.POSITIVE_INFINITY,
    };
    history.push(entry);
    const output = await perform(service, market, input);
    if (isLost && input.kind !== "read") return;
    entry.output = output;
    entry.returned = performance.now();
  };
  // Until its first settlement a builder may reserve a quarter of the credits.
  await ask({ kind: "order" });
  await ask({ kind: "settle", id: "first".padEnd(20, "-"), amount: 1 });
  let left = operations - history.length;
  const draw = (): BalanceInput => {
    const kind = random.pick([
      ...(["reserve", "reserve", "reserve", "settle", "settle", "settle"] as const),
      ...(["release", "release", "read", "read"] as const),
    ]);
    if (kind === "read") return { kind };
    if (random.below(12) === 0) return { kind: "order" };
    if (ids.length < 4 || random.chance(40)) {
      ids.push({ id: `id-${ids.length}`.padEnd(20, "-"), amount: 1 + random.below(9) });
    }
    const { id, amount } = random.pick(ids.slice(-6)) as (typeof ids)[number];
    return kind === "release" ? { kind, id } : { kind, id, amount };
  };
  const work = async () => {
    while (left-- > 0) await ask(draw());
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return history;
}

async function perform(
  service: TestService,
  market: TestMarket,
  input: BalanceInput,
): Promise<BalanceOutput> {
  const call = async <T>(
    by: TestMarket["builder"],
    method: string,
    path: string,
    body?: object,
  ) => {
    const response = await service.call(by, method, path, body);
    return (await response.json()) as T;
  };
  if (input.kind === "order") {
    const path = `/protocol/plans/${market.planId}/order`;
    const { balance } = await call<{ balance: string }>(market.subscriber, "POST", path);
    return { word: "minted", credits: Number(balance) };
  }
  if (input.kind === "read") {
    const path = `/protocol/plans/${market.planId}/balance/${market.subscriber.address}`;
    const { balance, held } = await call<Record<"balance" | "held", string>>(
      market.subscriber,
      "GET",
      path,
    );
    return { word: "read", credits: Number(balance), held: Number(held) };
  }
  if (input.kind === "release") {
    const body = { agentRequestId: input.id };
    const told = await call<{ released?: string; code?: string }>(
      market.builder,
      "POST",
      "/x402/release",
      body,
    );
    if (told.released === undefined) return { word: told.code ?? "" };
    return { word: "released", credits: Number(told.released) };
  }
  const told = await call<Answer>(
    market.builder,
    "POST",
    `/x402/${input.kind === "reserve" ? "verify" : "settle"}`,
    {
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId: input.id,
      maxAmount: String(input.amount),
      ...(input.kind === "reserve" && { reserve: true }),
    },
  );
  if (told.isValid) return { word: "ok" };
  if (told.success) return { word: "settled", credits: Number(told.remainingBalance) };
  return { word: told.invalidReason ?? told.errorReason ?? told.code ?? "" };
}

type Answer = {
  isValid?: boolean;
  success?: boolean;
  remainingBalance?: string;
  invalidReason?: string;
  errorReason?: string;
  code?: string;
};
