import { sha256 } from "../../protocol/encoding/sha256.ts";
import { PaymentsError } from "../../protocol/errors.ts";
import { TOKEN_CACHE_MS } from "../token-cache.ts";
import { createTtlCache } from "../ttl-cache.ts";

/** What may pay for a call: a plan's token, or what was signed by `exact`. */
export type CallPayment = {
  /** Its plan, or its offer and who pays it, in words. */
  way: string;
};

/** Of each state. */
const MOST_KEPT = 1000;

/** What may have paid for calls that can be made again. A call has the name that its caller gave it, else null. */
export function createNamedCalls() {
  const ofState = () => createTtlCache<Promise<CallPayment>>(TOKEN_CACHE_MS, MOST_KEPT);
  // An answer may still break off. Answered calls are many, and must not displace open ones.
  const states = { open: ofState(), answered: ofState() };

  const find = (name: string | null): Promise<CallPayment> | undefined =>
    name === null ? undefined : (states.open.get(name) ?? states.answered.get(name));

  /** Notes what pays for a call, for ten minutes or `ttlMs`; without a state, that it does not pay for it. */
  function note(
    name: string | null,
    payment: Promise<CallPayment>,
    state?: keyof typeof states,
    ttlMs?: number,
  ): void {
    if (name === null) return;
    for (const each of Object.values(states)) each.delete(name);
    if (state) states[state].set(name, payment, ttlMs);
  }

  return {
    find,
    note,

    /**
     * What may have paid for a call, else what `pay` begins; in a list, because the caller needs the promise. Throws
     * `outcome_unknown` where it is none of the ways that the 402 and the limits lead to now.
     */
    async claim<Own extends CallPayment>(
      name: string | null,
      ways: readonly string[],
      pay: () => Promise<Own>,
    ): Promise<[Promise<Own>]> {
      let known: Promise<CallPayment> | undefined;
      do {
        known = find(name);
        const held = await known?.catch(() => null);
        if (held && !ways.includes(held.way)) throw outcomeUnknown(held);
        // A call at the same time may have claimed it meanwhile.
      } while (known !== find(name));
      if (known) return [known as Promise<Own>];
      const own = pay();
      note(name, own, "open");
      own.catch(() => note(name, own));
      return [own];
    },
  };
}
export type NamedCalls = ReturnType<typeof createNamedCalls>;

/** The failure of a call that was made before, and may only be paid as it was then. */
export const outcomeUnknown = ({ way }: CallPayment): PaymentsError =>
  new PaymentsError(
    "outcome_unknown",
    `The call was made before under its key, and may be paid by ${way}. Its limits, or what its seller asks for, have changed.`,
    {
      hint: "Call again with the same Idempotency-Key and the earlier limits within ten minutes: it is not charged again. Another call needs another key.",
    },
  );

/** What names calls in memory: a seller's offers and URL may be long. A page without HTTPS has no WebCrypto, and keeps them whole. */
export const digestOf = async (text: string): Promise<string> =>
  crypto.subtle ? sha256(text) : text;
