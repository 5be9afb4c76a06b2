import { PaymentsError } from "@turnpike/payments/protocol";
import type { Ports } from "../ports.ts";
import type { AuditNote } from "../records.ts";
import { advancePayout } from "./advance-payout.ts";
import { holdsCurrency, refreshPayoutAccount, requireProcessor } from "./payout-accounts.ts";
import type { PayoutAccountRecord, PayoutSchedule } from "./payout-ports.ts";

const SCHEDULE_DAYS: Record<PayoutSchedule, number> = { manual: 0, daily: 1, weekly: 7 };
const DAY_MS = 86_400_000;
/** When a scheduled payout that could not begin is tried again. */
const AGAIN_MS = 3_600_000;
/** How many sales are asked about at a time, fewer where a builder waits for it, and how many of them at once. */
const MOST = 100;
const MOST_WAITED_FOR = 20;
const AT_ONCE = 10;

/** Looks at payouts that are due, and begins those that a schedule asks for. */
export async function resolvePayouts(ports: Ports): Promise<void> {
  if (!ports.payoutProcessor) return;
  for (const payout of await ports.payouts.takeDuePayouts(50)) await advancePayout(ports, payout);
  await readClearings(ports, null);
  if (ports.salesStop?.()) return;
  const now = await ports.clock.now();
  for (const due of await ports.payouts.listDueAccounts(50)) await payOnSchedule(ports, due, now);
}

/** Reads a payout again, because the processor reports a change. Unknown ids are ignored. */
export async function refreshPayout(ports: Ports, payoutId: string): Promise<void> {
  const payout = await ports.payouts.findPayout(payoutId);
  if (payout) await advancePayout(ports, payout);
}

async function payOnSchedule(ports: Ports, due: PayoutAccountRecord, now: Date): Promise<void> {
  const { account, nextPayoutAt, schedule } = due;
  try {
    const setup = await refreshPayoutAccount(ports, account);
    // The list was read before those in front of it were paid.
    if (!isSameSchedule(setup, due)) return;
    if (setup.isClosed) {
      // Its schedule stays for the account they set up next. Operators are alerted once, when its status changes.
      if (due.status !== setup.status) ports.log.warn({ account }, CLOSED);
      return ports.payouts.setNextPayout(due, again(now));
    }
    if (setup.status === "active") {
      await readClearings(ports, account, { isUrgent: true });
      // A payout of a part would leave the rest to the next one.
      if (await ports.payouts.hasUnanswered(account))
        return ports.payouts.setNextPayout(due, again(now));
      for (const { currency, cleared } of await ports.payouts.owed(account)) {
        if (!holdsCurrency(setup, currency)) {
          if (cleared > 0n) ports.log.warn({ account, currency }, NOT_HELD);
          continue;
        }
        const begun = await beginPayout(ports, setup, {
          currency,
          idempotencyKey: `schedule ${currency} ${nextPayoutAt?.toISOString()}`,
          note: {
            account,
            keyId: null,
            action: "payout.create",
            subject: currency,
            requestId: "schedule",
          },
        });
        if ("payout" in begun) await advancePayout(ports, begun.payout);
      }
    }
    await ports.payouts.setNextPayout(due, nextOf(schedule, now));
  } catch (cause) {
    ports.log.warn({ account, cause: String(cause) }, "scheduled payout could not begin");
    // Those that keep failing must not take the places of all others.
    await ports.payouts.setNextPayout(due, again(now));
  }
}

const CLOSED = "a builder's account at the processor is closed: nothing is paid out on schedule";
const NOT_HELD =
  "a scheduled payout is left out: the builder's account at the processor has no bank account in its currency";

const again = (now: Date): Date => new Date(now.getTime() + AGAIN_MS);

const isSameSchedule = (one: PayoutAccountRecord, other: PayoutAccountRecord): boolean =>
  one.schedule === other.schedule && one.nextPayoutAt?.getTime() === other.nextPayoutAt?.getTime();

/**
 * Takes all that is owed in a currency out of the book, as far as the builder's own sales have cleared at the processor and
 * it can pay them: what others' sales cleared is theirs. The caller has read the clearings. Throws `unavailable` while the
 * ledger differs from what is outside: a restored one owes again what it has paid.
 */
export async function beginPayout(
  ports: Ports,
  { account, processorAccount }: PayoutAccountRecord,
  given: { currency: string; idempotencyKey: string | undefined; note: AuditNote },
) {
  if (ports.salesStop?.()) throw payoutsStopped();
  const { currency } = given;
  const processor = requireProcessor(ports);
  const { most, isHeld } = await readCleared(ports, currency);
  const unit = processor.step(currency);
  const begun = await ports.payouts.begin(
    {
      payoutId: ports.crypto.randomId(),
      account,
      processorAccount,
      currency,
      idempotencyKey: given.idempotencyKey ?? null,
      unit,
      most,
    },
    given.note,
  );
  if ("payout" in begun) return begun;
  const obstacle =
    begun.owed >= unit ? await findObstacle(ports, account, { currency, unit, isHeld }) : null;
  if (obstacle) ports.log.error({ account, currency }, OBSTACLES[obstacle]);
  return { ...begun, obstacle };
}

/** What keeps back money that is owed, other than that it has not cleared. */
async function findObstacle(
  { payouts }: Ports,
  account: string,
  { currency, unit, isHeld }: { currency: string; unit: bigint; isHeld: boolean },
): Promise<keyof typeof OBSTACLES | null> {
  const row = (await payouts.owed(account)).find((each) => each.currency === currency);
  if (!isHeld || !row || row.amount - row.converted < unit) return "converted";
  return row.cleared >= unit ? "short" : null;
}

const OBSTACLES = {
  converted:
    "the card processor converts sales in this currency, so builders cannot be paid out in it. Add a bank account in it in Stripe's dashboard",
  short:
    "sales of a builder have cleared, and the service's balance at the card processor has less. Set its own payouts to manual in Stripe's dashboard, add funds to it, and set PLATFORM_FEE_BPS to at least what the processor's fees are",
};

/** The most that can be paid out in a currency now, null where that is not known, and whether it is held in it at all. */
export async function readCleared(
  { payoutProcessor, log }: Pick<Ports, "payoutProcessor" | "log">,
  currency: string,
): Promise<{ most: bigint | null; isHeld: boolean }> {
  try {
    const cleared = await payoutProcessor?.cleared(currency);
    return { most: cleared === null ? 0n : (cleared ?? null), isHeld: cleared !== null };
  } catch (cause) {
    log.warn({ currency, cause: String(cause) }, "cleared funds could not be read");
    return { most: null, isHeld: true };
  }
}

/**
 * Asks the processor when sales clear, of one builder or of all, and notes it. What can't be read is asked for again later,
 * and counts as not cleared until then. A payout is urgent: it does not leave to later what another caller was to ask.
 */
export async function readClearings(
  { payouts, payoutProcessor, log }: Pick<Ports, "payouts" | "payoutProcessor" | "log">,
  account: string | null,
  { isUrgent = false } = {},
): Promise<void> {
  if (!payoutProcessor) return;
  const limit = account ? MOST_WAITED_FOR : MOST;
  const unclear = await payouts.takeUnclear(account, limit, { isUrgent });
  for (let start = 0; start < unclear.length; start += AT_ONCE) {
    const answers = unclear.slice(start, start + AT_ONCE).map(async ({ orderId, reference }) => {
      try {
        const clearing = await payoutProcessor.clearingOf(reference);
        if (!clearing) log.warn({ orderId }, "the processor does not know yet when a sale clears");
        return [{ orderId, ...clearing }];
      } catch (cause) {
        log.warn({ orderId, cause: String(cause) }, "clearing of a sale could not be read");
        return [];
      }
    });
    await payouts.writeClearings((await Promise.all(answers)).flat());
  }
}

const payoutsStopped = () =>
  new PaymentsError(
    "unavailable",
    "Payouts are stopped while a difference between the ledger, the chain and the card processor is investigated. What you are owed stays yours.",
    {
      hint: "Pay out again later. The service's operators were alerted.",
      details: [{ path: "payout", message: "sales_stopped" }],
      retryAfterSecs: 60,
    },
  );

/** When a schedule pays out next. */
export const nextOf = (schedule: PayoutSchedule, now: Date): Date | null =>
  schedule === "manual" ? null : new Date(now.getTime() + SCHEDULE_DAYS[schedule] * DAY_MS);
