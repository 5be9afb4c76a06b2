import { totalOf } from "@turnpike/payments/protocol";
import { minorDigits, payoutStepOf, stepOf, toMinorUnits } from "@/lib/console/minor-units.ts";
import type { RailPrice } from "@/lib/domain/rails/rail.ts";

/**
 * The smallest charge of a card in minor units, where the processor names one; elsewhere half a unit. Currencies
 * without decimals are listed, because half a unit of them is nothing.
 */
const LEAST: Record<string, bigint> = {
  aed: 200n,
  bgn: 100n,
  czk: 1500n,
  dkk: 250n,
  gbp: 30n,
  hkd: 400n,
  huf: 17_500n,
  jpy: 50n,
  mxn: 1000n,
  myr: 200n,
  nok: 300n,
  pln: 200n,
  ron: 200n,
  sek: 300n,
  thb: 1000n,
};
/** The most a card is charged at once: eight digits. */
const MOST = 99_999_999n;

/** What a price comes to on a card: minor units, or why no card can be charged it. */
export type CardAmount = { minor: bigint } | { objection: string };

/**
 * A price in millionths as a card is charged it. Whole minor units; currencies with three decimals end in 0,
 * because banks settle them with two; Icelandic krónur are whole, though they are counted in hundredths.
 */
export function cardAmountOf(millionths: bigint, currency: string): CardAmount {
  const code = currency.toLowerCase();
  const digits = minorDigits(code);
  const minor = toMinorUnits(millionths, code);
  const unit = 10n ** BigInt(6 - digits);
  const name = code.toUpperCase();
  if (millionths % unit !== 0n) {
    return { objection: `${name} has ${digits} decimals: use multiples of ${unit} millionths.` };
  }
  const step = stepOf(code);
  if (minor % step !== 0n) {
    const millionthsStep = unit * step;
    return {
      objection: `Card payments in ${name} go in steps of ${step} minor units: use multiples of ${millionthsStep} millionths.`,
    };
  }
  const half = 10n ** BigInt(digits) / 2n;
  const least = LEAST[code] ?? (half > 0n ? half : 1n);
  // Ugandan shillings have no decimals, but the processor counts them in hundredths.
  const most = code === "ugx" ? MOST / 100n : MOST;
  if (minor < least || minor > most) {
    return {
      objection: `A card payment must be ${least} to ${most} minor units of ${name}; got ${minor}.`,
    };
  }
  return { minor };
}

/** Why no card can be charged a price, or one of its shares cannot be paid out; else null. */
export function findCardPriceFault(price: RailPrice): string | null {
  const currency = price.currency ?? "USD";
  const amount = cardAmountOf(totalOf(price), currency);
  if ("objection" in amount) return amount.objection;
  const step = payoutStepOf(currency);
  const isWhole = price.amounts.every((share) => share % step === 0n);
  return isWhole
    ? null
    : `${currency} is paid out in steps: each amount must be a multiple of ${step} millionths.`;
}
