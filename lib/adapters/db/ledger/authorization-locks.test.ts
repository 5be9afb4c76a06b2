import { randomUUID } from "node:crypto";
import { EXACT } from "@turnpike/payments/protocol";
import { expect, inject, test } from "vitest";
import type { AcceptedPayment } from "@/lib/domain/exact/exact-ports.ts";
import { createMarket, createTestService } from "@/lib/server/testing/test-service.ts";
import { inTransaction } from "../client.ts";
import { openTestPostgres } from "../testing/stores.ts";

const postgres = inject("postgresUrl");

// The embedded database runs one transaction at a time: nothing ever waits there.
if (postgres) {
  test("an order waits for a replica that replaces its authorization, and after it none can", async () => {
    const database = await openTestPostgres(postgres);
    const service = createTestService(database);
    const { authorizations, orders } = service.ports;
    const { planId, subscriber, builder } = await createMarket(service);
    const account = subscriber.address;
    const [known] = await database.query<{ id: string }>(
      "select order_id as id from orders where account = $1",
      [account],
    );
    const order = known && (await orders.find(known.id));
    if (!order) throw new Error("The market has an order.");
    const payment: AcceptedPayment = {
      id: `exact_${randomUUID()}`,
      payer: account,
      asset: "0x",
      payTo: builder.address,
      value: 1n,
      validAfter: 0n,
      validBefore: 300n,
      nonce: "0x",
      signature: "0x",
      builder: builder.address,
      planId,
      planVersion: 1,
      agentRequestId: null,
      sinceBlock: 0n,
    };
    const signUntil = (validBefore: bigint) =>
      authorizations.open(
        { ...payment, validBefore },
        { balance: 1n, leaseSecs: 300, since: new Date() },
      );
    expect(await signUntil(300n)).toBe("open");
    const { id } = payment;
    const own = { fingerprint: id, idempotencyKey: id, scheme: EXACT, status: "reserved" } as const;
    const note = { account, keyId: null, action: "order", subject: planId, requestId: "" };
    let isReserved = false;
    let reserving: Promise<unknown> | undefined;
    await inTransaction(database.for("money").orm, async (transaction) => {
      await transaction.execute(`update authorizations set valid_before = 400 where id = '${id}'`);
      reserving = orders.reserve({ ...order, ...own, orderId: randomUUID() }, note).then(() => {
        isReserved = true;
      });
      const isWaiting = async () => {
        const waiting = await database.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          [],
        );
        return waiting.length > 0 || isReserved;
      };
      await expect.poll(isWaiting).toBe(true);
      expect(isReserved).toBe(false);
    });
    await reserving;
    expect(await signUntil(500n)).toBe("used");
    expect((await authorizations.find(id))?.validBefore).toBe(400n);
    await database.close();
  });
} else {
  test("there is no Postgres on this machine", () => expect(postgres).toBeFalsy());
}
