import { randomBytes } from "node:crypto";
import {
  buildPaymentRequired,
  EXACT,
  encodeHeader,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
  isExactOffer,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createPretendRail, pretendExact } from "@/lib/server/testing/pretend-rail.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import type { Captured, ExactFault } from "./exact-ports.ts";

const fresh = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;
const refusedBy = (code: ExactFault): Captured => ({ status: "refused", code, message: "" });

/** What captures that failed mean for later ones. The chain is pretended, and all wallets have code. */
describe.each(ruleStores())("failed captures on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let seller: TestParty;
  const exact = pretendExact();
  const capture = vi.fn(async (): Promise<Captured> => ({ status: "paid", reference: fresh(32) }));
  const exactRail = { ...createPretendRail(), scheme: EXACT, takes: () => false };

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, {
      rails: [createPretendRail(), exactRail],
      exact: {
        ...exact,
        check: async ({ value }) => ({
          fault: null,
          balance: value * 10n,
          block: 1n,
          gas: 350_000,
          runsCode: true,
        }),
        capture,
      },
    });
    exactRail.charge = async ({ fingerprint: id }) => {
      const captured = await capture();
      const isPaid = captured.status === "paid";
      const reference = isPaid ? captured.reference : null;
      await service.ports.authorizations.close(id, isPaid ? "captured" : "refused", reference);
      return captured;
    };
    seller = await service.party();
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const signed = (accepted: { payTo?: string; amount?: string }, from: string) =>
    encodeHeader({
      x402Version: 2,
      accepted,
      payload: {
        signature: fresh(70),
        authorization: {
          from,
          to: accepted.payTo,
          value: accepted.amount,
          validAfter: "0",
          validBefore: "99999999999",
          nonce: fresh(32),
        },
      },
    });

  /** A plan, and a request for it by a payment of a wallet. */
  async function sell() {
    const { planId } = await seller.payments.plans.registerCreditsPlan(
      { name: "By wallet" },
      { ...getCryptoPriceConfig(10_000n, seller.address, exact.asset), currency: "USDC" },
      getFixedCreditsConfig(1n),
    );
    const paymentRequired = buildPaymentRequired({ planId, endpoint: "https://agent.test/ask" });
    const offer = {
      scheme: EXACT,
      network: exact.network,
      asset: exact.asset,
      amount: "10000",
      payTo: seller.address,
      maxTimeoutSeconds: 60,
      extra: { planId },
    };
    if (!isExactOffer(offer)) throw new Error("No offer by exact.");
    return (from: string) => ({
      paymentRequired: { ...paymentRequired, accepts: [offer] },
      x402AccessToken: signed(offer, from),
      agentRequestId: `request_${randomBytes(8).toString("hex")}`,
    });
  }
  type Request = ReturnType<Awaited<ReturnType<typeof sell>>>;
  const reserve = (request: Request) =>
    seller.payments.facilitator.verifyPermissions({ ...request, reserve: true });
  const settle = (request: Request) => seller.payments.facilitator.settlePermissions(request);
  async function fail(request: Request, code: ExactFault): Promise<void> {
    expect(await reserve(request)).toMatchObject({ isValid: true });
    capture.mockResolvedValueOnce(refusedBy(code));
    expect(await settle(request)).toMatchObject({ success: false });
  }

  test.each(["authorization_expired", "insufficient_funds", "authorization_used"] as const)(
    "a wallet's payment that was refused by %s bars none of its others",
    async (code) => {
      const [wallet, request] = [fresh(20), await sell()];
      await fail(request(wallet), code);
      const next = request(wallet);
      expect(await reserve(next)).toMatchObject({ isValid: true });
      expect(await settle(next)).toMatchObject({ success: true });
    },
  );

  test("T48: a wallet whose code let a capture fail is refused before the work of any plan, and never after work", async () => {
    const [wallet, request, other] = [fresh(20), await sell(), await sell()];
    const released = other(wallet);
    expect(await reserve(released)).toMatchObject({ isValid: true });
    const { agentRequestId } = released;
    await seller.payments.facilitator.releasePermissions({ agentRequestId });
    await fail(request(wallet), "capture_failed");
    const refused = { isValid: false, cause: "capture_failed" };
    expect(await reserve(other(wallet))).toMatchObject(refused);
    expect(await reserve(released)).toMatchObject(refused);
    // Its work may be done already.
    expect(await settle(other(wallet))).toMatchObject({ success: true });
    const stock = await service.party();
    const offer = {
      scheme: EXACT,
      network: exact.network,
      asset: exact.asset,
      amount: "10000",
      payTo: stock.address,
      maxTimeoutSeconds: 60,
    };
    const transfer = {
      paymentRequired: { x402Version: 2 as const, accepts: [offer] },
      x402AccessToken: signed(offer, wallet),
      agentRequestId: fresh(16),
    };
    const { facilitator } = stock.payments;
    expect(await facilitator.settlePermissions(transfer)).toMatchObject({ success: true });
  });
});
