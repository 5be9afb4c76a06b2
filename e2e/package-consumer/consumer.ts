// Only type-checked: what an agent author writes against the installed package.
import {
  type AppHandler,
  buildPaymentApp,
  createDurableQueue,
  createFileStore,
  createGate,
  createNextHandler,
  type GateEvent,
  getFiatPriceConfig,
  getFixedCreditsConfig,
  PaymentMiddleware,
  Payments,
  PaymentsError,
  type RouteConfig,
  X402_HEADERS,
} from "@turnpike/payments";
import { createMemoryQueue, type Payment, type SettlementQueue } from "@turnpike/payments/gate";
import { decodeAccessToken, operations, type PlanBalance } from "@turnpike/payments/protocol";

const payments: Payments = Payments.getInstance({ apiKey: "svc-sandbox:a.b.c" });
const route: RouteConfig = { planId: ["42", "43"], credits: async (request) => request.url.length };
const queue: SettlementQueue = createMemoryQueue({ maxAttempts: 3 });
const gate = createGate(payments, { "POST /ask/:id": route }, { settle: "strict", queue });

export const answer = (request: Request): Promise<Response> =>
  gate(request, async (_request, payment?: Payment) => {
    const credits: bigint | undefined = payment?.credits;
    return new Response(String(credits), { headers: { [X402_HEADERS.PAYMENT_RESPONSE]: "mine" } });
  });

export const middleware = PaymentMiddleware(payments, { "GET /ask": { planId: "42" } });

const durable = createDurableQueue(createFileStore({ folder: "settlements" }));
const observe = (event: GateEvent): string =>
  event.type === "job" ? event.outcome : event.moneyStatus;
const handler: AppHandler = (_request, { params, payment }) =>
  new Response(`${params.id} ${payment?.payer}`);
export const app = buildPaymentApp(payments, { "POST /ask/{id}": route }, { queue: durable });
app.post("/ask/{id}", handler);
export const POST = createNextHandler(
  payments,
  { "POST /ask": route },
  (_request: Request, _context: { params: Promise<object> }, payment) =>
    new Response(payment?.planId),
  { observe, report: false },
);

export async function use(): Promise<bigint> {
  const price = getFiatPriceConfig(10_000_000n, payments.accountAddress);
  const { planId } = await payments.plans.registerCreditsPlan(
    { name: "Starter" },
    price,
    getFixedCreditsConfig(100n),
  );
  const { accessToken } = await payments.x402.getX402AccessToken(planId, undefined, {
    delegationConfig: { spendingLimitCents: 500n, durationSecs: 3600 },
  });
  const from: string | undefined = decodeAccessToken(accessToken)?.payload.authorization.from;
  const paymentRequired = await payments.x402.buildPaymentRequired({ planId, endpoint: "/ask" });
  const check = await payments.facilitator.verifyPermissions({
    paymentRequired,
    x402AccessToken: accessToken,
  });
  // A refusal is data; the compiler keeps its reason apart from an accepted payer.
  const about: string = check.isValid ? check.payer : check.invalidReason;
  const { receipt } = await payments.fetch("https://agent.example/ask", {}, { maxCredits: 5n });
  const burned: string = receipt?.success ? receipt.creditsRedeemed : "0";
  const balance: PlanBalance = await payments.plans.getPlanBalance(planId);
  try {
    await payments.plans.getPlan(planId);
  } catch (error) {
    if (PaymentsError.is(error) && error.code === "not_found") return 0n;
  }
  const path: string = operations.getPlan.path;
  return (
    balance.balance + BigInt(burned) + BigInt(about.length + path.length + (from ?? "").length)
  );
}
