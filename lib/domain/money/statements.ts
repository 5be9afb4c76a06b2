import {
  type Invoice,
  type ParsedInputOf,
  PaymentsError,
  type Statement,
  type StatementEntry,
} from "@turnpike/payments/protocol";
import type { StatementMonths } from "@/lib/console/money.ts";
import { type Context, invalid, notFound, requireCaller } from "../context.ts";
import { eachAlone } from "../each-alone.ts";
import type { Ports } from "../ports.ts";
import { currencyPaid } from "../rails/rail.ts";
import type { StatementEntryRow, StatementScope, StatementSection } from "./statement-ports.ts";

type SectionHead = Omit<Statement["sections"][number], "entries" | "closing">;

/** A statement in the order it is written: each section begins, has its entries and closes. */
export type StatementPart =
  | { part: "section"; section: SectionHead }
  | { part: "entry"; entry: StatementEntry }
  | { part: "closing"; closing: string };

/** Known by a mark: pages have their own copy of this module. */
const MARK = Symbol.for("turnpike.statement");

/** A statement that is read from the ledger while it is written, so that its length costs no memory. */
export class StatementDocument {
  readonly [MARK] = true;

  constructor(
    readonly format: ParsedInputOf<"getStatement">["format"],
    readonly head: Omit<Statement, "sections">,
    readonly parts: () => AsyncGenerator<StatementPart>,
  ) {}

  static is(value: unknown): value is StatementDocument {
    return typeof value === "object" && value !== null && MARK in value;
  }
}

const PAGE = 10_000;
/** Clocks of chain and ledger differ by less, payments that were just made are known by then, and the blocks read are final. */
const CLOSES_AFTER_MS = 3_600_000;

/**
 * Until when months are closed: not past what was read of the chain, whose node can be behind. A month with a payment on chain
 * that is still under way is not: until the payment is recorded with the ledger's time, its transfer counts as a deposit at the
 * block's.
 */
async function closedUntil(ports: Ports, account: string, now: Date): Promise<Date> {
  const read = await readDeposits(ports, account, now);
  const token = ports.stablecoin?.token ?? null;
  const since = await ports.statements.underWaySince(account, token);
  return new Date(Math.min(+now - CLOSES_AFTER_MS, +read - CLOSES_AFTER_MS, +(since ?? now)));
}

/** The statement of a month. Reads the chain's new transfers first. */
export async function getStatement(
  context: Context,
  { month, format }: ParsedInputOf<"getStatement">,
): Promise<StatementDocument> {
  const { account } = requireCaller(context);
  const { ports } = context;
  const now = await ports.clock.now();
  const [from, end] = spanOf(month);
  if (from > now) throw invalid("month", `${month} has not begun.`);
  const until = await closedUntil(ports, account, now);
  const isOver = end <= now;
  const to = isOver ? end : now;
  const scope = { account, token: ports.stablecoin?.token ?? null, from, to };
  const [holder, sections] = await Promise.all([
    ports.accounts.find(account),
    ports.statements.listSections(scope),
  ]);
  const head = {
    month,
    from: from.toISOString(),
    to: to.toISOString(),
    isClosed: end <= until,
    account,
    ...named("accountName", holder?.name),
  };
  return new StatementDocument(format, head, () => partsOf(ports, scope, sections));
}

async function* partsOf(
  ports: Ports,
  scope: StatementScope,
  sections: readonly StatementSection[],
): AsyncGenerator<StatementPart> {
  for (const group of groupsOf(sections)) {
    const rows = rowsOf(ports, scope, group);
    let next = await rows.next();
    for (const section of group) {
      const { currency, ...head } = headOf(section);
      yield { part: "section", section: { currency, ...head } };
      let sum = section.opening;
      for (; !next.done && next.value.unit === section.unit; next = await rows.next()) {
        sum += next.value.amount;
        yield { part: "entry", entry: entryOf(next.value, currency) };
      }
      yield { part: "closing", closing: sum.toString() };
    }
  }
}

/** Sections of one name that follow each other, with about a page of entries: an account can have thousands of plans. */
function groupsOf(sections: readonly StatementSection[]): StatementSection[][] {
  const groups: StatementSection[][] = [];
  let entries = 0;
  for (const section of sections) {
    const group = groups.at(-1);
    entries += section.entries;
    if (group?.[0]?.section === section.section && entries <= PAGE) {
      group.push(section);
    } else {
      groups.push([section]);
      entries = section.entries;
    }
  }
  return groups;
}

async function* rowsOf(
  ports: Ports,
  scope: StatementScope,
  group: readonly StatementSection[],
): AsyncGenerator<StatementEntryRow, undefined> {
  const withEntries = group.filter(({ entries }) => entries > 0);
  const [first] = withEntries;
  if (!first) return;
  const of = { section: first.section, units: withEntries.map(({ unit }) => unit) };
  let after: StatementEntryRow | undefined;
  do {
    const rows = await ports.statements.listEntries(scope, of, { after, limit: PAGE });
    yield* rows;
    after = rows.length === PAGE ? rows.at(-1) : undefined;
  } while (after);
}

function headOf({ section, unit, planName, isTime, opening }: StatementSection): SectionHead {
  const ofPlan = section === "credits" || section === "credits-sold";
  return {
    section,
    currency: ofPlan ? (isTime ? "passes" : "credits") : unit,
    ...(ofPlan && { planId: unit, ...named("planName", planName) }),
    opening: opening.toString(),
  };
}

const entryOf = (row: StatementEntryRow, currency: string): StatementEntry => ({
  entryId: row.entryId,
  at: row.at.toISOString(),
  kind: row.kind,
  amount: row.amount.toString(),
  currency,
  ...(row.orderId && { orderId: row.orderId }),
  ...(row.planId && { planId: row.planId }),
  ...named("planName", row.planName),
  ...(row.party && { party: row.party }),
  ...named("partyName", row.partyName),
  ...(row.reference && { reference: row.reference }),
  ...(row.invoiceNumber !== null && { invoiceNumber: row.invoiceNumber }),
});

/** The months since the first entry, newest first, with what came and went of money. */
export async function listStatements(context: Context): Promise<StatementMonths> {
  const { account } = requireCaller(context);
  const { ports } = context;
  const now = await ports.clock.now();
  const until = await closedUntil(ports, account, now);
  const [sums, firstCredits] = await Promise.all([
    ports.statements.listMonths(account, ports.stablecoin?.token ?? null),
    ports.statements.firstCredits(account),
  ]);
  const current = now.toISOString().slice(0, 7);
  const firsts = [sums[0]?.month, firstCredits?.toISOString().slice(0, 7)].filter(isText).sort();
  const closings = new Map<string, bigint>();
  const items: StatementMonths["items"] = [];
  for (let month = firsts[0]; month !== undefined && month <= current; month = nextMonth(month)) {
    const moved = sums.filter((sum) => sum.month === month);
    for (const { section, unit, in: came, out } of moved) {
      const key = `${section} ${unit}`;
      closings.set(key, (closings.get(key) ?? 0n) + came + out);
    }
    items.unshift({
      month,
      isClosed: spanOf(month)[1] <= until,
      sums: moved.map(({ section, unit, in: came, out }) => ({
        section,
        currency: unit,
        in: came.toString(),
        out: out.toString(),
        closing: (closings.get(`${section} ${unit}`) ?? 0n).toString(),
      })),
    });
  }
  return { items };
}

const BUSY_FROM = 1_000;

/** Sums up what sellers with many sales sold, so that the list of their months reads the rest alone. */
export async function sumStatements(ports: Ports, busyFrom = BUSY_FROM): Promise<void> {
  const token = ports.stablecoin?.token ?? "";
  const now = await ports.clock.now();
  const items = await ports.statements.listBusy(token, busyFrom);
  const facts = (account: string) => ({ account });
  await eachAlone(ports, { items, says: "sales not summed", facts }, async (account) => {
    const until = await closedUntil(ports, account, now).catch((cause) => {
      if (cause instanceof PaymentsError && cause.code === "unavailable") return null;
      throw cause;
    });
    if (until) await ports.statements.sumSales(account, token, until);
  });
}

/** The invoice of an order that the caller bought or sold; the payment's reference finds it too. */
export async function getInvoice(
  context: Context,
  { orderId }: ParsedInputOf<"getInvoice">,
): Promise<Invoice> {
  const { account } = requireCaller(context);
  const found = await context.ports.invoices.find(account, orderId);
  if (!found) throw notFound("invoice", orderId);
  const { owner, ownerName, buyer, buyerName, price, refunded, reference, issuedAt, ...rest } =
    found;
  return {
    ...rest,
    currency: currencyPaid(context.ports.rails.find(rest.scheme), rest.currency),
    planName: printable(rest.planName),
    issuedAt: issuedAt.toISOString(),
    seller: { address: owner, ...named("name", ownerName) },
    buyer: { address: buyer, ...named("name", buyerName) },
    amount: price.toString(),
    refunded: refunded.toString(),
    ...(reference && { reference }),
  };
}

/**
 * Reads the chain's new transfers, and says until when: not at all where it can't be read. Throws while there are more. A
 * sandbox's clock can be ahead of its chain, which may have no block between two transactions: there, a chain that answers is
 * read until now.
 */
async function readDeposits(
  { stablecoin, environment, log }: Ports,
  account: string,
  now: Date,
): Promise<Date> {
  if (!stablecoin) return now;
  const read = await stablecoin.readDeposits(account).catch((cause) => {
    log.warn({ account, cause: String(cause) }, "incoming transfers could not be read");
    return new Date(0);
  });
  if (!read) throw stillReading();
  return environment === "sandbox" && +read > 0 ? now : read;
}

const stillReading = () =>
  new PaymentsError(
    "unavailable",
    "Transfers to this account are being read from the chain for the first time.",
    { hint: "Try again in a minute.", retryAfterSecs: 30 },
  );

const isText = (value: string | undefined): value is string => value !== undefined;

/** A month's first instant and the next month's, in UTC. */
function spanOf(month: string): [Date, Date] {
  return [new Date(`${month}-01T00:00:00Z`), new Date(`${nextMonth(month)}-01T00:00:00Z`)];
}

function nextMonth(month: string): string {
  const [year, index] = month.split("-").map(Number);
  return new Date(Date.UTC(year ?? 0, index ?? 1)).toISOString().slice(0, 7);
}

/** Control characters, and those that turn the direction of text after them. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;
const printable = (text: string): string => text.replace(UNPRINTABLE, " ").trim();

/** A name as a member, where there is one. */
const named = <K extends string>(
  member: K,
  name: string | null | undefined,
): Partial<Record<K, string>> =>
  name ? ({ [member]: printable(name) } as Partial<Record<K, string>>) : {};
