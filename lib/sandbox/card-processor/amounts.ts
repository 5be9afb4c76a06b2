import { invalid } from "./stripe-failure.ts";

/** Stripe's minimum charges, in minor units. */
const LEAST: Record<string, number> = {
  usd: 50,
  eur: 50,
  gbp: 30,
  jpy: 50,
  chf: 50,
  cad: 50,
  aud: 50,
  sgd: 50,
  mxn: 1000,
  sek: 300,
  nok: 300,
  dkk: 250,
  pln: 200,
  hkd: 400,
  brl: 50,
  inr: 50,
};
const LARGEST = 99_999_999;
/** Currencies with steps: three-decimal amounts must end in 0, and some two-decimal ones must be whole. */
const STEPS: Record<string, number> = {
  bhd: 10,
  jod: 10,
  kwd: 10,
  omr: 10,
  tnd: 10,
  isk: 100,
  ugx: 100,
};

/** Rejects what Stripe rejects: unknown currencies, and amounts that are too small, too large or between steps. */
export function checkAmount(amount: number, currency: string): void {
  const param = "amount";
  if (!/^[a-z]{3}$/.test(currency)) {
    throw invalid(`Invalid currency: ${currency}.`, { param: "currency" });
  }
  if (amount < 1) {
    throw invalid("This value must be greater than or equal to 1.", {
      code: "parameter_invalid_integer",
      param,
    });
  }
  const least = LEAST[currency] ?? 1;
  if (amount < least) {
    throw invalid(`Amount must be at least ${least} of the smallest unit of ${currency}.`, {
      code: "amount_too_small",
      param,
    });
  }
  if (amount > LARGEST) {
    throw invalid(`Amount must be no more than ${LARGEST} of the smallest unit of ${currency}.`, {
      code: "amount_too_large",
      param,
    });
  }
  checkStep(amount, currency, STEPS);
}

/** Rejects payouts between steps: some currencies are charged in hundredths and paid out whole. */
export const checkPayoutStep = (amount: number, currency: string): void =>
  checkStep(amount, currency, { ...STEPS, huf: 100, twd: 100 });

function checkStep(amount: number, currency: string, steps: Record<string, number>): void {
  const step = steps[currency] ?? 1;
  if (amount % step === 0) return;
  throw invalid(`Amounts in ${currency} must be a multiple of ${step}.`, {
    code: "parameter_invalid_integer",
    param: "amount",
  });
}
