import {
  encodeHeader,
  PaymentsError,
  type Plan,
  type Verification,
} from "@turnpike/payments/protocol";
import { expect, test, vi } from "vitest";
import { runPlayground } from "./engine.ts";
import type { PlainAnswer } from "./exchange.ts";
import { describeOutcome } from "./outcomes.ts";
import type { PlaygroundService, Transport } from "./ports.ts";
import type { Run, RunInput, StepId } from "./run.ts";
import { judgePaid } from "./steps/judge-answer.ts";

const ACCOUNT = `0x${"11".repeat(20)}`;
const WALLET = `0x${"22".repeat(20)}`;
const SELLER = `0x${"33".repeat(20)}`;
const OWN_PLAN = "42";
const UNREAD_PLAN = "43";

const offerOf = (changes: object = {}) => ({
  scheme: "exact",
  network: "eip155:84532",
  amount: "10000",
  asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  payTo: SELLER,
  maxTimeoutSeconds: 60,
  extra: { name: "USDC", version: "2", ...changes },
});
const payloadOf = (from: string) => ({
  signature: `0x${"1b".repeat(65)}`,
  authorization: {
    from,
    to: SELLER,
    value: "10000",
    validAfter: "0",
    validBefore: "2000000000",
    nonce: `0x${"ab".repeat(32)}`,
  },
});
const answerOf = (status: number, headers: Record<string, unknown> = {}): PlainAnswer => ({
  status,
  headers: Object.entries(headers).map(([name, value]) => [name, encodeHeader(value)]),
  body: "{}",
  bytes: 2,
  cut: null,
});
const refusedFor = (cause: string) =>
  ({ isValid: false, invalidReason: "invalid_token", error: "", cause }) as unknown as Verification;
const VALID = { isValid: true } as Verification;

type Wish = {
  offer?: object;
  payer?: "test" | "wallet";
  verdicts: Verification[];
  paid?: PlainAnswer | null;
};

/** A run against a seller that answers `paid`, which the service verifies with the verdicts, one after another. */
async function play({ offer = offerOf(), payer = "test", verdicts, paid = answerOf(200) }: Wish) {
  const authorize = vi.fn(async () => payloadOf(ACCOUNT));
  const service: PlaygroundService = {
    account: ACCOUNT,
    readPlan: async (planId) => {
      if (planId === UNREAD_PLAN) throw new PaymentsError("unavailable", "The service is away.");
      return planId === OWN_PLAN ? ({} as Plan) : null;
    },
    readBalance: () => Promise.reject(new Error("not read")),
    mint: () => Promise.reject(new Error("not minted")),
    authorize,
    dryVerify: async () => verdicts.shift() ?? VALID,
    findRequest: async () => null,
    end: async () => null,
  };
  const transport: Transport = async (request) => {
    const isPaid = request.headers.some(([name]) => name === "payment-signature");
    const requirement = { x402Version: 2, resource: { url: request.url }, accepts: [offer] };
    const answer = isPaid ? paid : answerOf(402, { "payment-required": requirement });
    const lost = { kind: "failed", code: "broken_off", message: "It broke off." } as const;
    return { request, answer, failure: answer ? null : lost, startedAt: "", durationMs: 0 };
  };
  const input: RunInput = {
    ...{ method: "POST", url: "https://seller.example/quote", headers: [], body: "{}" },
    token: { kind: payer },
  };
  const events = runPlayground({
    ...{ input, service, transport },
    signal: new AbortController().signal,
    approve: async () => (payer === "wallet" ? payloadOf(WALLET) : true),
  });
  for (;;) {
    const { value, done } = await events.next();
    if (done) return { run: value, authorize, outcomes: value.steps.map(({ outcome }) => outcome) };
  }
}

function verdictOf(run: Run, id: StepId): string {
  const step = run.steps.find((one) => one.id === id);
  return step?.outcome ? describeOutcome(step.outcome, step.values).verdict : "";
}

test("an account signs nothing for a plan of this service, and a wallet does", async () => {
  const offer = offerOf({ planId: OWN_PLAN });
  const { outcomes, authorize, run } = await play({ offer, verdicts: [] });
  expect(outcomes[2]).toBe("wallet-only");
  expect([authorize.mock.calls, run.money]).toEqual([[], "challenged"]);
  const byWallet = await play({ offer, payer: "wallet", verdicts: [VALID] });
  expect(byWallet.outcomes[2]).toBe("signed");
  const elsewhere = await play({ offer: offerOf({ planId: "7" }), verdicts: [VALID] });
  expect(elsewhere.outcomes[2]).toBe("signed");
});

test("an account signs nothing while it is not known whether the plan is of this service", async () => {
  const { outcomes, authorize, run } = await play({
    offer: offerOf({ planId: UNREAD_PLAN }),
    verdicts: [],
  });
  expect([outcomes[2], run.money]).toEqual(["mint-refused", "challenged"]);
  expect(verdictOf(run, "permission")).toContain("The service is away.");
  expect(authorize).not.toHaveBeenCalled();
});

test.each(["other_payment", "not_your_plan", "account_wallet", "plan_not_offered"])(
  "a payment that this service does not judge for its payer is sent: %s",
  async (cause) => {
    const verdicts = [refusedFor(cause), refusedFor(cause)];
    const { outcomes } = await play({ payer: "wallet", verdicts });
    expect(outcomes.slice(3)).toEqual(["transfer-unchecked", "answered", "transfer-reported"]);
  },
);

test("a payment that is not valid is not sent", async () => {
  const { outcomes } = await play({ verdicts: [refusedFor("wallet_funds")] });
  expect(outcomes.slice(3)).toEqual(["transfer-invalid", "not-asked", "not-asked"]);
});

const USED = refusedFor("authorization_used");
const UNKNOWN = refusedFor("not_your_plan");
test.each<[string, Wish["payer"], Verification, RegExp, Run["money"]]>([
  ["used, of an account", "test", USED, /^The seller collected 0.01 USDC/, "settled"],
  ["open", "test", VALID, /It has not collected the 0.01 USDC/, "unknown"],
  ["unknown", "test", UNKNOWN, /It may have collected the 0.01 USDC/, "unknown"],
  ["used, of a wallet", "wallet", USED, /It may have collected the 0.01 USDC/, "unknown"],
])("what a failed call says of the money: %s", async (_, payer, then, said, money) => {
  for (const paid of [answerOf(500), null]) {
    const { run } = await play({ payer, verdicts: [VALID, then], paid });
    expect(verdictOf(run, "pay")).toMatch(said);
    expect(run.money).toBe(money);
  }
});

test.each([
  [{ "payment-response": { success: true } }, "reports the payment as settled"],
  [{ "payment-response": { success: false } }, "reports the payment as not settled"],
  [{}, "sent no receipt"],
])("what the seller says of the payment: %j", async (headers, claim) => {
  const { run } = await play({ verdicts: [VALID, VALID], paid: answerOf(200, headers) });
  expect(verdictOf(run, "settle")).toContain(`The seller answered, and ${claim}.`);
});

test.each(["1.5", "1e3", "-1", "9".repeat(79)])(
  "an offer of a plan whose amount is %s is flagged and not paid",
  async (amount) => {
    const offer = { scheme: "svc:erc4337", network: "eip155:84532", planId: OWN_PLAN, amount };
    const { run } = await play({ offer, verdicts: [] });
    const step = run.steps.find(({ id }) => id === "offer");
    expect(step?.outcome).toBe("offer-foreign");
    expect(step?.facts).toContainEqual({
      name: "accepts[0].amount",
      value: amount,
      holds: false,
      note: "is not a whole number",
    });
  },
);

test.each([
  ["aborted", "stopped"],
  ["service_lost", "service-failed"],
  ["total_timeout", "service-failed"],
])("a request with a payment that was never sent is not unknown: %s", (code, outcome) => {
  const request = { method: "POST", url: "https://seller.example/", headers: [], body: null };
  const failure = { kind: "refused", code, message: "" } as const;
  const base = { request, answer: null, startedAt: "", durationMs: 0 };
  expect(judgePaid({ ...base, failure }, "valid").outcome).toBe(outcome);
});
