import type { AccessToken } from "../../protocol/access-token-schema.ts";
import { toJson } from "../../protocol/json.ts";
import type { SettleInput } from "../../protocol/permission.ts";
import type { Frozen, PaidCall } from "../paid-call.ts";
import { claimsOf, type Payment } from "../payment.ts";
import type { SettleJobInput } from "../queue/settlement-queue.ts";
import { joinBytes } from "../request-body.ts";
import { MAX_KEPT_BYTES } from "./answer-store.ts";

/** A payment that is not settled yet, and how it is settled. */
type Owed = { payment: Payment; settleInput: SettleJobInput & { agentRequestId: string } };
type Call<Answer> = Pick<PaidCall<never, Answer>, "frozen">;
type Written = {
  input: Omit<Owed["settleInput"], "x402AccessToken">;
  payment: Omit<Payment, "token" | "credits"> & { credits: string };
  head: string;
};

/**
 * An answer that is not paid yet, as a store keeps it in case the gate dies between its settlement and its response: what
 * settles it, and then its bytes. Without the token, which its repeat has. `null` for an answer that can't be kept.
 */
export async function writeOwed<Answer>(
  call: Call<Answer>,
  answer: Answer,
  { payment, settleInput }: Owed,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const frozen = (await call.frozen?.())?.freeze(answer);
  if (!frozen || frozen.body.byteLength > MAX_KEPT_BYTES) return null;
  const { token: _claims, ...paid } = payment;
  const { x402AccessToken: _token, ...input } = settleInput;
  const text = toJson({ input, payment: paid, head: frozen.head });
  const head = new TextEncoder().encode(`${text}\n`);
  return joinBytes([head, frozen.body], head.byteLength + frozen.body.byteLength);
}

/** The call of a repeat whose work is the kept answer, as it was authorized. Nothing is known of its payment: it may be settled. */
export function resumeOwed<Input, Answer>(
  owed: Uint8Array<ArrayBuffer>,
  call: PaidCall<Input, Answer>,
  token: AccessToken,
) {
  const at = owed.indexOf(10);
  const written: Written = JSON.parse(new TextDecoder().decode(owed.subarray(0, at)));
  const { input, head } = written;
  const payment = {
    ...written.payment,
    credits: BigInt(written.payment.credits),
    token: claimsOf(token),
  };
  const frozen: Frozen = { head, body: owed.slice(at + 1) };
  const { planId, agentRequestId, payer, agentId, verification } = payment;
  const { scheme, network } = verification;
  return {
    kind: "authorized" as const,
    call: {
      ...call,
      run: async () => {
        const form = await call.frozen?.();
        if (!form) throw new Error("A kept answer is of another kind of call.");
        return form.thaw(frozen);
      },
    },
    payment,
    settleInput: { ...input, x402AccessToken: call.token as SettleInput["x402AccessToken"] },
    facts: { planId, scheme, network, agentRequestId, payer, agentId },
  };
}
