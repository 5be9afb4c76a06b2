import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  buildPaymentRequired,
  getDynamicCreditsConfig,
  getErc20PriceConfig,
  getExpirableDurationConfig,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
  ONE_DAY_DURATION,
  type Statement,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type CardFixture, startCardFixture } from "@/lib/adapters/cards/testing/card-fixture.ts";
import { mintToken, openCardShop, settleCard } from "@/lib/adapters/cards/testing/card-shop.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { invoiceDownload } from "@/lib/server/documents/invoice-pdf.ts";
import { decimalOf, shownAmount } from "@/lib/server/documents/money-text.ts";
import { readCsv, readPdf } from "@/lib/server/documents/testing/read-files.ts";
import {
  createMarket,
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { actingFor } from "../context.ts";
import { refreshOrder } from "../orders/resolve-orders.ts";
import type { Stablecoin } from "./balance-ports.ts";
import { getStatement, listStatements, sumStatements } from "./statements.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");
const HOSTILE = '=cmd|"/c calc"!A1,\u202Egpj.exe\u0007 Ωмега עברית 中';
const RECEIVER = "0x000000000000000000000000000000000000dEaD";
const SETTLES = inFull(10_000, 150);

describe.each(ruleStores())("statements on $name", ({ open }) => {
  let database: Database;
  let fixture: CardFixture;
  let service: TestService;
  let month: string;

  beforeAll(async () => {
    [database, fixture] = await Promise.all([open(), startCardFixture()]);
    service = createTestService(database, {
      rails: [fixture.rail],
      cards: fixture.cards,
      moneyOut: {
        payoutProcessor: fixture.payouts,
        platformFee: { defaultBps: 250, byController: new Map() },
      },
    });
    month = (await service.ports.clock.now()).toISOString().slice(0, 7);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
    await fixture.close();
  });

  /** Its second day: a number of days passes over a whole month at the end of some. */
  async function toNextMonth(): Promise<void> {
    const { clock } = service.ports;
    const now = await clock.now();
    const day = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 2);
    await clock.advance(Math.ceil((day - now.getTime()) / 1000));
  }

  const fileOf = async (party: TestParty, format: string, of = month) =>
    service.call(party, "GET", `/statements/${of}?format=${format}`);
  const sumIn = async (sql: string, parameters: unknown[]) =>
    (await database.query<{ sum: bigint | null }>(sql, parameters))[0]?.sum ?? 0n;

  /** A builder and a subscriber, both with a hostile name, after a sale of each kind of end. */
  async function trade() {
    const shop = await openCardShop(service, { credits: getDynamicCreditsConfig(10n, 1n, 10n) });
    const { builder, subscriber, planId } = shop;
    for (const { address } of [builder, subscriber]) {
      await database.query("update accounts set name = $2 where address = $1", [address, HOSTILE]);
    }
    const order = () => subscriber.payments.plans.orderPlan(planId);
    const [first, second, third] = [await order(), await order(), await order()];
    const { accessToken } = await mintToken(shop);
    for (let call = 0; call < 3; call += 1) await settleCard(service, shop, accessToken);
    await builder.payments.money.createRefund({ orderId: first.orderId, amount: 2_500_000n });
    fixture.processor.controls.openDispute(second.txHash ?? "", "fraudulent");
    await refreshOrder(service.ports, second.orderId);
    await builder.payments.money.createPayoutAccount({});
    const setup = await service.ports.payouts.findAccount(builder.address);
    fixture.processor.controls.onboard(setup?.processorAccount ?? "", "complete");
    await builder.payments.money.createPayout({ currency: "usd" });
    return { ...shop, orders: [first, second, third] };
  }

  test("a time pass is listed as a pass, not as a credit", async () => {
    const credits = getExpirableDurationConfig(30n * ONE_DAY_DURATION);
    const shop = await openCardShop(service, { credits, isTimePlan: true });
    await shop.subscriber.payments.plans.orderPlan(shop.planId);
    for (const [party, section, title] of [
      [shop.subscriber, "credits", "Time pass of"],
      [shop.builder, "credits-sold", "Time passes that subscribers hold of"],
    ] as const) {
      const { sections } = await party.payments.money.getStatement(month);
      const entries = [{ kind: "order", amount: "1", currency: "passes" }];
      expect(sections.filter((each) => each.section === section)).toMatchObject([
        { currency: "passes", closing: "1", entries },
      ]);
      const rows = readCsv(await (await fileOf(party, "csv")).text());
      const listed = rows.filter((row) => row.section === section);
      expect(listed.map(({ currency, amount }) => `${amount} ${currency}`)).toEqual([
        ...["0 passes", "1 passes", "1 passes"],
      ]);
      const pdf = new Uint8Array(await (await fileOf(party, "pdf")).arrayBuffer());
      expect((await readPdf(pdf)).flat().join(" ")).toContain(title);
    }
  });

  test("a statement has every entry, per currency and plan, and adds up to the ledger", async () => {
    const { builder, subscriber, planId, orders } = await trade();
    const sold = await builder.payments.money.getStatement(month);
    const bought = await subscriber.payments.money.getStatement(month);
    for (const { sections } of [sold, bought]) {
      for (const { opening, closing, entries } of sections) {
        const sum = entries.reduce((total, { amount }) => total + BigInt(amount), BigInt(opening));
        expect(sum.toString()).toBe(closing);
      }
    }
    const owed = await sumIn(
      "select sum(payable_sign(kind) * amount) as sum from payables where owner = $1",
      [builder.address],
    );
    const left = await sumIn(
      "select sum(available + held) as sum from balances where account = $1",
      [subscriber.address],
    );
    expect(sold).toMatchObject({ month, isClosed: false, account: builder.address });
    const kinds = sold.sections.map(({ section, currency, entries }) => [
      section,
      currency,
      entries.map(({ kind }) => kind).join(" "),
    ]);
    expect(kinds).toEqual([
      ["balance", "usd", "sale fee sale fee sale fee refund chargeback payout"],
      ["credits-sold", "credits", "order order order settled settled settled refund refund"],
    ]);
    expect(sold.sections.map(({ closing }) => closing)).toEqual([owed, left].map(String));
    expect(sold.sections[0]?.entries.map(({ invoiceNumber }) => invoiceNumber)).toEqual([
      ...[1, 1, 2, 2, 3, 3, 1, 2],
      undefined,
    ]);
    expect(bought.sections).toMatchObject([
      { section: "card-payments", currency: "usd", opening: "0", closing: "-7500000" },
      { section: "credits", planId, closing: left.toString() },
    ]);
    expect(bought.sections[0]?.entries.map(({ orderId }) => orderId)).toEqual(
      [0, 1, 2, 0, 1].map((index) => orders[index]?.orderId),
    );
  });

  test("a sale, its fee and its invoice have one time", async () => {
    const { builder, subscriber, orders } = await trade();
    const issued = await Promise.all(
      orders.map(
        async ({ orderId }) => (await builder.payments.money.getInvoice(orderId)).issuedAt,
      ),
    );
    const timesOf = async ({ payments }: TestParty, kinds: string[]) =>
      (await payments.money.getStatement(month)).sections
        .slice(0, 1)
        .flatMap(({ entries }) => entries.filter(({ kind }) => kinds.includes(kind)))
        .map(({ at }) => at);
    expect(await timesOf(builder, ["sale", "fee"])).toEqual(issued.flatMap((at) => [at, at]));
    expect(await timesOf(subscriber, ["order"])).toEqual(issued);
  });

  test("credits that a chargeback could not take back are owed, and repaid or forgiven", async () => {
    const shop = await openCardShop(service, { credits: getDynamicCreditsConfig(10n, 1n, 10n) });
    const { builder, subscriber, planId } = shop;
    const order = () => subscriber.payments.plans.orderPlan(planId);
    const disputed = async () => {
      const { orderId, txHash } = await order();
      const { accessToken } = await mintToken(shop);
      for (let call = 0; call < 4; call += 1) await settleCard(service, shop, accessToken);
      const disputeId = fixture.processor.controls.openDispute(txHash ?? "", "fraudulent");
      await refreshOrder(service.ports, orderId);
      return { orderId, disputeId };
    };
    const creditsOf = async (party: TestParty, name: string) => {
      const { sections } = await party.payments.money.getStatement(month);
      const { entries = [], closing = "0" } =
        sections.find(({ section }) => section === name) ?? {};
      const lines = entries.map(({ kind, amount }) => `${kind} ${amount}`);
      expect(String(entries.reduce((sum, { amount }) => sum + BigInt(amount), 0n))).toBe(closing);
      return [...lines.filter((line) => !line.startsWith("settled")), closing];
    };
    const { orderId, disputeId } = await disputed();
    const taken = ["order 10", "refund -6", "refund -4", "debt 4"];
    expect(await creditsOf(subscriber, "credits")).toEqual([...taken, "0"]);
    fixture.processor.controls.endDispute(disputeId, "won");
    await refreshOrder(service.ports, orderId);
    const restored = ["credits-restored 4", "debt-forgiven -4", "credits-restored 6"];
    expect(await creditsOf(subscriber, "credits")).toEqual([...taken, ...restored, "6"]);
    expect(await creditsOf(builder, "credits-sold")).toEqual([...taken, ...restored, "6"]);
  });

  test("CSV and PDF say what JSON says, and hostile names are harmless in both", async () => {
    const { builder } = await trade();
    const answers = await Promise.all(["json", "csv", "pdf"].map((one) => fileOf(builder, one)));
    expect(answers.map(({ headers }) => headers.get("content-type"))).toEqual([
      "application/json",
      "text/csv; charset=utf-8",
      "application/pdf",
    ]);
    const [json, csv, pdf] = answers;
    const statement: Statement = await json?.json();
    const rows = readCsv((await csv?.text()) ?? "");
    const lines = statement.sections.flatMap(({ section, currency, opening, entries, closing }) => [
      [section, currency, "opening", opening],
      ...entries.map(({ kind, amount }) => [section, currency, kind, amount]),
      [section, currency, "closing", closing],
    ]);
    expect(
      rows.map(({ section, currency, kind, amountInSmallestUnits }) => [
        section,
        currency,
        kind,
        amountInSmallestUnits,
      ]),
    ).toEqual(lines);
    expect(
      rows.map(({ currency = "", amountInSmallestUnits = "" }) =>
        decimalOf(amountInSmallestUnits, currency),
      ),
    ).toEqual(rows.map(({ amount }) => amount));
    const names = new Set(rows.map(({ partyName }) => partyName));
    expect([...names].filter(Boolean)).toEqual([`'=cmd|"/c calc"!A1, gpj.exe  Ωмега עברית 中`]);

    const texts = (await readPdf(new Uint8Array((await pdf?.arrayBuffer()) ?? []))).flat();
    expect(texts.filter((text) => /^−?\d+(\.\d+)?$/.test(text) && !/^[1-9]$/.test(text))).toEqual(
      lines
        .map(([, currency, , amount]) => shownAmount(amount ?? "", currency ?? ""))
        .filter((text) => !/^[1-9]$/.test(text)),
    );
    const all = texts.join("\n");
    expect(all).toContain("This month is not closed");
    expect(all).toContain("Ωмега");
    expect(all).not.toMatch(/\p{Cc}(?<!\n)|\u202E/u);
  });

  test("each order has an invoice for its two sides alone, as JSON and PDF", async () => {
    const { builder, subscriber, planId, orders } = await trade();
    const [first] = orders;
    const orderId = first?.orderId ?? "";
    const invoice = await subscriber.payments.money.getInvoice(orderId);
    expect(invoice).toMatchObject({
      number: 1,
      orderId,
      planId,
      seller: { address: builder.address },
      buyer: { address: subscriber.address },
      amount: "5000000",
      refunded: "2500000",
      currency: "usd",
    });
    expect(await builder.payments.money.getInvoice(first?.txHash ?? "")).toEqual(invoice);
    const stranger = await service.party();
    await expect(stranger.payments.money.getInvoice(orderId)).rejects.toMatchObject({
      code: "not_found",
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of invoiceDownload(invoice).chunks) chunks.push(chunk as Uint8Array);
    const [page] = await readPdf(new Uint8Array(Buffer.concat(chunks)));
    expect(page).toEqual(expect.arrayContaining(["Invoice 1", "Paid: 5.00 USD", "By card"]));
    expect(page).toContain(builder.address);
    expect(page?.join("\n")).toContain("[…]");
  });

  test("a month that has not begun is refused, and one before the first entry is empty", async () => {
    const party = await service.party();
    expect(await party.payments.money.getStatement("2020-02")).toMatchObject({
      from: "2020-02-01T00:00:00.000Z",
      to: "2020-03-01T00:00:00.000Z",
      isClosed: true,
      sections: [],
    });
    for (const [wrong, message] of [
      ["2099-12", "2099-12 has not begun."],
      ["2026-13", "month: Expected a month such as 2026-11."],
      ["2026", "month: Expected a month such as 2026-11."],
    ]) {
      const answer = await service.call(party, "GET", `/statements/${wrong}?format=csv`);
      expect([answer.status, (await answer.json()).message]).toEqual([422, message]);
    }
    expect(await party.money.listStatements()).toEqual({ items: [] });
  });

  test("months close one after the other: each opens with what the one before closed with", async () => {
    const { builder, subscriber, planId } = await trade();
    const [before] = (await builder.money.listStatements()).items;
    expect(before).toMatchObject({ month, isClosed: false });
    await toNextMonth();
    await subscriber.payments.plans.orderPlan(planId);
    const [next, closed] = (await builder.money.listStatements()).items;
    expect(closed).toEqual({ ...before, isClosed: true });
    expect(next).toMatchObject({ isClosed: false, sums: [{ in: "5000000", out: "-120000" }] });
    await sumStatements(service.ports, 1);
    expect((await builder.money.listStatements()).items).toEqual([next, closed]);
    // Sales of the last day are summed once it is over.
    expect(await service.ports.statements.listBusy("", 1)).toContain(builder.address);
    const statement = await builder.payments.money.getStatement(next?.month ?? "");
    expect(statement.sections[0]?.opening).toBe(closed?.sums[0]?.closing);
    expect(statement.sections[0]?.closing).toBe(next?.sums[0]?.closing);
    month = next?.month ?? "";
  });

  test("entries of many plans are read at once, page by page, and none where a month has none", async () => {
    const [builder, subscriber] = await Promise.all([service.party(), service.party()]);
    const units: string[] = [];
    for (let n = 0; n < 4; n++) {
      const { planId } = await builder.payments.plans.registerCreditsPlan(
        { name: `Plan ${n}` },
        getFreePriceConfig(),
        getFixedCreditsConfig(10n),
      );
      for (let order = 0; order < 2; order++) await subscriber.payments.plans.orderPlan(planId);
      units.push(planId);
    }
    const { statements, clock } = service.ports;
    const reads = vi.spyOn(statements, "listEntries");
    const read = async (party: TestParty) => {
      reads.mockClear();
      const { parts } = await getStatement(party.context, { month, format: "json" });
      const texts: string[] = [];
      for await (const part of parts()) {
        if (part.part === "section") texts.push(`${part.section.planId}:`, part.section.opening);
        else texts.push(part.part === "entry" ? part.entry.amount : part.closing);
      }
      return texts;
    };
    const each = (sums: string[]) => units.toSorted().flatMap((unit) => [`${unit}:`, ...sums]);
    for (const party of [builder, subscriber]) {
      expect(await read(party)).toEqual(each(["0", "10", "10", "20"]));
      expect(reads).toHaveBeenCalledTimes(1);
    }
    const [scope, of, page] = reads.mock.calls[0] ?? [];
    if (!scope || !of || !page) throw new Error("The entries were read.");
    const all = await statements.listEntries(scope, of, page);
    const paged: typeof all = [];
    for (let rows = all; rows.length > 0; paged.push(...rows)) {
      rows = await statements.listEntries(scope, of, { after: paged.at(-1), limit: 3 });
    }
    expect(paged).toEqual(all);
    await toNextMonth();
    month = (await clock.now()).toISOString().slice(0, 7);
    expect(await read(builder)).toEqual(each(["20", "20"]));
    expect(reads).not.toHaveBeenCalled();
    reads.mockRestore();
  });

  test(
    `a month with ${SETTLES} entries is streamed in time and in little memory`,
    async () => {
      const market = await createMarket(service, {
        credits: getDynamicCreditsConfig(1_000_000n, 1n, 10n),
      });
      const { builder, planId, agentId, endpoint, token } = market;
      const paymentRequired = buildPaymentRequired({
        planId,
        agentId,
        endpoint,
        httpVerb: "POST",
        scheme: "svc:erc4337",
      });
      const settle = async (first: number) => {
        for (let index = first; index < SETTLES; index += 50) {
          await builder.payments.facilitator.settlePermissions({
            paymentRequired,
            x402AccessToken: token,
            agentRequestId: `statement-${index.toString().padStart(12, "0")}`,
          });
        }
      };
      await Promise.all(Array.from({ length: 50 }, (_, first) => settle(first)));
      const read = async (format: string, each: () => void) => {
        // Processor time, the database's excepted where it is a server: a loaded machine says nothing by its clock.
        const began = process.cpuUsage();
        const reader = (await fileOf(builder, format)).body?.getReader();
        for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
          each();
        const { user, system } = process.cpuUsage(began);
        return Math.round((user + system) / 1_000);
      };
      const heap = () => {
        collectGarbage();
        return process.memoryUsage().heapUsed;
      };
      const times: number[] = [];
      let grown = 0;
      for (const format of ["json", "csv", "pdf"]) {
        times.push(await read(format, () => {}));
        const before = heap();
        let pieces = 0;
        await read(format, () => {
          pieces += 1;
          if (pieces % 40 === 0) grown = Math.max(grown, heap() - before);
        });
      }
      console.log(
        `statement of ${SETTLES} entries: JSON, CSV and PDF in ${times.join(", ")} ms of processor time, heap grew ${Math.round(grown / 2 ** 20)} MiB`,
      );
      expect(Math.max(...times)).toBeLessThan(5_000);
      expect(grown).toBeLessThan(32 * 2 ** 20);
      const statement = await builder.payments.money.getStatement(month);
      const left = await sumIn(
        "select sum(available + held) as sum from balances where plan_id = $1",
        [planId],
      );
      expect(statement.sections).toMatchObject([
        { section: "credits-sold", closing: left.toString() },
      ]);
      expect(statement.sections[0]?.entries).toHaveLength(SETTLES + 1);
    },
    inFull(900_000, 120_000),
  );
});

const AT_ONCE = inFull(300, 30);

describe.each(ruleStores())("invoice numbers on $name", ({ open }) => {
  test(`${AT_ONCE} orders at once of one seller, some of them declined, leave no gap`, async () => {
    const database = await open();
    const service = createTestService(database);
    const { builder, planId } = await createMarket(service, { order: false });
    const { planId: paid } = await builder.payments.plans.registerCreditsPlan(
      { name: "Paid" },
      getFiatPriceConfig(5_000_000n, builder.address),
      getDynamicCreditsConfig(10n, 1n, 10n),
    );
    const buyers = await Promise.all(Array.from({ length: 10 }, () => service.party()));
    const outcomes = await Promise.allSettled(
      Array.from({ length: AT_ONCE }, (_, index) =>
        buyers[index % 10]?.payments.plans.orderPlan(index % 7 === 0 ? planId : paid, {
          ...(index % 7 !== 0 && {
            providerPaymentMethodId:
              index % 5 === 0 ? "pm_nobody" : `pm_${buyers[index % 10]?.address}`,
          }),
        }),
      ),
    );
    expect(outcomes).toHaveLength(AT_ONCE);
    const rows = await database.query<{ number: number }>(
      "select number from invoices where owner = $1 order by number",
      [builder.address],
    );
    const orders = await sumOrders(database, paid);
    expect(rows.map(({ number }) => number)).toEqual(
      Array.from({ length: orders }, (_, index) => index + 1),
    );
    expect(orders).toBeGreaterThan(AT_ONCE / 2);
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  }, 60_000);
});

describe.each(ruleStores())("the invoice of an order on chain, on $name", ({ open }) => {
  test("names the stablecoin that was paid", async () => {
    const database = await open();
    const service = createTestService(database);
    const [usdc = ""] = service.ports.stableTokens.keys();
    const { subscriber, planId } = await createMarket(service, {
      price: getErc20PriceConfig(2_000_000n, usdc, RECEIVER),
    });
    const { orderId } = await subscriber.payments.plans.orderPlan(planId);
    expect(await subscriber.payments.money.getInvoice(orderId)).toMatchObject({
      amount: "2000000",
      currency: "usdc",
    });
    await database.close();
  });
});

describe.each(ruleStores())("the statement of an account on chain, on $name", ({ open }) => {
  test("is answered once all transfers to the account were read", async () => {
    const database = await open();
    let isComplete = false;
    const stablecoin: Stablecoin = {
      token: RECEIVER,
      currency: "usdc",
      balanceOf: async () => ({ amount: 0n, block: 1n }),
      readDeposits: async () => (isComplete ? new Date() : null),
      followDeposits: async () => isComplete,
      isOwnContract: () => false,
    };
    const service = createTestService(database, { moneyOut: { stablecoin } });
    const party = await service.party();
    const ask = () => service.call(party, "GET", "/statements/2020-01?format=json");
    const list = () => service.call(party, "GET", "/statements");
    for (const early of [await ask(), await list()]) {
      expect([early.status, early.headers.get("retry-after")]).toEqual([503, "30"]);
      expect(await early.json()).toMatchObject({ code: "unavailable" });
    }
    isComplete = true;
    expect(await (await ask()).json()).toMatchObject({ isClosed: true });
    expect((await list()).status).toBe(200);
    await database.close();
  });
});

describe.each(ruleStores())("statements while the chain can't be read, on $name", ({ open }) => {
  test("are not closed, because transfers may be missing", async () => {
    const database = await open();
    let isAway = false;
    let read = new Date("9999-01-01");
    const stablecoin: Stablecoin = {
      token: RECEIVER,
      currency: "usdc",
      balanceOf: async () => ({ amount: 0n, block: 1n }),
      readDeposits: async () => {
        if (isAway) throw new Error("The node is away.");
        return read;
      },
      followDeposits: async () => true,
      isOwnContract: () => false,
    };
    const service = createTestService(database, { moneyOut: { stablecoin } });
    const party = await service.party();
    const { planId } = await party.payments.plans.registerCreditsPlan(
      { name: "Free" },
      getFreePriceConfig(),
      getFixedCreditsConfig(1n, 1n),
    );
    await party.payments.plans.orderPlan(planId);
    const [month] = (await service.ports.clock.now()).toISOString().split(/-\d\dT/);
    await service.ports.clock.advance(40 * 24 * 3_600);
    const closed = async () => {
      const one = await service.call(party, "GET", `/statements/${month}?format=json`);
      const all = await service.call(party, "GET", "/statements");
      return [(await one.json()).isClosed, (await all.json()).items.at(-1)];
    };
    expect(await closed()).toEqual([true, expect.objectContaining({ month, isClosed: true })]);
    const [last] = (await service.ports.clock.now()).toISOString().split(/-\d\dT/);
    const now = await service.ports.clock.now();
    const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    await service.ports.clock.advance(Math.ceil((end - now.getTime()) / 1000) + 60);
    const path = `/statements/${last}?format=json`;
    const isClosed = async () => (await (await service.call(party, "GET", path)).json()).isClosed;
    expect(await isClosed()).toBe(false);
    await service.ports.clock.advance(3_600);
    expect(await isClosed()).toBe(true);
    read = new Date(end + 3_599_000);
    expect(await isClosed(), "in a sandbox, whose chain has no block yet").toBe(true);
    const live = { ...service.ports, environment: "live" as const };
    const isClosedInLive = async () => {
      const { items } = await listStatements(actingFor(live, party.address, "statements"));
      return items.find((one) => one.month === last)?.isClosed;
    };
    expect(await isClosedInLive(), "with a node that is behind").toBe(false);
    read = new Date(end + 3_600_000);
    expect(await isClosedInLive()).toBe(true);
    await database.query(
      `insert into account_payments (payment_id, account, kind, recipient, token, amount, state, due_at, created_at)
       values ('a', $1, 'withdrawal', $1, $2, 1, 'open', $3, $3::timestamptz - interval '1 minute')`,
      [party.address, RECEIVER, new Date(end)],
    );
    expect(await isClosed(), "with a payment under way").toBe(false);
    await database.query("update account_payments set state = 'refused'", []);
    expect(await isClosed()).toBe(true);
    // An order of another's plan, of whose price the party gets a share.
    const [other, buyer] = [await service.party(), await service.party()];
    const shared = await other.payments.plans.registerCreditsPlan(
      { name: "Shared" },
      getFreePriceConfig(),
      getFixedCreditsConfig(1n, 1n),
    );
    await buyer.payments.plans.orderPlan(shared.planId);
    const price = { tokenAddress: RECEIVER, receivers: [other.address, party.address] };
    await database.query("alter table plan_versions disable trigger user", []);
    await database.query("update plan_versions set price = price || $2::jsonb where plan_id = $1", [
      shared.planId,
      JSON.stringify(price),
    ]);
    const become = (status: string) =>
      database.query(
        `update orders set status = $2, due_at = case when $2 = 'charging' then app_now() end,
          created_at = $3::timestamptz - interval '1 minute' where plan_id = $1`,
        [shared.planId, status, new Date(end)],
      );
    await become("charging");
    expect(await isClosed(), "with an order under way that pays a share").toBe(false);
    await become("minted");
    expect(await isClosed()).toBe(true);
    isAway = true;
    expect(await closed()).toEqual([false, expect.objectContaining({ month, isClosed: false })]);
    await database.close();
  });
});

const sumOrders = async (database: Database, planId: string): Promise<number> =>
  (
    await database.query<{ n: number }>(
      "select count(*) as n from orders where plan_id = $1 and status = 'minted'",
      [planId],
    )
  )[0]?.n ?? 0;
