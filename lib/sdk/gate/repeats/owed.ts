import { inTime } from "../../client/waiting/in-time.ts";
import { signatureOf } from "../../protocol/access-token.ts";
import type { AccessToken } from "../../protocol/access-token-schema.ts";
import { decodeBase64, encodeBase64 } from "../../protocol/encoding/base64.ts";
import { toJson } from "../../protocol/json.ts";
import type { createCharges } from "../charge.ts";
import type { Outcome, PaidCall } from "../paid-call.ts";
import type { PaidWork, runPaidWork } from "../paid-work.ts";
import { claimsOf, type Payment } from "../payment.ts";
import type { SettleJobInput } from "../queue/settlement-queue.ts";
import type { Refusal } from "../refusals.ts";
import { joinBytes } from "../request-body.ts";
import { MAX_KEPT_BYTES } from "./answer-store.ts";
import type { Repeatable } from "./repeats.ts";

/** A payment that is not settled yet, and how it is settled. */
type Owed = { payment: Payment; settleInput: SettleJobInput & { agentRequestId: string } };
type Paid<Input, Answer> = Omit<PaidWork<Input, Answer>, "payment" | "charge" | "isRepeatable"> & {
  token: AccessToken | null;
  repeat: Repeatable | null;
};
/** With what the gate has loaded: an import of it from here would split the gate's code. */
type Resuming<Input, Answer> = Paid<Input, Answer> & {
  createCharge: ReturnType<typeof createCharges>;
  runPaidWork: typeof runPaidWork;
  repeatedElsewhere: () => Refusal;
  repeatNotKept: () => Refusal;
};
type Call<Answer> = Pick<PaidCall<never, Answer>, "frozen">;
type Written = {
  input: Omit<Owed["settleInput"], "x402AccessToken">;
  /** The token's document without its signature, which its repeat has; in the parts around it. Earlier gates wrote none. */
  token?: string[];
  payment: Omit<Payment, "token" | "credits"> & { credits: string };
  head: string;
};

/** How long an answer waits to be kept before it is paid. */
const KEEP_WAIT_MS = 1000;

/** Keeps an answer that is not paid yet in case the gate dies between its settlement and its response; tells whether it is kept. */
export const keepBy =
  <Input, Answer>(
    { repeat, call, token }: Pick<Paid<Input, Answer>, "repeat" | "call" | "token">,
    owed: Owed,
  ) =>
  async (answer: Answer): Promise<() => boolean> => {
    let isKept = false;
    const kept = repeat?.owe(() => writeOwed(call, answer, owed, token as AccessToken));
    const noted = kept?.then((whether) => (isKept = whether === true));
    if (noted) await inTime(noted, KEEP_WAIT_MS);
    return () => isKept;
  };

/** What settles an answer, and then its bytes; `null` for an answer that can't be kept, or a token in another base64. */
async function writeOwed<Answer>(
  call: Call<Answer>,
  answer: Answer,
  { payment, settleInput }: Owed,
  signed: AccessToken,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const frozen = (await call.frozen?.())?.freeze(answer);
  if (!frozen || frozen.body.byteLength > MAX_KEPT_BYTES) return null;
  const { token: _claims, ...paid } = payment;
  const { x402AccessToken, ...input } = settleInput;
  const json = decodeBase64(x402AccessToken) ?? "";
  if (encodeBase64(json) !== x402AccessToken) return null;
  const token = json.split(signatureOf(signed) ?? "");
  const text = toJson({ input, token, payment: paid, head: frozen.head });
  const head = new TextEncoder().encode(`${text}\n`);
  return joinBytes([head, frozen.body], head.byteLength + frozen.body.byteLength);
}

/**
 * Settles a kept answer under the id of its request, and then gives it. The gate that worked for it may be settling it, so
 * nothing is released, and where the payment fails it stays as it is. It settles the token in the form of that gate: what the
 * service compares is also what is not signed of it.
 */
export async function resumeOwed<Input, Answer>({
  createCharge,
  runPaidWork,
  repeatedElsewhere,
  repeatNotKept,
  ...paid
}: Resuming<Input, Answer>): Promise<Outcome<Answer>> {
  const owed = paid.repeat?.owed as Uint8Array<ArrayBuffer>;
  const { record } = paid;
  const { hasSucceeded: _judged, ...call } = paid.call;
  const at = owed.indexOf(10);
  const written: Written = JSON.parse(new TextDecoder().decode(owed.subarray(0, at)));
  const form = await call.frozen?.();
  if (!form) throw new Error("A kept answer is of another kind of call.");
  const answer = form.thaw({ head: written.head, body: owed.slice(at + 1) });
  const credits = BigInt(written.payment.credits);
  const token = paid.token as AccessToken;
  const payment = { ...written.payment, credits, token: claimsOf(token) };
  const x402AccessToken = written.token
    ? encodeBase64(written.token.join(signatureOf(token) ?? ""))
    : (call.token as Owed["settleInput"]["x402AccessToken"]);
  const charge = createCharge({ ...written.input, x402AccessToken }, payment);
  const ofRepeat: Record<string, () => Refusal> = {
    settlement_pending: repeatedElsewhere,
    // Its reservation was released, or its id names another request: only a new id can be paid.
    conflict: repeatNotKept,
    idempotency_conflict: repeatNotKept,
  };
  let open: Refusal | undefined;
  const outcome = await runPaidWork({
    ...paid,
    call: { ...call, run: async () => answer },
    payment,
    charge: {
      ...charge,
      async settle() {
        const settlement = await charge.settle("leave");
        // What the first gate reported of the request is true until it is paid.
        if (settlement.success) record.add(factsOf(payment));
        else open = ofRepeat[settlement.errorReason]?.();
        if (open) {
          const { httpStatus, body } = open;
          record.end({ moneyStatus: "refused", httpStatus, reason: body.code });
        }
        return settlement;
      },
      release: async () => {},
    },
    isDelivered: () => true,
    isRepeatable: false,
    mode: "strict",
  });
  return open ?? outcome;
}

const factsOf = ({ planId, agentRequestId, payer, agentId, verification }: Payment) => {
  const { scheme, network } = verification;
  return { planId, scheme, network, agentRequestId, payer, agentId };
};
