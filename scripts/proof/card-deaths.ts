import type { Ports } from "@/lib/domain/ports.ts";
import type { OrderRecord } from "@/lib/domain/records.ts";

/** Every step of an order, in order: external calls and ledger writes. */
export const STEPS = [
  "reserve",
  "markCharging",
  "charge",
  "mint",
  "decline",
  "oweRefund",
  "refund",
  "closeRefund",
  "reverse",
] as const;
export type Step = (typeof STEPS)[number];
export type Death = { step: Step; when: "before" | "after" };

export const textOf = ({ step, when }: Death, account: string) => `${when}:${step}:${account}`;

/** Kills the process before or after a step of an account's orders: `before:mint:0x…`. */
export function armDeath(ports: Ports, dieAt: string): void {
  const [when = "", step = "", account = ""] = dieAt.split(":");
  const isMine = async (subject: string | OrderRecord) => {
    const order = typeof subject === "string" ? await ports.orders.find(subject) : subject;
    return order?.account === account;
  };
  function arm<K extends string>(target: Record<K, unknown>, name: K): void {
    const work = target[name] as (subject: string | OrderRecord, ...rest: unknown[]) => unknown;
    target[name] = async (subject: string | OrderRecord, ...rest: unknown[]) => {
      const dies = name === step && (await isMine(subject));
      if (dies && when === "before") die();
      const result = await work(subject, ...rest);
      if (dies) die();
      return result;
    };
  }
  const ofOrders = ["reserve", "markCharging", "mint", "decline", "oweRefund", "closeRefund"];
  for (const name of [...ofOrders, "reverse"]) arm(ports.orders as never, name as never);
  for (const rail of ports.rails.all.filter(({ usesPaymentMethods }) => usesPaymentMethods)) {
    for (const name of ["charge", "refund"]) arm(rail as never, name as never);
  }
}

function die(): void {
  process.kill(process.pid, "SIGKILL");
  // The signal has been sent; do nothing until it arrives.
  for (;;);
}
