import { PaymentsError } from "@turnpike/payments/protocol";
import type { Ports } from "../ports.ts";
import type { PlanRecord } from "../records.ts";

/** A test card: every charge succeeds. */
const TEST_CARD = "pm_card_visa";

/**
 * The account's test customer, made on first use: who pays for its test runs in the sandbox, so that none of them
 * changes the account's own balances, permissions or figures. Throws `not_found` in live.
 *
 * `const { address } = await testCustomerOf(ports, account)`
 */
export async function testCustomerOf(ports: Ports, account: string): Promise<{ address: string }> {
  const { accounts, addresses, clock, crypto, environment } = ports;
  if (environment !== "sandbox") {
    throw new PaymentsError("not_found", "Test customers exist in the sandbox only.");
  }
  const known = await accounts.findTestCustomer(account);
  if (known) return known;
  const { address: owner, sealedKey: ownerKey } = crypto.createKey("account-owner");
  await accounts.ensure({
    address: addresses.addressOf(owner),
    owner,
    ownerKey,
    isOperator: false,
    name: "Test customer",
    testOf: account,
    createdAt: await clock.now(),
  });
  // Of two that are made at the same time, the first one stays.
  const made = await accounts.findTestCustomer(account);
  if (!made) throw new PaymentsError("not_found", `There is no account ${account}.`);
  await giveTestMoney(ports, made.address);
  return made;
}

/** Gives an account of the sandbox test dollars and, when it has no card, a test card. Repeatable. */
export async function giveTestMoney(
  { faucet, cards }: Pick<Ports, "faucet" | "cards">,
  account: string,
  wanted: { native: boolean; usdcAtLeast?: bigint } = { native: false },
): Promise<void> {
  await faucet?.fund(account, { usdc: true, ...wanted });
  if (cards && (await cards.listPaymentMethods(account)).length === 0) {
    await cards.saveCard(account, TEST_CARD);
  }
}

/** Gives a test customer what one order of a plan costs; the order itself reports what could not be given. */
export async function fundTestCustomer(
  ports: Ports,
  account: string,
  { price }: Pick<PlanRecord, "price">,
): Promise<void> {
  const rail = ports.rails.getByPrice(price);
  const { total, currency } = rail.quote(price);
  if (total === 0n) return;
  const inDollars = !rail.usesPaymentMethods && { usdcAtLeast: total };
  await giveTestMoney(ports, account, {
    native: currency === null,
    ...(currency !== null && inDollars),
  }).catch((cause) => ports.log.warn({ cause: String(cause) }, "no test money was given"));
}

/** How long the permission of a run lasts when nothing ends it. */
const RUN_SECS = 600;

/** What a run mints its token with: one call, at most one order of the plan, ten minutes. */
export function mintOfRun({ rails }: Pick<Ports, "rails">, { price }: Pick<PlanRecord, "price">) {
  const { total, cents } = rails.getByPrice(price).quote(price);
  return {
    redemptionLimit: 1,
    orderLimit: total,
    delegationConfig: { spendingLimitCents: cents, durationSecs: RUN_SECS, name: "A single call" },
  };
}
