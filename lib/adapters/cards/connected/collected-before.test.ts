import { describe, expect, test } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { readClearings, resolvePayouts } from "@/lib/domain/money/resolve-payouts.ts";
import { refreshOrder } from "@/lib/domain/orders/resolve-orders.ts";
import { openConnectedShop, orderCard } from "../testing/connected-shop.ts";
import { useCardService } from "../testing/use-card-service.ts";

/** Five percent of sales of 5.00. */
const FEE_BPS = 500;
const PRICE = 5_000_000n;
const FEE = 250_000n;

describe.each(ruleStores())(
  "refunds of sales that the platform collected before their builder's account was connected, $name",
  ({ open }) => {
    const at = useCardService(open);

    /** A shop with so many sales from before, whose next ones go on with their charge. */
    async function openShop(sales: number) {
      const opened = await openConnectedShop(at, FEE_BPS);
      const { shop, connectedAccounts } = opened;
      const [[address = "", account = ""] = []] = connectedAccounts;
      connectedAccounts.delete(address);
      const orders: Awaited<ReturnType<typeof orderCard>>[] = [];
      for (let sale = 0; sale < sales; sale += 1) orders.push(await orderCard(shop));
      connectedAccounts.set(address, account);
      const { money } = shop.builder.payments;
      const refund = (sale: number, amount?: bigint) =>
        money.createRefund({
          orderId: orders[sale]?.orderId ?? "",
          ...(amount !== undefined && { amount }),
        });
      const payOut = async () => {
        await money.createPayoutAccount({});
        const bank = await opened.service.ports.payouts.findAccount(shop.builder.address);
        at.fixture.processor.controls.onboard(bank?.processorAccount ?? "");
        await money.createPayoutAccount({});
        await opened.service.ports.clock.advance(8 * 86_400);
        await readClearings(opened.service.ports, null);
        await money.createPayout({ currency: "usd" });
        await resolvePayouts(opened.service.ports);
      };
      return { ...opened, orders, refund, payOut };
    }

    test("are of the whole price, each, also in parts: the platform gives up its fee", async () => {
      const { shop, refund } = await openShop(3);
      expect(await at.owedTo(shop)).toBe(3n * (PRICE - FEE));
      expect(await refund(0)).toMatchObject({ status: "paid", amount: `${PRICE}` });
      expect(await refund(1, 2_000_000n)).toMatchObject({ status: "paid" });
      expect(await refund(1)).toMatchObject({ status: "paid", amount: "3000000" });
      expect(await refund(2)).toMatchObject({ status: "paid" });
      expect(await at.owedTo(shop)).toBe(-3n * FEE);
    });

    test("take nothing that was paid out, and no fee of another sale", async () => {
      const { shop, refund, payOut } = await openShop(2);
      await payOut();
      expect(await at.owedTo(shop)).toBe(0n);
      for (const amount of [PRICE, FEE, 1n * 10_000n]) {
        await expect(refund(0, amount)).rejects.toThrow("was paid out to you");
      }
    });

    test("are of the whole price also after a chargeback of another", async () => {
      const { shop, service, orders, refund } = await openShop(2);
      at.fixture.processor.controls.openDispute(orders[0]?.payment ?? "");
      await refreshOrder(service.ports, orders[0]?.orderId ?? "");
      expect(await at.owedTo(shop)).toBe(PRICE - 2n * FEE);
      expect(await refund(1)).toMatchObject({ status: "paid", amount: `${PRICE}` });
      expect(await at.owedTo(shop)).toBe(-2n * FEE);
    });
  },
);
