import { expect, test } from "vitest";
import { backgroundWork } from "../background-work.ts";

test.each([20, 0])(
  "after a round with %i orders, the next one comes at once if there were any",
  async (due) => {
    const orders = {
      takeDue: async () => Array.from({ length: due }, (_, n) => ({ orderId: `${n}` })),
      find: async () => null,
      putOff: async () => false,
      countStuck: async () => 3,
    };
    const counts = { stuckOrders: 0, refusedMails: 0 };
    const ports = { orders, log: { warn() {} } };
    const database = { kind: "postgres" };
    const work = backgroundWork({ ports, counts, database } as unknown as Parameters<
      typeof backgroundWork
    >[0]);
    const round = work.find(({ name }) => name === "orders");
    expect(await round?.run()).toBe(due);
    expect(counts.stuckOrders).toBe(3);
  },
);
