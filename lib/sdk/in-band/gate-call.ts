import type { Payments } from "../client/payments.ts";
import type { GateOptions } from "../gate/gate-options.ts";
import { createPaidCalls } from "../gate/paid-calls.ts";
import type { Payment } from "../gate/payment.ts";
import type { Refusal } from "../gate/refusals.ts";
import type { RouteConfig } from "../gate/routes.ts";
import { encodeAccessToken } from "../protocol/access-token.ts";
import type { AccessToken } from "../protocol/access-token-schema.ts";
import { sha256 } from "../protocol/encoding/sha256.ts";
import { isTooDeep, toJson } from "../protocol/json.ts";
import { pathOf } from "../protocol/match-route.ts";
import type { Settlement } from "../protocol/permission.ts";
import { RequestProof, SIGNATURE_EXTENSION } from "../protocol/request-signature.ts";
import { contentKey } from "./content-key.ts";

/** A call whose payment travels inside its message instead of in an HTTP header. */
export type InBandCall<Input, Answer> = {
  /** The token's document, or its text; absent when nothing was paid. */
  payload: unknown;
  /** Passed to a `credits` function. */
  input: Input;
  /** Tells the call from another one under the same id. */
  fingerprint: unknown;
  work(payment: Payment): Promise<Answer>;
};

/** What became of a call. */
export type InBandOutcome<Answer> =
  /** The receipt tells by its `outcome` whether the work succeeded: one that settles first is paid also when it fails. */
  | { kind: "paid"; answer: Answer; receipt: Settlement }
  /** The work ran and did not deliver, so nothing was charged. */
  | { kind: "free"; answer: Answer }
  | Refusal;

type InBandRoute<Input, Answer> = RouteConfig<Input> & {
  url: string;
  /** What counts as delivered, and so is charged. */
  isDelivered: (answer: Answer) => boolean | Promise<boolean>;
  /** Where its messages carry the payment, for those who are asked for one. */
  payIn: string;
  /** Whether an answer is JSON, and so can be kept for a repeat. Default: a repeat is refused. */
  isJson?: boolean;
};

/**
 * The gate in front of one callable thing that is not an HTTP route. Events and reports show the call as
 * a `POST` to `url`. Unless `settle` says otherwise a failed settlement withholds the answer. Throws
 * `invalid_input` for a route it could not guard.
 */
export function createInBandGate<Input, Answer>(
  payments: Payments,
  { url, isDelivered, payIn, isJson = false, ...route }: InBandRoute<Input, Answer>,
  options: GateOptions = {},
): (call: InBandCall<Input, Answer>) => Promise<InBandOutcome<Answer>> {
  const key = `POST ${pathOf(url)}`;
  type Result = { answer: Answer; isDelivered: boolean };
  const runPaidCall = createPaidCalls<Input, Result>(
    payments,
    { [key]: route },
    { settle: "strict", ...options, isDelivered: (result) => result.isDelivered },
  );

  return async function callInBand({ payload, input, fingerprint, work }) {
    const { href } = new URL(url);
    const { token, signed } = readPayload(payload);
    const outcome = await runPaidCall({
      method: "POST",
      url: href,
      resource: href,
      token,
      async proof() {
        const { signatureInput, signature } = signed ?? {};
        const request = { method: "POST", path: pathOf(href), query: "?" };
        return RequestProof.safeParse({ ...request, signatureInput, signature }).data ?? null;
      },
      // Beside the URL, because gates may share a store of answers.
      fingerprint: async () =>
        isTooDeep(fingerprint) ? { fault: "deep" } : sha256(contentKey([href, fingerprint])),
      price: (credits) => credits(input),
      async run(payment) {
        const answer = await work(payment);
        return { answer, isDelivered: await isDelivered(answer) };
      },
      ...(isJson && {
        frozen: async () => ({
          freeze: ({ answer }) => ({ head: "", body: new TextEncoder().encode(toJson(answer)) }),
          thaw: ({ body }) => ({
            answer: JSON.parse(new TextDecoder().decode(body)),
            isDelivered: true,
          }),
        }),
      }),
      statusOf: (result) => (result.isDelivered ? 200 : 500),
    });
    switch (outcome.kind) {
      case "delivered": {
        const { answer } = outcome.answer;
        const body = outcome.keep && isJson ? new TextEncoder().encode(toJson(answer)) : null;
        await outcome.keep?.(body && { head: toJson(outcome.settlement), body });
        return { kind: "paid", answer, receipt: outcome.settlement };
      }
      case "repeated": {
        const { head, body } = outcome.kept;
        const answer = JSON.parse(new TextDecoder().decode(body)) as Answer;
        return { kind: "paid", answer, receipt: JSON.parse(head) as Settlement };
      }
      case "not-charged":
        return { kind: "free", answer: outcome.answer.answer };
      case "not-gated":
      case "flowing":
        throw new Error(`${key} is ${outcome.kind}.`);
      default:
        await outcome.keep?.(null);
        if (outcome.body.code !== "token_missing") return outcome;
        return { ...outcome, body: { ...outcome.body, message: askIn(payIn) } };
    }
  };
}

const askIn = (place: string) =>
  `Send the call again with a payment for one of the offers in ${place}.`;

// A character that no token has: the gate then refuses a payload it cannot read.
const UNREADABLE = "!";

/** The token's text, and beside it the call's signature, which is of the text without it. What else it says decides nothing. */
function readPayload(payload: unknown): {
  token: string | null;
  signed?: { signatureInput?: unknown; signature?: unknown };
} {
  if (payload === undefined || payload === null) return { token: null };
  if (typeof payload === "string") return { token: payload || UNREADABLE };
  if (typeof payload !== "object") return { token: UNREADABLE };
  const document = payload as AccessToken;
  const { [SIGNATURE_EXTENSION]: signed, ...extensions } = document.extensions ?? {};
  if (typeof signed !== "object" || signed === null) return { token: encodeAccessToken(document) };
  return { token: encodeAccessToken({ ...document, extensions }), signed };
}
