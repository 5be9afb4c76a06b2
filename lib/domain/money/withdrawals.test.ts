import { randomBytes } from "node:crypto";
import { PaymentsError, ZERO_ADDRESS } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createAccountPaymentJournal } from "@/lib/adapters/db/money/account-payments.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import type { AccountPaymentOutcome, AccountPayments } from "./account-payments.ts";
import type { Stablecoin } from "./balance-ports.ts";
import { resolveWithdrawals } from "./withdrawals.ts";

const TOKEN = "0x00000000000000000000000000000000000000CC";
const CONTRACT = "0x00000000000000000000000000000000000000C0";
const OTHER = "0x00000000000000000000000000000000000000Ad";

describe.each(ruleStores())("withdrawals, $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  const held = new Map<string, bigint>();
  const moved = new Set<string>();
  const paid: string[] = [];
  let next: (() => Promise<AccountPaymentOutcome>) | undefined;
  /** How many of the next payments find the chain's node away. */
  let broken = 0;
  /** What happens while the chain is asked for a balance. */
  let whileRead: (() => Promise<unknown>) | undefined;

  const stablecoin: Stablecoin = {
    token: TOKEN,
    currency: "usdc",
    balanceOf: async (account) => {
      const amount = held.get(account) ?? 0n;
      await whileRead?.();
      return { amount, block: 1n };
    },
    readDeposits: async () => new Date("9999-01-01"),
    followDeposits: async () => true,
    isOwnContract: (address) => address === CONTRACT,
  };
  /** Pays at once, unless a test says otherwise. */
  const accountPayments: AccountPayments = {
    async pay(payment) {
      if (broken > 0) {
        broken -= 1;
        throw new Error("eth_blockNumber: connection refused");
      }
      const journal = createAccountPaymentJournal(database.orm);
      const row = await journal.open(payment, { operationHash: "0xabc", sinceBlock: 1n });
      if (row.state === "paid") return { status: "paid", txHash: row.txHash ?? "" };
      const outcome = next
        ? await next()
        : { status: "paid" as const, txHash: `0x${payment.paymentId}` };
      if (outcome.status === "open") return outcome;
      const sent = { sender: CONTRACT, nonce: 1, hash: "0xabc" };
      if (!(await journal.noteSending(payment.paymentId, sent)))
        return { status: "open", txHash: null };
      // As on a chain, the money has moved before its payment is closed.
      if (outcome.status === "paid" && !moved.has(payment.paymentId)) {
        moved.add(payment.paymentId);
        held.set(payment.account, (held.get(payment.account) ?? 0n) - payment.amount);
      }
      if (!(await journal.close(payment.paymentId, outcome)))
        return { status: "open", txHash: null };
      if (outcome.status === "paid") paid.push(payment.paymentId);
      return outcome;
    },
  };

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, { moneyOut: { stablecoin, accountPayments } });
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** An account with stablecoin and an address that can be used. */
  async function owner(amount = 100n): Promise<TestParty> {
    const party = await service.party();
    held.set(party.address, amount);
    await party.money.addWithdrawalAddress({ address: OTHER, name: "Treasury" });
    await service.ports.clock.advance(86_401);
    return party;
  }
  const withdraw = (
    { payments }: TestParty,
    given: Partial<Parameters<typeof payments.money.createWithdrawal>[0]> = {},
  ) => payments.money.createWithdrawal({ currency: "usdc", amount: 10n, to: OTHER, ...given });
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => "accepted",
      (cause: unknown) =>
        PaymentsError.is(cause) ? `${cause.code}: ${cause.message}` : String(cause),
    );

  const noted = ({ address }: TestParty) =>
    database.query("select from audit where account = $1 and action = 'withdrawal.create'", [
      address,
    ]);

  test("are answered with their transaction and leave the balance", async () => {
    const party = await owner();
    const done = await withdraw(party, { currency: "USDC" });
    expect(done).toEqual({
      withdrawalId: expect.any(String),
      status: "paid",
      txHash: expect.stringMatching(/^0x/),
    });
    const { currencies } = await party.payments.money.getBalance({});
    expect(currencies).toEqual([
      { currency: "usdc", available: "90", pending: "0", reserved: "0", owed: "0" },
    ]);
    const { items } = await party.money.listWithdrawalAddresses({});
    expect(items).toMatchObject([{ address: OTHER, name: "Treasury", uses: 1 }]);
    expect((await party.money.listMovements({})).items).toMatchObject([
      { kind: "withdrawal", amount: "-10", party: OTHER },
    ]);
  });

  test("wait a day after an address was added, and adding it again changes nothing", async () => {
    const party = await service.party();
    held.set(party.address, 100n);
    const [first] = (await party.money.addWithdrawalAddress({ address: OTHER })).items;
    expect(first?.isUsable).toBe(false);
    expect(await refusal(withdraw(party))).toContain("You can withdraw to it from");
    await service.ports.clock.advance(43_200);
    const [again] = (await party.money.addWithdrawalAddress({ address: OTHER })).items;
    expect(again?.usableAt).toBe(first?.usableAt);
    await service.ports.clock.advance(43_201);
    expect(await withdraw(party)).toMatchObject({ status: "paid" });
    await party.money.removeWithdrawalAddress({ address: OTHER });
    expect(await refusal(withdraw(party))).toContain("not on your list");
  });

  test("are refused once their address was removed, also while the balance is read", async () => {
    const party = await owner();
    whileRead = async () => {
      whileRead = undefined;
      const { items } = await party.money.removeWithdrawalAddress({ address: OTHER });
      expect(items).toEqual([]);
    };
    expect(await refusal(withdraw(party))).toContain("is not on your list");
    expect(held.get(party.address)).toBe(100n);
    expect(await noted(party)).toEqual([]);
    const { currencies } = await party.payments.money.getBalance({});
    expect(currencies[0]).toMatchObject({ available: "100", reserved: "0" });
  });

  test("have an own answer for each bad input, and nothing is sent", async () => {
    const party = await owner();
    const before = paid.length;
    const add = (address: string) => refusal(party.money.addWithdrawalAddress({ address }));
    expect(await refusal(withdraw(party, { amount: 101n }))).toContain("payment_refused");
    expect(await refusal(withdraw(party, { amount: 0n }))).toContain("more than 0");
    expect(await refusal(withdraw(party, { currency: "usd" }))).toContain("Only USDC");
    expect(await refusal(withdraw(party, { to: ZERO_ADDRESS }))).toContain("zero address");
    expect(await refusal(withdraw(party, { to: CONTRACT }))).toContain("contracts");
    expect(await refusal(withdraw(party, { to: party.address }))).toContain("own address");
    expect(await refusal(withdraw(party, { to: TOKEN }))).toContain("not on your list");
    expect(await add(ZERO_ADDRESS)).toContain("zero address");
    expect(await add(CONTRACT)).toContain("contracts");
    const wallet = await service.party({ walletKey: `0x${randomBytes(32).toString("hex")}` });
    held.set(wallet.address, 100n);
    await wallet.money.addWithdrawalAddress({ address: OTHER });
    await service.ports.clock.advance(86_401);
    expect(await refusal(withdraw(wallet))).toContain("signature_required");
    expect(paid.length).toBe(before);
  });

  test("never come to more than the account holds, however many are requested at once", async () => {
    const party = await owner(35n);
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => withdraw(party)));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(held.get(party.address)).toBe(5n);
    expect(await noted(party)).toHaveLength(3);
  });

  test("are one per idempotency key; another withdrawal under it is a conflict", async () => {
    const party = await owner();
    const idempotencyKey = randomBytes(8).toString("hex");
    const same = await Promise.all([1, 2, 3].map(() => withdraw(party, { idempotencyKey })));
    expect(new Set(same.map(({ withdrawalId }) => withdrawalId)).size).toBe(1);
    expect(held.get(party.address)).toBe(90n);
    expect(await refusal(withdraw(party, { idempotencyKey, amount: 11n }))).toContain(
      "idempotency_conflict",
    );
    const all = await Promise.all(
      [1, 2, 3].map(() =>
        withdraw(party, { idempotencyKey: `all-${idempotencyKey}`, amount: 90n }),
      ),
    );
    expect(new Set(all.map(({ withdrawalId }) => withdrawalId)).size).toBe(1);
    expect(held.get(party.address)).toBe(0n);
  });

  test("are never made for a payment to a seller that has the same idempotency key", async () => {
    const party = await owner();
    const before = paid.length;
    const idempotencyKey = randomBytes(8).toString("hex");
    const paymentId = randomBytes(8).toString("hex");
    const { address: account } = party;
    const [balanceAt, sent] = [await service.ports.clock.now(), { token: TOKEN, to: OTHER }];
    await service.ports.money.beginPayment(
      {
        paymentId,
        kind: "exact",
        account,
        ...sent,
        amount: 10n,
        idempotencyKey,
        balance: 100n,
        balanceAt,
      },
      {
        account,
        keyId: null,
        action: "authorization.create",
        subject: paymentId,
        requestId: "test",
      },
    );
    expect(await refusal(withdraw(party, { idempotencyKey }))).toContain("idempotency_conflict");
    expect(paid.length).toBe(before);
    expect(held.get(account)).toBe(100n);
  });

  test("stay open and reserved while the outcome is unknown, and are looked at again", async () => {
    const party = await owner();
    next = async () => ({ status: "open", txHash: null });
    const begun = await withdraw(party);
    expect(begun).toEqual({ withdrawalId: expect.any(String), status: "open" });
    const { currencies } = await party.payments.money.getBalance({});
    expect(currencies[0]).toMatchObject({ available: "90", reserved: "10" });
    expect(await refusal(withdraw(party, { amount: 91n }))).toContain("0.00009 USDC is available");
    next = undefined;
    await service.ports.clock.advance(61);
    await resolveWithdrawals(service.ports);
    expect(paid).toContain(begun.withdrawalId);
    expect(held.get(party.address)).toBe(90n);
  });

  test("are under way when paying fails after they were begun, and are paid exactly once", async () => {
    const party = await owner();
    const before = paid.length;
    const idempotencyKey = "node-is-down";
    // The first call of a chain's node, before anything is written beside the payment.
    broken = 2;
    const begun = await withdraw(party, { idempotencyKey });
    expect(begun).toEqual({ withdrawalId: expect.any(String), status: "open" });
    expect(await withdraw(party, { idempotencyKey })).toEqual(begun);
    const { currencies } = await party.payments.money.getBalance({});
    expect(currencies[0]).toMatchObject({ available: "90", reserved: "10" });
    expect(paid.length).toBe(before);

    await service.ports.clock.advance(61);
    await resolveWithdrawals(service.ports);
    await service.ports.clock.advance(61);
    await resolveWithdrawals(service.ports);
    expect(paid.slice(before)).toEqual([begun.withdrawalId]);
    expect(held.get(party.address)).toBe(90n);
    // A repeat says what is known, also while the node is away.
    broken = 1;
    const repeated = await withdraw(party, { idempotencyKey });
    expect(repeated).toMatchObject({ withdrawalId: begun.withdrawalId, status: "paid" });
    expect(repeated.txHash).toBe(`0x${begun.withdrawalId}`);
  });

  test("wait while the operator has the account stopped, unless they were sent", async () => {
    const [party, other] = [await owner(), await owner()];
    next = async () => ({ status: "open", txHash: null });
    const waiting = await withdraw(party);
    const sent = await withdraw(other);
    next = undefined;
    const journal = createAccountPaymentJournal(database.orm);
    await journal.noteSending(sent.withdrawalId, { sender: CONTRACT, nonce: 1, hash: "0xdef" });
    const stop = "update accounts set stopped_at = app_now() where address in ($1, $2)";
    await database.query(stop, [party.address, other.address]);
    const look = async () => {
      await service.ports.clock.advance(61);
      await resolveWithdrawals(service.ports);
      return [waiting, sent].map(({ withdrawalId }) => paid.includes(withdrawalId));
    };
    expect(await look()).toEqual([false, true]);
    await database.query("update accounts set stopped_at = null", []);
    expect(await look()).toEqual([true, true]);
  });

  test("wait for an account that is stopped while others' are paid", async () => {
    const parties = [await owner(), await owner()];
    next = async () => ({ status: "open", txHash: null });
    const begun = await Promise.all(parties.map((party) => withdraw(party)));
    await service.ports.clock.advance(61);
    next = async () => {
      next = undefined;
      await database.query("update accounts set stopped_at = app_now()", []);
      return { status: "paid", txHash: "0x1" };
    };
    await resolveWithdrawals(service.ports);
    const isPaid = () => begun.filter(({ withdrawalId }) => paid.includes(withdrawalId)).length;
    expect(isPaid()).toBe(0);
    await database.query("update accounts set stopped_at = null", []);
    await service.ports.clock.advance(61);
    await resolveWithdrawals(service.ports);
    expect(isPaid()).toBe(2);
  });
});
