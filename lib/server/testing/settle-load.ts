import type { Settlement } from "@turnpike/payments/protocol";
import type { RunningService } from "./spawned-service.ts";

/** Settles that go on until they are ended, from many callers at once. */
export type SettleLoad = {
  untilAcknowledged: (count: number) => Promise<void>;
  asked: () => string[];
  /** Every id that was answered with success, and its answer. */
  end: () => Promise<Map<string, Settlement>>;
};

/** Starts `callers` loops that settle fresh request ids; a call that fails ends its loop. */
export function loadSettles(service: RunningService, prefix: string, callers: number): SettleLoad {
  const acknowledged = new Map<string, Settlement>();
  const asked: string[] = [];
  let isEnded = false;

  const caller = async () => {
    while (!isEnded) {
      const id = `${prefix}${asked.length.toString().padStart(12, "0")}`;
      asked.push(id);
      const answer = await service.settle(id).catch(() => null);
      if (answer === null) return;
      if (answer.success) acknowledged.set(id, answer);
    }
  };
  const running = Promise.all(Array.from({ length: callers }, caller));

  return {
    async untilAcknowledged(count) {
      const deadline = Date.now() + 30_000;
      while (acknowledged.size < count) {
        if (Date.now() > deadline) throw new Error(`Only ${acknowledged.size} settles in 30 s.`);
        await new Promise((wake) => setTimeout(wake, 5));
      }
    },
    asked: () => asked,
    async end() {
      isEnded = true;
      await running;
      return acknowledged;
    },
  };
}
