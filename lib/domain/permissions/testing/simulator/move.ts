import { PaymentsError } from "@turnpike/payments/protocol";
import type { Actor, Sent } from "./actor.ts";
import type { Round } from "./model-records.ts";
import { Lost, Waits } from "./world.ts";

/** One operation: what the model says of it, and what the service answers. */
export type Move = {
  text: string;
  expect: (round: Round) => string;
  run: (replica: number) => Promise<string>;
};

/** What the service answers, as the model words it. */
export async function answerOf(
  actor: Actor,
  sent: Sent | { id: string } | null,
  ask: () => Promise<string>,
): Promise<string> {
  if (sent) actor.touched.add(sent.id);
  if (sent && "token" in sent) {
    actor.sent.push(sent);
    actor.lastToken.set(sent.id, sent.token);
  }
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof Lost) return "lost";
    if (cause instanceof Waits) return "waits";
    if (PaymentsError.is(cause)) return cause.code;
    throw cause;
  }
}
