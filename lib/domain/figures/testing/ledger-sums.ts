import type { MoneyStatus, Role } from "@turnpike/payments/protocol";
import type { Database } from "@/lib/adapters/db/client.ts";

const DAY_MS = 86_400_000;

type Row = Record<string, unknown>;
/** A request of either side, read from the raw rows without the figures' own statements. */
export type Request = {
  builder: string;
  payer: string | null;
  planId: string | null;
  agentId: string | null;
  at: Date;
  status: MoneyStatus;
  cause: string | null;
  credits: bigint;
  ms: number | null;
  httpStatus: number | null;
};
export type Order = {
  account: string;
  planId: string;
  owner: string;
  status: string;
  scheme: string;
  currency: string;
  price: bigint;
  /** By refunds and chargebacks. */
  wentBack: bigint;
  /** When it was charged. */
  at: Date;
  delegationId: string | null;
  orderId: string;
};
export type RawLedger = Awaited<ReturnType<typeof readRawLedger>>;

const text = (value: unknown) => (value === null ? null : String(value));
const number = (value: unknown) => (value === null || value === undefined ? null : Number(value));

/** Every row of the ledger, as it is. */
export async function readRawLedger({ query }: Database) {
  const all = (table: string) => query<Row>(`select * from ${table}`, []);
  const plans = await all("plans");
  const ownerOf = new Map(plans.map((row) => [String(row.plan_id), String(row.owner)]));
  const accounts = await all("accounts");
  const testers = new Set(
    accounts.filter((row) => row.test_of !== null).map((row) => String(row.address)),
  );
  const refunds = (await all("refunds")).filter(
    ({ state }) => state === "open" || state === "paid",
  );
  const refundedOf = (orderId: unknown) =>
    sum(
      refunds.filter((row) => row.order_id === orderId),
      ({ amount }) => BigInt(String(amount)),
    );
  const orders = (await all("orders")).map(
    (row): Order => ({
      account: String(row.account),
      planId: String(row.plan_id),
      owner: ownerOf.get(String(row.plan_id)) ?? "",
      status: String(row.status),
      scheme: String(row.scheme),
      currency: String(row.currency),
      price: BigInt(String(row.price)),
      wentBack: BigInt(String(row.reversed_amount)) + refundedOf(row.order_id),
      at: (row.charged_at ?? row.created_at) as Date,
      delegationId: text(row.delegation_id),
      orderId: String(row.order_id),
    }),
  );
  const requests = requestsOf(
    await all("holds"),
    await all("settlements"),
    await all("request_reports"),
  );
  return {
    plans,
    ownerOf,
    testers,
    orders,
    requests,
    agents: await all("agents"),
    transfers: await all("transfers"),
    balances: await all("balances"),
    delegations: await all("delegations"),
    tokens: await all("tokens"),
  };
}

/** One request per key: settled if the ledger says so, else what became of its hold, else what its gate reported. */
function requestsOf(holds: Row[], settlements: Row[], reports: Row[]): Request[] {
  const byKey = (rows: Row[]) => new Map(rows.map((row) => [String(row.request_key), row]));
  const [held, settled, reported] = [byKey(holds), byKey(settlements), byKey(reports)];
  const keys = new Set([...held.keys(), ...settled.keys(), ...reported.keys()]);
  return [...keys].flatMap((key) => {
    const [hold, settlement, report] = [held.get(key), settled.get(key), reported.get(key)];
    if (hold?.state === "held" && !report && !settlement) return [];
    const source = settlement ?? hold ?? report ?? {};
    const reportedAs = String(report?.money_status ?? "unknown") as MoneyStatus;
    const ofHold: MoneyStatus =
      hold?.state === "released"
        ? "not-charged"
        : reportedAs === "delivered-unsettled" || reportedAs === "not-charged"
          ? reportedAs
          : "unknown";
    const status: MoneyStatus = settlement ? "settled" : hold ? ofHold : reportedAs;
    const work = number(report?.work_ms);
    return [
      {
        builder: String(source.builder),
        payer: settlement || hold ? String(source.account) : text(report?.payer ?? null),
        planId: text(source.plan_id ?? null),
        agentId: text(source.agent_id ?? report?.agent_id ?? null),
        at: (source.created_at ?? report?.at) as Date,
        status,
        cause: causeOf(status, report),
        credits: BigInt(String(source.amount ?? 0)),
        ms:
          work === null
            ? null
            : (number(report?.verify_ms) ?? 0) + work + (number(report?.settle_ms) ?? 0),
        httpStatus: number(report?.http_status),
      },
    ];
  });
}

const causeOf = (status: MoneyStatus, report: Row | undefined): string | null =>
  status === "settled" || status === "free"
    ? null
    : (text(report?.cause ?? null) ?? text(report?.reason ?? null) ?? status);

/** The requests of a side; a builder's without those of test customers. */
export const requestsOfSide = ({ requests, testers }: RawLedger, account: string, role: Role) =>
  requests.filter(({ builder, payer }) =>
    role === "builder"
      ? builder === account && !(payer !== null && testers.has(payer))
      : payer === account,
  );

const RANGES = { "24h": [3_600, 24], "7d": [21_600, 28], "30d": [86_400, 30] } as const;
export type Range = keyof typeof RANGES;

/** When a range and the one before it begin: the last bucket is under way, and the hours before are as many. */
export function periodOf(range: Range, now: Date) {
  const [bucketSecs, count] = RANGES[range];
  const last = Math.floor(now.getTime() / 1_000 / bucketSecs);
  const startOf = (bucket: number) => new Date(bucket * bucketSecs * 1_000);
  const first = last - count + 1;
  const since = startOf(first);
  const hours = Math.round((now.getTime() - since.getTime()) / 3_600_000);
  return {
    since,
    before: new Date(since.getTime() - hours * 3_600_000),
    bucketSecs,
    count,
    startOf,
    first,
  };
}

export const within =
  (from: Date, until?: Date) =>
  ({ at }: { at: Date }) =>
    at >= from && (until === undefined || at < until);

export const sum = <T>(rows: readonly T[], of: (row: T) => bigint): bigint =>
  rows.reduce((all, row) => all + of(row), 0n);

export const countBy = <T>(rows: readonly T[], key: (row: T) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[key(row)] = (counts[key(row)] ?? 0) + 1;
  return counts;
};

/** Sales by what they were paid in: a dollar by card is `usd`, on chain it is `usdc`. */
export function salesBy(orders: readonly Order[]) {
  const paidIn = ({ currency, scheme }: Order) =>
    scheme.includes("card") || currency !== "usd" ? currency : "usdc";
  const sold = orders.filter(({ status, price }) => isSold(status) && price > 0n);
  return Object.fromEntries(
    [...new Set(sold.map(paidIn))].sort().map((currency) => {
      const those = sold.filter((order) => paidIn(order) === currency);
      const back = those.filter(({ wentBack }) => wentBack > 0n);
      return [
        currency,
        {
          amount: String(sum(those, ({ price }) => price)),
          orders: those.length,
          refunded: String(sum(back, ({ wentBack }) => wentBack)),
          refunds: back.length,
        },
      ];
    }),
  );
}

export const isSold = (status: string) => status === "minted" || status === "refunded";

/** The value below which a share of the numbers lies, between the two nearest ones. */
export function percentileOf(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low === undefined || high === undefined
    ? undefined
    : low + (high - low) * (place - Math.floor(place));
}

/** Rounds as databases do: a half goes to the even neighbour. */
export const roundToEven = (value: number): number =>
  value % 1 === 0.5 ? 2 * Math.round(value / 2) : Math.round(value);

export const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * DAY_MS);
