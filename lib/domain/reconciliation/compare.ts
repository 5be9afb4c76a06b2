import { refreshPayout } from "../money/resolve-payouts.ts";
import { refreshOrder } from "../orders/resolve-orders.ts";
import type { Ports } from "../ports.ts";
import type {
  Difference,
  DifferenceRecord,
  Differences,
  LedgerPayout,
  Watermarks,
} from "./difference-ports.ts";
import { judgeOrder, judgePayout, mainTransfer, type OrderPair, type PayoutPair } from "./judge.ts";
import type { ProcessorPayment, ProcessorRecords, ProcessorTransfer } from "./processor-records.ts";

/** What is read again each time: transactions commit, and lists show, some time after the moment they name. */
const OVERLAP_MS = 120_000;

export type ComparisonParts = {
  ports: Ports;
  records: ProcessorRecords;
  differences: Differences;
  /** The scheme whose orders the processor pays. */
  scheme: string;
};

/** A subject to look at, with what is known of it outside. */
type Subject = Pick<Difference, "differenceId" | "subject" | "reference">;

/**
 * Makes the comparison of the ledger with the card processor. Each run looks at what either side did since the
 * watermarks, and again at what differed before. What differs for the first time may be under way, so it counts from the
 * second run on; then the order or payout is read again first, as after a webhook that was lost.
 *
 * @returns run: the differences that are new.
 */
export function createProcessorComparison(parts: ComparisonParts): () => Promise<Difference[]> {
  const { ports, differences } = parts;
  let suspects: Subject[] = [];
  // Kept only once what was found up to them is judged: a process that ends in between leaves it to the next one.
  let marks: Partial<Watermarks> = {};
  return async () => {
    const now = await ports.clock.now();
    const open = (await differences.listOpen()).filter(isCompared);
    const first = await compare(parts, [...open, ...suspects]);
    const known = new Set([...open, ...suspects].map(({ differenceId }) => differenceId));
    const again = first.found.filter(({ differenceId }) => known.has(differenceId));
    suspects = first.found;
    if (again.length > 0) await readAgain(ports, again);
    const last = again.length > 0 ? await judgeAgain(parts, again) : [];
    const lasting = new Set(last.map(({ differenceId }) => differenceId));
    const isOpen = new Set(open.map(({ differenceId }) => differenceId));
    const healed = again.filter(({ differenceId }) => !lasting.has(differenceId));
    const newlyHealed = healed.filter(({ differenceId }) => !isOpen.has(differenceId));
    for (const { detail } of newlyHealed) ports.log.warn({ detail }, "read again from processor");
    const findings = { judged: first.judged, found: last, healed: newlyHealed };
    const isNew = await differences.save(findings, marks);
    marks = { ledger: now, ...(first.until && { processor: first.until }) };
    return isNew;
  };
}

const isCompared = ({ kind }: DifferenceRecord): boolean => !kind.startsWith("rule_");

async function compare(parts: ComparisonParts, also: Subject[]) {
  const { records, differences } = parts;
  const marks = await differences.readWatermarks();
  const theirs = await records.listSince(before(marks.processor));
  const since = before(marks.ledger);
  const orders = await pairOrders(parts, { payments: theirs.payments, since, also });
  const payouts = await pairPayouts(parts, { transfers: theirs.transfers, since, also });
  const found = [...orders.map(judgeOrder), ...payouts.map(judgePayout)].filter(
    (each) => each !== null,
  );
  return { found, judged: [...subjectsOf(orders, payouts)], until: theirs.until };
}

/** The same subjects once more, with both sides read again. */
async function judgeAgain(parts: ComparisonParts, also: Difference[]): Promise<Difference[]> {
  const never = new Date("9999-01-01");
  const orders = await pairOrders(parts, { payments: [], since: never, also });
  const payouts = await pairPayouts(parts, { transfers: [], since: never, also });
  return [...orders.map(judgeOrder), ...payouts.map(judgePayout)].filter((each) => each !== null);
}

function* subjectsOf(orders: OrderPair[], payouts: PayoutPair[]) {
  for (const { orderId } of orders) yield orderId;
  for (const { payout, transfer } of payouts) {
    if (payout) yield payout.payoutId;
    if (transfer) yield transfer.transferId;
  }
}

type Window<T> = T & { since: Date; also: Subject[] };

async function pairOrders(
  { records, differences, scheme }: ComparisonParts,
  { payments, since, also }: Window<{ payments: ProcessorPayment[] }>,
): Promise<OrderPair[]> {
  const byId = new Map(payments.map((payment) => [payment.paymentId, payment]));
  const read = async (paymentId: string | null) => {
    if (!paymentId?.startsWith("pi_") || byId.has(paymentId)) return;
    const payment = await records.findPayment(paymentId);
    if (payment) byId.set(paymentId, payment);
  };
  const orderSubjects = also.filter(({ reference }) => !reference?.startsWith("tr_"));
  for (const { reference } of orderSubjects) await read(reference);
  const orderIds = [...byId.values()].map(({ orderId }) => orderId);
  for (const { subject } of orderSubjects) orderIds.push(subject);
  const rows = await differences.readPayments({ scheme, orderIds, since });
  for (const { reference, status } of rows) if (status !== "declined") await read(reference);
  const orders = new Map(rows.map((order) => [order.orderId, order]));
  const ids = new Set([...orders.keys(), ...[...byId.values()].map(({ orderId }) => orderId)]);
  const ofOrder = new Map<string, ProcessorPayment[]>();
  for (const payment of byId.values()) {
    ofOrder.set(payment.orderId, [...(ofOrder.get(payment.orderId) ?? []), payment]);
  }
  return [...ids].map((orderId) => ({
    orderId,
    order: orders.get(orderId) ?? null,
    payments: ofOrder.get(orderId) ?? [],
  }));
}

async function pairPayouts(
  { records, differences }: ComparisonParts,
  { transfers, since, also }: Window<{ transfers: ProcessorTransfer[] }>,
): Promise<PayoutPair[]> {
  const byId = new Map(transfers.map((transfer) => [transfer.transferId, transfer]));
  const read = async (transferId: string | null) => {
    if (!transferId?.startsWith("tr_") || byId.has(transferId)) return;
    const transfer = await records.findTransfer(transferId);
    if (transfer) byId.set(transferId, transfer);
  };
  for (const { reference } of also) await read(reference);
  const payoutIds = also.map(({ subject }) => subject);
  for (const { payoutId } of byId.values()) if (payoutId) payoutIds.push(payoutId);
  const payouts = await differences.readPayouts({ payoutIds, since });
  for (const { transferReference } of payouts) await read(transferReference);
  const known = new Set(payouts.map(({ payoutId }) => payoutId));
  const strangers = [...byId.values()].filter(({ payoutId }) => !known.has(payoutId ?? ""));
  const ours = await differences.listPayoutAccounts(strangers.map((each) => each.destination));
  const isOurs = (each: (typeof strangers)[number]) =>
    each.payoutId !== null || ours.includes(each.destination);
  return [
    ...payouts.flatMap((payout) => pairsOf(payout, [...byId.values()])),
    ...strangers.filter(isOurs).map((transfer) => ({ payout: null, transfer })),
  ];
}

/** A payout with its own transfer, and with each other that names it: their money left as well. */
function pairsOf(payout: LedgerPayout, transfers: readonly ProcessorTransfer[]): PayoutPair[] {
  const named = transfers.filter(({ payoutId }) => payoutId === payout.payoutId);
  const transfer = mainTransfer(payout, named);
  const extra = named.filter((each) => each !== transfer);
  return [
    { payout, transfer },
    ...extra.map((each) => ({ payout, transfer: each, isExtra: true })),
  ];
}

/** Brings orders and payouts up to what the processor says of them; what cannot be reached is looked at next time. */
async function readAgain(ports: Ports, found: readonly Difference[]): Promise<void> {
  for (const { kind, subject } of found) {
    const refresh = kind.startsWith("payout_") ? refreshPayout : refreshOrder;
    await refresh(ports, subject).catch((cause: unknown) =>
      ports.log.warn({ subject, cause: String(cause) }, "could not be read again"),
    );
  }
}

const before = (at: Date): Date => new Date(at.getTime() - OVERLAP_MS);
