import {
  type DelegationAlert,
  DelegationAlertKind,
  type DelegationTotals,
} from "@/lib/console/delegation-totals.ts";
import { paidIn } from "@/lib/console/paid-in.ts";
import { type Context, requireCaller } from "../context.ts";
import { moneyOf } from "../orders/money.ts";
import type { DelegationAlertRow } from "./holdings-ports.ts";

/** Sums over all delegations of the caller, whatever page of them is shown, and the alerts that are due. */
export async function getDelegationTotals(context: Context): Promise<DelegationTotals> {
  const { account } = requireCaller(context);
  const { holdings, rails, clock } = context.ports;
  const now = await clock.now();
  const { counts, limits, spent, alerts } = await holdings.delegationSums(account, now);
  const { firstExpiresAt, ...numbers } = counts;
  return {
    now: now.toISOString(),
    ...numbers,
    ...(firstExpiresAt && { firstExpiresAt: firstExpiresAt.toISOString() }),
    limits: limits.map(({ provider, currency, remaining, reserved, reserving }) => ({
      currency: paidIn(currency, {
        isFiat: rails.findByProvider(provider)?.fiatProvider !== undefined,
      }),
      remaining: remaining.toString(),
      reserved: reserved.toString(),
      reserving,
    })),
    spent30d: spent.map(({ scheme, currency, amount, orders, previous }) => ({
      ...moneyOf(
        paidIn(currency, { isFiat: rails.find(scheme)?.fiatProvider !== undefined }),
        amount,
      ),
      orders,
      previous: previous.toString(),
    })),
    alerts: DelegationAlertKind.options.flatMap((kind) =>
      alertOf(
        kind,
        alerts.filter((row) => row.kind === kind),
      ),
    ),
  };
}

function alertOf(kind: DelegationAlertKind, rows: DelegationAlertRow[]): DelegationAlert[] {
  const [first] = rows;
  if (!first) return [];
  const isTime = kind === "time";
  return [
    {
      kind,
      count: first.count,
      delegations: rows.map(({ delegationId, name, expiresAt, usedPercent }) => ({
        delegationId,
        ...(name && { name }),
        expiresAt: expiresAt.toISOString(),
        usedPercent,
      })),
      tokensEnding: isTime ? first.tokensEnding : 0,
      tokens: isTime ? first.tokens : [],
    },
  ];
}
