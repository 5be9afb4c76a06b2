import {
  decodeHeader,
  encodeHeader,
  X402_HEADERS,
  type X402PaymentRequired,
} from "@turnpike/payments/protocol";
import {
  type BrokenAgent,
  onPaid,
  onReceipt,
  type Receipt,
  receiptOf,
  reEnvelope,
  withHeader,
  without,
} from "./agent-changes.ts";
import type { DoctorBench, Handle } from "./doctor-bench.ts";

const { PAYMENT_REQUIRED, PAYMENT_RESPONSE, PAYMENT_SIGNATURE } = X402_HEADERS;

/** Agents that are wrong about what they are paid: each fails its check, and no other. */
export const PAID_AGENTS: readonly BrokenAgent[] = [
  { id: "D40", what: "no receipt", make: onPaid((answer) => without(answer, PAYMENT_RESPONSE)) },
  {
    id: "D41",
    what: "another payer",
    make: onReceipt((one) => Object.assign(one, { payer: `0x${"1".repeat(40)}` })),
  },
  {
    id: "D42",
    what: "takes more than it asked for",
    make: (bench) => {
      const dear = bench.gated({ credits: 3 });
      return async (request) => {
        const answer = await dear(request);
        return answer.status === 402
          ? reEnvelope(answer, (one) => {
              for (const offer of one.accepts) offer.amount = "1";
            })
          : answer;
      };
    },
  },
  { id: "D43", what: "settles the first call twice", make: (bench) => settlesTwice(bench, 1) },
  {
    id: "D44",
    what: "makes up a transaction",
    make: onReceipt((one) => Object.assign(one, { transaction: `0x${"ab".repeat(32)}` })),
  },
  { id: "D45", what: "settles the second call twice", make: (bench) => settlesTwice(bench, 2) },
  {
    id: "D46",
    what: "takes credits and fails",
    make: (bench) => {
      const sound = bench.gated();
      return async (request) => {
        const text = await request.clone().text();
        if (!request.headers.has(PAYMENT_SIGNATURE) || isJson(text)) return sound(request);
        const { url, headers } = request;
        const paid = await sound(new Request(url, { method: "POST", headers, body: "{}" }));
        return new Response("It broke.", {
          status: paid.status === 402 ? 402 : 500,
          headers: paid.headers,
        });
      };
    },
  },
  {
    id: "D47",
    what: "makes up a receipt when settling fails",
    make: onReceipt((one, bench) => {
      if (one.success !== false) return;
      Object.assign(one, {
        success: true,
        payer: bench.subscriber.address,
        creditsRedeemed: "1",
        remainingBalance: "1",
        transaction: "",
        planId: bench.planId,
        txHash: "",
        extra: {
          creditsRedeemed: "1",
          remainingBalance: "1",
          agentRequestId: one.agentRequestId,
          settlementId: "none",
          chainStatus: "none",
        },
      });
    }),
  },
  {
    id: "D48",
    what: "one receipt for calls at once",
    make: (bench) => atOnce(bench, (_one, first) => first),
  },
  {
    id: "D48",
    what: "receipts that do not add up",
    make: (bench) => atOnce(bench, (one) => ({ ...one, creditsRedeemed: "2" })),
  },
  {
    id: "D49",
    what: "serves a token it has served before",
    make: (bench) => {
      const sound = bench.gated();
      const served = new Set<string>();
      return async (request) => {
        const token = request.headers.get(PAYMENT_SIGNATURE) ?? "";
        const answer = await sound(request);
        if (answer.ok) served.add(token);
        return token && answer.status === 402 && served.has(token)
          ? Response.json({ got: "once more" })
          : answer;
      };
    },
  },
];

/** Settles the `nth` call with a token once more, under another request id. */
function settlesTwice(bench: DoctorBench, nth: number): Handle {
  const sound = bench.gated();
  let paid = 0;
  return async (request) => {
    const token = request.headers.get(PAYMENT_SIGNATURE) ?? "";
    const unpaid = await sound(new Request(request.url, { method: "POST", body: "{}" }));
    const answer = await sound(request);
    if (!answer.ok || !answer.headers.has(PAYMENT_RESPONSE)) return answer;
    paid += 1;
    if (paid !== nth) return answer;
    const paymentRequired = decodeHeader(unpaid.headers.get(PAYMENT_REQUIRED) ?? "");
    const extra = await bench.builder.payments.facilitator.settlePermissions({
      paymentRequired: paymentRequired as X402PaymentRequired,
      x402AccessToken: token,
      maxAmount: "1",
      agentRequestId: `twice-${crypto.randomUUID()}`,
    });
    if (!extra.success) throw new Error(`The extra settlement was refused: ${extra.error}`);
    return answer;
  };
}

/** Changes the receipts of calls that run beside others. */
function atOnce(bench: DoctorBench, change: (receipt: Receipt, first: Receipt) => Receipt): Handle {
  const sound = bench.gated();
  let running = 0;
  let first: Receipt | null = null;
  return async (request) => {
    if (!request.headers.has(PAYMENT_SIGNATURE)) return sound(request);
    running += 1;
    const isBeside = running > 1;
    const answer = await sound(request);
    running -= 1;
    if (!isBeside || !answer.headers.has(PAYMENT_RESPONSE)) return answer;
    const receipt = receiptOf(answer);
    first ??= receipt;
    return withHeader(answer, PAYMENT_RESPONSE, encodeHeader(change(receipt, first)));
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
