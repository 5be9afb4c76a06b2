import type { Balance, ParsedInputOf } from "@turnpike/payments/protocol";
import { fromMinorUnits } from "@/lib/console/minor-units.ts";
import type { MoneyCheck, Movement, MovementQuery } from "@/lib/console/money.ts";
import { type Context, requireCaller } from "../context.ts";
import { least } from "../orders/money.ts";
import { pageAnswer } from "../page-answer.ts";
import type { Ports } from "../ports.ts";
import type { Page } from "../records.ts";
import type { MovementRow } from "./balance-ports.ts";
import { readCleared, readClearings } from "./resolve-payouts.ts";

/** How long a balance waits for the clearing of sales that the background has not read yet. */
const CLEARINGS_MS = 2_000;

/** Of how many plans a balance has the credits. */
const MOST_CREDITS = 1_000;

type CurrencyBalance = Balance["currencies"][number];

/**
 * What the caller has. Of stablecoin: what their account holds on chain, less payments under way. Of card money: what is
 * owed, of which what the processor can pay is available once payouts are set up.
 */
export async function getBalance(
  context: Context,
  _input?: ParsedInputOf<"getBalance">,
): Promise<Balance> {
  const { account } = requireCaller(context);
  const { ports } = context;
  const [onChain, cards, credits] = await Promise.all([
    stablecoinBalance(ports, account),
    cardBalances(ports, account),
    ports.money.credits(account, MOST_CREDITS + 1),
  ]);
  return {
    currencies: [...onChain, ...cards],
    credits: credits.slice(0, MOST_CREDITS).map(({ available, reserved, ...plan }) => ({
      ...plan,
      available: available.toString(),
      reserved: reserved.toString(),
    })),
    ...(credits.length > MOST_CREDITS && { hasMoreCredits: true }),
  };
}

async function stablecoinBalance(ports: Ports, account: string): Promise<CurrencyBalance[]> {
  const { stablecoin, money } = ports;
  if (!stablecoin) return [];
  const [{ amount }, reserved] = await Promise.all([
    stablecoin.balanceOf(account),
    money.reserved(account, stablecoin.token),
  ]);
  // A payment that was just included has left the balance, and its reservation follows.
  const held = least(reserved, amount);
  return [
    {
      currency: stablecoin.currency,
      available: (amount - held).toString(),
      pending: "0",
      reserved: held.toString(),
      owed: "0",
    },
  ];
}

async function cardBalances(ports: Ports, account: string): Promise<CurrencyBalance[]> {
  const { payouts, payoutProcessor } = ports;
  // What takes longer is noted for the next look.
  await Promise.race([readClearings(ports, account), ports.pause(CLEARINGS_MS)]);
  const [owed, underWay, setup] = await Promise.all([
    payouts.owed(account),
    payouts.underWay(account),
    payouts.findAccount(account),
  ]);
  const currencies = [...new Set([...owed, ...underWay].map(({ currency }) => currency))].sort();
  const of = (rows: typeof underWay, wanted: string) =>
    rows.find(({ currency }) => currency === wanted)?.amount ?? 0n;
  /** As a payout would take it: what has cleared, in whole units; unconfirmed while the processor does not answer. */
  const payable = async (currency: string) => {
    const row = owed.find((each) => each.currency === currency);
    const sum = row ? least(row.amount, row.cleared) : 0n;
    if (setup?.status !== "active" || sum <= 0n) return { available: 0n };
    const { most } = await readCleared(ports, currency);
    const unit = payoutProcessor?.step(currency) ?? fromMinorUnits(1n, currency);
    const cleared = least(most ?? sum, sum);
    const available = cleared > 0n ? cleared - (cleared % unit) : 0n;
    return { available, ...(most === null && { isUnconfirmed: true }) };
  };
  return Promise.all(
    currencies.map(async (currency) => {
      const sum = of(owed, currency);
      const { available, ...rest } = await payable(currency);
      return {
        currency,
        available: available.toString(),
        ...rest,
        pending: of(underWay, currency).toString(),
        reserved: "0",
        owed: (sum - available).toString(),
      };
    }),
  );
}

/** What came and went, newest first; reads the chain's new transfers first. */
export async function listMovements(context: Context, query: MovementQuery) {
  const { account } = requireCaller(context);
  const { money, stablecoin, log } = context.ports;
  await stablecoin?.readDeposits(account).catch((cause) => {
    log.warn({ account, cause: String(cause) }, "incoming transfers could not be read");
  });
  const page = await money.listMovements(account, stablecoin?.token ?? null, query);
  return pageAnswer<Movement>({ ...page, items: page.items.map(movementOf) }, query);
}

const movementOf = (row: Page<MovementRow>["items"][number]): Movement => ({
  movementId: row.movementId,
  kind: row.kind,
  at: row.createdAt.toISOString(),
  currency: row.currency,
  amount: row.amount.toString(),
  isOpen: row.isOpen,
  ...(row.planId && { planId: row.planId }),
  ...(row.planName && { planName: row.planName }),
  ...(row.orderId && { orderId: row.orderId }),
  ...(row.party && { party: row.party }),
  ...(row.txHash && { txHash: row.txHash }),
});

/** Compares the ledger with the chain and the processor. A side that does not answer is left out. */
export async function checkMoney(context: Context): Promise<MoneyCheck> {
  const { account } = requireCaller(context);
  const { stablecoin, log } = context.ports;
  const [onChain, atProcessor] = await Promise.all(
    [checkChain(context.ports, account), checkProcessor(context.ports, account)].map((check) =>
      check.catch((cause): MoneyCheck["items"] => {
        log.warn({ account, cause: String(cause) }, "balances could not be compared");
        return [];
      }),
    ),
  );
  return {
    account,
    ...(stablecoin && { token: stablecoin.token }),
    checkedAt: new Date().toISOString(),
    items: [...(onChain ?? []), ...(atProcessor ?? [])],
  };
}

async function checkChain(
  { stablecoin, money }: Ports,
  account: string,
): Promise<MoneyCheck["items"]> {
  if (!stablecoin) return [];
  // Compared once all transfers were read.
  if (!(await stablecoin.readDeposits(account))) return [];
  const { amount, block } = await stablecoin.balanceOf(account);
  const ledger = await money.chainSum(account, stablecoin.token);
  return [compared(stablecoin.currency, `block ${block}`, { ledger, outside: amount })];
}

async function checkProcessor(
  { payouts, payoutProcessor }: Ports,
  account: string,
): Promise<MoneyCheck["items"]> {
  const setup = await payouts.findAccount(account);
  if (!setup || !payoutProcessor) return [];
  const [transferred, outside] = await Promise.all([
    payouts.transferred(account),
    payoutProcessor.transferredTo(setup.processorAccount),
  ]);
  const currencies = [...new Set([...transferred, ...outside].map(({ currency }) => currency))];
  const of = (rows: typeof outside, wanted: string) =>
    rows.find(({ currency }) => currency === wanted)?.amount ?? 0n;
  return currencies.map((currency) =>
    compared(currency, "processor", {
      ledger: of(transferred, currency),
      outside: of(outside, currency),
    }),
  );
}

const compared = (
  currency: string,
  where: string,
  { ledger, outside }: { ledger: bigint; outside: bigint },
): MoneyCheck["items"][number] => ({
  currency,
  where,
  ledger: ledger.toString(),
  outside: outside.toString(),
  difference: (ledger - outside).toString(),
});
