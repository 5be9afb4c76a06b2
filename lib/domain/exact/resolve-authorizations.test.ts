import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { pretendExact } from "@/lib/server/testing/pretend-rail.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { resolveAuthorizations } from "./resolve-authorizations.ts";

/** The chain is pretended: it says which sellers have captured, what accounts have, and what it was asked. */
describe.each(ruleStores())("open authorizations on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  const captured = new Set<string>();
  const asked = { captures: 0, signatures: 0 };
  let balance = 0n;

  beforeAll(async () => {
    database = await open();
    const chain = pretendExact();
    service = createTestService(database, {
      exact: {
        ...chain,
        async sign(transfer) {
          asked.signatures += 1;
          return { ...(await chain.sign(transfer)), balance };
        },
        async findCapture({ id, payTo }) {
          asked.captures += 1;
          const isCaptured = captured.has(payTo.toLowerCase());
          return isCaptured ? { status: "paid", reference: `0x${id}` } : null;
        },
      },
    });
  });
  beforeEach(() => {
    captured.clear();
    balance = 1_000_000n;
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const newSeller = () => `0x${randomBytes(20).toString("hex")}`;

  const offerOf = (amount: bigint, payTo: string) => ({
    scheme: "exact",
    network: "eip155:84532",
    amount: amount.toString(),
    asset: service.ports.exact?.asset ?? "",
    payTo,
    maxTimeoutSeconds: 300,
    extra: { name: "USDC", version: "2" },
  });

  /** Signs payments of an account, all under one delegation. */
  async function payer() {
    const party: TestParty = await service.party();
    const { delegationId } = await party.payments.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 100_000_000n,
      durationSecs: 3600,
    });
    return (
      amount: bigint,
      payTo = newSeller(),
      idempotencyKey = randomBytes(16).toString("hex"),
    ) =>
      party.payments.x402.createAuthorization({
        idempotencyKey,
        offer: offerOf(amount, payTo),
        resource: "https://seller.example/quote",
        delegationConfig: { delegationId },
      });
  }
  const repeat = (times: number, act: () => Promise<unknown>) =>
    Promise.all(Array.from({ length: times }, act));

  test("accounts take turns at what is due", async () => {
    const [many, one] = [await payer(), await payer()];
    await repeat(3, () => many(1n));
    const { authorizationId } = await one(1n);
    await service.ports.clock.advance(10);
    const { accountPaymentJournal: journal } = service.ports;
    const ids = (await journal.takeDue("exact", 2)).map(({ paymentId }) => paymentId);
    expect(ids).toHaveLength(2);
    expect(ids).toContain(authorizationId);
    expect(await journal.takeDue("exact", 10)).toHaveLength(2);
    expect(await resolveAuthorizations(service.ports)).toBe(0);
  });

  longTest(
    "what one account has open does not delay what another's authorization came to, and rounds go on",
    async () => {
      const [many, one] = [await payer(), await payer()];
      await repeat(60, () => many(1n));
      const seller = newSeller();
      const { authorizationId } = await one(1n, seller);
      captured.add(seller);
      await service.ports.clock.advance(10);
      expect(await resolveAuthorizations(service.ports)).toBe(50);
      const paid = await service.ports.accountPaymentJournal.find(authorizationId);
      expect(paid?.state).toBe("paid");
      expect(await resolveAuthorizations(service.ports)).toBe(11);
      expect(await resolveAuthorizations(service.ports)).toBe(0);
    },
  );

  test("an authorization that the open ones cannot pay for asks the chain for none of them", async () => {
    const sign = await payer();
    await repeat(12, () => sign(1n));
    Object.assign(asked, { captures: 0, signatures: 0 });
    await expect(sign(2_000_000n)).rejects.toMatchObject({ code: "payment_refused" });
    expect(asked).toEqual({ captures: 0, signatures: 1 });
  });

  test("a refused authorization asks the chain for a few of the open ones", async () => {
    const sign = await payer();
    await repeat(20, () => sign(1n));
    asked.captures = 0;
    await expect(sign(1_000_000n)).rejects.toMatchObject({ code: "payment_refused" });
    expect(asked.captures).toBe(10);
  });

  test("a captured payment that left the balance already does not count twice against the next one", async () => {
    const sign = await payer();
    const seller = newSeller();
    await repeat(12, () => sign(1n));
    await sign(600_000n, seller);
    captured.add(seller);
    balance = 400_000n;
    asked.captures = 0;
    expect(await sign(300_000n)).toMatchObject({ status: "open" });
    // The new one's own state is read, too.
    expect(asked.captures).toBe(2);
  });

  test("an authorization of the whole balance that is asked for twice at once is answered twice", async () => {
    const [sign, seller] = [await payer(), newSeller()];
    const both = await repeat(2, () => sign(balance, seller, "all-of-the-balance"));
    const ids = both.map((each) => (each as { authorizationId: string }).authorizationId);
    expect(ids[1]).toBe(ids[0]);
  });

  test("a limit in a currency that does not count the token is refused, and leaves no delegation", async () => {
    const { payments } = await service.party();
    const pay = (currency: string) =>
      payments.x402.createAuthorization({
        idempotencyKey: randomBytes(16).toString("hex"),
        offer: offerOf(100_000n, newSeller()),
        resource: "https://seller.example/quote",
        delegationConfig: { spendingLimitCents: 5_000n, currency, durationSecs: 3600 },
      });
    for (const currency of ["jpy", "bhd", "eur"]) {
      await expect(pay(currency)).rejects.toMatchObject({
        code: "invalid_input",
        details: [{ path: "delegationConfig.currency" }],
      });
    }
    expect((await payments.delegation.listDelegations()).items).toEqual([]);
    for (const currency of ["usd", "usdc"]) {
      expect(await pay(currency)).toMatchObject({ status: "open" });
    }
  });
});
