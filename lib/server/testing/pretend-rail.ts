import { type CardSetup, CHAIN_NETWORKS, PaymentsError } from "@turnpike/payments/protocol";
import { cardTerms } from "@/lib/adapters/cards/card-terms.ts";
import { createCryptoTerms, stableTokensOf } from "@/lib/adapters/chain/crypto-terms.ts";
import type { Deployment } from "@/lib/adapters/chain/deployment.ts";
import { planDeployment } from "@/lib/adapters/chain/deployment-plan.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createAccountPaymentJournal } from "@/lib/adapters/db/money/account-payments.ts";
import type { CardProcessor } from "@/lib/domain/card-ports.ts";
import type { ExactChain } from "@/lib/domain/exact/exact-ports.ts";
import type { Rail, RailTerms } from "@/lib/domain/rails/rail.ts";
import { type CashRail, createCashRail } from "@/lib/domain/testing/cash-rail.ts";
import type { ServiceParts } from "../services.ts";

export type MoneyOut = Pick<
  ServiceParts,
  "payoutProcessor" | "stablecoin" | "accountPayments" | "platformFee" | "withdrawalWaitSecs"
>;

let planned: Deployment | undefined;

/** The contracts of a test's service, at the addresses they would have. Each address is a hash of code, so they are found once. */
export const testDeployment = (): Deployment => {
  planned ??= planTestDeployment();
  return { ...planned };
};

function planTestDeployment(): Deployment {
  const admin = "0x1111111111111111111111111111111111111111";
  const roles = { admin, pauser: admin, operator: admin } as const;
  return planDeployment({
    chainId: 84532,
    roles,
    sandbox: true,
    framework: "own",
    hasTestDollar: true,
  }).deployment;
}

export const testCryptoTerms = (): RailTerms =>
  createCryptoTerms({
    network: CHAIN_NETWORKS.sandbox,
    stableTokens: stableTokensOf(testDeployment()),
  });

/** A rail with the terms of a real one, on chain by default, that moves pretend cash and looks nothing up. */
export function createPretendRail(
  terms: RailTerms = testCryptoTerms(),
  options: { delayMs?: () => number } = {},
): CashRail {
  const { lookUp: _, refund: __, ...rail } = createCashRail(terms, options);
  return {
    ...rail,
    refundPayment: async ({ account: to }, { refundId: paymentId, amount, owner: account }) => {
      const { plans, usdc: token = plans } = testDeployment();
      return { kind: "refund", paymentId, account, token, to, amount };
    },
  };
}

/** The rails given, and pretend ones in place of the real ones that are missing. */
export const completeRails = (rails: readonly Rail[]): Rail[] => [
  ...rails,
  ...[testCryptoTerms(), cardTerms]
    .filter(({ scheme }) => rails.every((rail) => rail.scheme !== scheme))
    .map((terms) => createPretendRail(terms)),
];

async function pretendSetup(account: string, id = `seti_${account}`): Promise<CardSetup> {
  if (id !== `seti_${account}`) throw noSuchCard();
  const forPage = { clientSecret: `${id}_secret`, publishableKey: "pk_test_pretend" };
  return { setupIntentId: id, status: "succeeded", paymentMethodId: `pm_${account}`, ...forPage };
}

async function requirePretendCard(account: string, id: string): Promise<void> {
  if (id !== `pm_${account}`) throw noSuchCard();
}

const noSuchCard = () => new PaymentsError("not_found", "You have no such saved card.");

/** A wallet with one card in it for each account, named by the account; nothing changes it. */
export const pretendCards: CardProcessor = {
  startCard: (account) => pretendSetup(account),
  finishCard: pretendSetup,
  saveCard: (account) => pretendSetup(account),
  removeCard: requirePretendCard,
  setDefaultCard: requirePretendCard,
  listPaymentMethods: async (account) => [
    {
      id: `pm_${account}`,
      type: "card",
      brand: "visa",
      last4: "4242",
      expMonth: 12,
      expYear: 2040,
      isDefault: true,
    },
  ],
};

/** A chain on which every authorization is good and every capture succeeds. */
export function pretendExact(): ExactChain {
  const { plans, usdc = plans } = testDeployment();
  return {
    network: "eip155:84532",
    takesPayments: true,
    asset: usdc,
    floor: 0n,
    mostGas: 0,
    check: async ({ value }) => ({
      fault: null,
      balance: value,
      block: 1n,
      gas: 0,
      runsCode: false,
    }),
    capture: async ({ id }) => ({ status: "paid", reference: `0x${id}` }),
    sign: async ({ account, asset, payTo, value, secs }) => {
      const now = BigInt(Math.floor(Date.now() / 1000));
      const times = { validAfter: now - 600n, validBefore: now + BigInt(secs) };
      const signed = { nonce: `0x${"0".repeat(64)}`, signature: "0x" };
      return {
        payment: { payer: account, asset, payTo, value, ...times, ...signed },
        balance: value * 1_000_000n,
        block: 1n,
      };
    },
    findCapture: async ({ id }) => ({ status: "paid", reference: `0x${id}` }),
  };
}

const DAY_MS = 86_400_000;

/** Stablecoin without a chain and payouts without a processor: everything that is sent arrives. */
export function pretendMoneyOut(database: Database): Required<MoneyOut> {
  const journal = createAccountPaymentJournal(database.orm);
  const { plans, usdc = plans } = testDeployment();
  return {
    stablecoin: {
      token: usdc,
      currency: "usdc",
      balanceOf: async () => ({ amount: 1_000_000_000n, block: 1n }),
      readDeposits: async () => new Date("9999-01-01"),
      followDeposits: async () => true,
      isOwnContract: (address) => address === plans,
    },
    accountPayments: {
      async pay(payment) {
        await journal.open(payment, { operationHash: `0x${payment.paymentId}`, sinceBlock: 1n });
        const paid = { status: "paid" as const, txHash: `0x${payment.paymentId}` };
        await journal.close(payment.paymentId, paid);
        return paid;
      },
    },
    payoutProcessor: {
      openAccount: async (account) => `acct_${account}`,
      onboardingUrl: async () => "https://processor.example/setup",
      readAccount: async () => ({ status: "active", missing: [], currencies: null }),
      step: () => 10_000n,
      cleared: async () => 10n ** 18n,
      clearingOf: async () => ({ currency: "usd", availableOn: new Date(0) }),
      transfer: async ({ payoutId }) => ({ reference: `tr_${payoutId}` }),
      payOut: async ({ payoutId }) => ({
        reference: `po_${payoutId}`,
        arrivesAt: new Date(Date.now() + DAY_MS),
      }),
      readPayout: async () => ({ status: "sent" }),
      takeBack: async () => {},
      transferredTo: async () => [],
    },
    platformFee: { defaultBps: 0, byController: new Map() },
    withdrawalWaitSecs: 0,
  };
}
