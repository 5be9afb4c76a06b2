import { type ChainStatus, PaymentsError, type PlanPriceConfig } from "@turnpike/payments/protocol";
import { paidIn } from "@/lib/console/paid-in.ts";
import type { ChargeOutcome, PaymentControl } from "../orders/order-ports.ts";
import type { DelegationRecord, OrderRecord, PlanRecord } from "../records.ts";

/** The part of a plan's price that says how it is paid. */
export type RailPrice = Pick<PlanPriceConfig, "amounts" | "isCrypto" | "tokenAddress" | "currency">;

/** What one order costs. */
export type Quote = {
  /** Null for tokens without a par value, which `orderLimit` alone counts. */
  currency: string | null;
  /** The currency, or the token's address where there is none. */
  unit: string;
  /** Over all receivers, in the price's smallest unit. */
  total: bigint;
  /** What a delegation counts it as, in minor units of its currency. */
  cents: bigint;
};

/** `path` names the field of a registration. */
export type TermsFault = { path: string; message: string };

/** How far a settlement came outside; `transaction` is empty while there is none. */
export type MirroredState = { transaction: string; chainStatus: ChainStatus };

/** What is fixed about a rail: which plans are paid on it, and what their prices, offers and delegations look like. */
export interface RailTerms {
  /** The rail's name on the wire. */
  scheme: string;
  network: string;
  /** The provider of the delegations that pay on this rail. */
  delegationProvider: string;
  /** Whether plans of this price are paid on this rail. */
  takes(price: RailPrice): boolean;
  quote(price: RailPrice): Quote;
  /** Why a plan cannot have this price, or null. */
  findPriceFault(price: RailPrice): string | null;
  /** What no order could meet in terms, or null. Asked when terms are set: plans that have them stay as they are. */
  findTermsFault?(terms: Pick<PlanRecord, "price" | "credits">): TermsFault | null;
  /** The receiver in an offer for a plan of this price. */
  payTo(price: Pick<PlanPriceConfig, "receivers">): string;
  /** The transaction a settlement has from the start; empty where one follows. */
  receiptId(settlementId: string): string;
  /** Whether paying takes a grant signed by the owner of the account. */
  needsOwnerSignature: boolean;
  /** Whether a delegation charges a saved payment method. */
  usesPaymentMethods: boolean;
  /** Whether the service holds the money for the plan's receivers until it is paid out. */
  collects: boolean;
  /** Who charges people in a currency: such plans have a checkout page, and a delegation spends one currency only. */
  fiatProvider?: string;
}

/** One way to pay for plans. */
export interface Rail extends RailTerms, PaymentControl {
  /** Pays an order. Same order, same payment: a repeat after an unknown outcome never pays twice. */
  charge(
    order: OrderRecord,
    plan: PlanRecord,
    delegation: DelegationRecord | null,
  ): Promise<ChargeOutcome>;
  /** What the outside has against a price: asked when it is set. Null also where the outside does not answer, which an order will. */
  findOutsideFault?(price: RailPrice): Promise<TermsFault | null>;
  /**
   * Only where settlements are mirrored outside, and so written to the outbox: hurries a settlement that was just
   * committed, and waits a while until it is as far as asked. Null when it is not there yet; the mirror keeps trying.
   */
  mirror?(settlementId: string, until: "submitted" | "included"): Promise<MirroredState | null>;
  /** The addresses that sign and pay, for `supported`. */
  signers(): { pattern: string; addresses: string[] };
  isHealthy(): Promise<boolean>;
  /** Whether this deployment leaves the rail out: what was sold on it stays readable and usable, and nothing more is. */
  isLeftOut?: true;
}

/** Takes the place of a rail that this deployment leaves out. Orders that are open keep waiting: their outcome is not known here. */
export const createLeftOutRail = (terms: RailTerms): Rail => ({
  ...terms,
  isLeftOut: true,
  usesPaymentMethods: false,
  charge: async () => leftOut(),
  signers: () => ({ pattern: terms.network, addresses: [] }),
  isHealthy: async () => true,
});

/** The rail, if it charges: throws `rail_unavailable` for one that this deployment leaves out. */
export const requireCharging = <R extends Rail>(rail: R): R => (rail.isLeftOut ? leftOut() : rail);

function leftOut(): never {
  throw new PaymentsError(
    "rail_unavailable",
    "This deployment doesn’t sell plans of this payment scheme. Credits of them stay usable.",
    { hint: "Order a plan of another scheme." },
  );
}

/** What a price counted in `currency` is paid in on a rail: on chain its stablecoin. */
export const currencyPaid = (
  rail: Pick<Rail, "fiatProvider"> | undefined,
  currency: string,
): string => paidIn(currency, { isFiat: rail?.fiatProvider !== undefined });

/** Whether a settlement is mirrored. Credits that were given away exist in the ledger alone. */
export function mirroringOf(
  { mirror }: Pick<Rail, "mirror">,
  { amount, isPaid }: { amount: bigint; isPaid: boolean },
): { mirror: boolean; chainStatus: ChainStatus } {
  const isMirrored = mirror !== undefined && amount > 0n && isPaid;
  return { mirror: isMirrored, chainStatus: isMirrored ? "pending" : "none" };
}
