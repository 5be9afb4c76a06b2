import {
  getCryptoPriceConfig,
  getFixedCreditsConfig,
  type Settlement,
} from "@turnpike/payments/protocol";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  type TestMarket,
  type TestParty,
} from "@/lib/server/testing/test-service.ts";

export const GRANTED = 1_000_000n;
const PRICE = 1_000_000n;

/** Settles one request id; throws if it gets no response. */
export type Settle = (agentRequestId: string) => Promise<Settlement>;

type Market = Pick<TestMarket, "planId" | "agentId" | "endpoint" | "token" | "builder">;

/** A crypto plan, and a subscriber with {@link GRANTED} credits. */
export async function createCryptoMarket(
  service: Parameters<typeof createMarket>[0] & {
    usdc: string;
    party: (options: { isFunded: boolean }) => Promise<TestParty>;
  },
): Promise<TestMarket> {
  const { address: receiver } = await service.party({ isFunded: false });
  return createMarket(service, {
    price: getCryptoPriceConfig(PRICE, receiver, service.usdc),
    credits: getFixedCreditsConfig(GRANTED, 1n),
  });
}

/** Settles through the SDK against a service in this process. */
export function settleIn(market: Market): Settle {
  return (agentRequestId) =>
    market.builder.payments.facilitator.settlePermissions({
      paymentRequired: requirementOf(market),
      x402AccessToken: market.token,
      agentRequestId,
    });
}

/** Callers that settle new ids until they are stopped. */
export type Load = {
  /** Waits for a number of further successes. */
  more: (count: number) => Promise<void>;
  /** Stops, and returns all ids, the successful ones and the response times. */
  end: () => Promise<{ asked: string[]; answered: string[]; p50Ms: number; slowestMs: number }>;
};

/** Starts a {@link Load}. A caller that gets no response pauses briefly. */
export function startLoad(settle: Settle, prefix: string, callers = 8, pauseMs = 0): Load {
  const asked: string[] = [];
  const answered: string[] = [];
  const times: number[] = [];
  let isEnded = false;
  const call = async () => {
    while (!isEnded) {
      const id = `${prefix}-${asked.length.toString().padStart(12, "0")}`;
      asked.push(id);
      const start = performance.now();
      const answer = await settle(id).catch(() => null);
      if (answer?.success) {
        answered.push(id);
        times.push(Math.round(performance.now() - start));
      }
      await new Promise((wake) => setTimeout(wake, answer ? pauseMs : 100));
    }
  };
  const calling = Promise.all(Array.from({ length: callers }, call));
  return {
    async more(count) {
      const goal = answered.length + count;
      const deadline = Date.now() + 60_000;
      while (answered.length < goal) {
        if (Date.now() > deadline) throw new Error(`Only ${answered.length} of ${goal} settles.`);
        await new Promise((wake) => setTimeout(wake, 5));
      }
    },
    async end() {
      isEnded = true;
      await calling;
      times.sort((a, b) => a - b);
      const p50Ms = times[Math.floor(times.length / 2)] ?? 0;
      return { asked, answered, p50Ms, slowestMs: times.at(-1) ?? 0 };
    },
  };
}
