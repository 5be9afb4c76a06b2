import { PaymentsError } from "../../protocol/errors.ts";
import type { FetchToken } from "../fetch-tokens.ts";
import { TOKEN_CACHE_MS } from "../token-cache.ts";
import { createTtlCache } from "../ttl-cache.ts";
import type { Ordered } from "./token-ends.ts";

/** A call, and the plans that may pay for it. */
export type NamedCall = {
  /** Of its kind. */
  key: string;
  /** The call itself, also when it is made again; null where its caller gave it no key. */
  name: string | null;
  /** The plans of its seller's offers, and of those that the caller's limits allow. */
  offered: readonly (string | undefined)[];
  allowed: readonly string[];
};

/** Calls of each state. */
const MOST_KEPT = 1000;
/** A seller may say a call's URL, which is then also another's: that one has other plans. */
const nameAt = (name: string, planId: string | undefined) => `${name}/${planId}`;

/** The tokens of calls that may be made again: with another one, a repeat would be charged again. */
export function createCallTokens(
  endOnce: (token: Promise<FetchToken>, held: FetchToken) => Promise<Ordered>,
) {
  const ofState = () => createTtlCache<Promise<FetchToken>>(TOKEN_CACHE_MS, MOST_KEPT);
  // An answer may still break off. Answered calls are many, and must not displace open ones.
  const states = { open: ofState(), answered: ofState() };

  function find({ name, offered }: NamedCall): Promise<FetchToken> | undefined {
    if (name === null) return undefined;
    const names = offered.map((planId) => nameAt(name, planId));
    return names.map((each) => states.open.get(each) ?? states.answered.get(each)).find(Boolean);
  }

  return {
    find,

    /** Notes the token that pays for a call, for ten minutes or `ttlMs`; without a state, that it does not pay for it. */
    note(
      { name }: NamedCall,
      token: Promise<FetchToken>,
      { planId }: FetchToken,
      state?: keyof typeof states,
      ttlMs?: number,
    ) {
      if (name === null) return;
      const own = nameAt(name, planId);
      for (const each of Object.values(states)) each.delete(own);
      if (state) states[state].set(own, token, ttlMs);
    },

    /**
     * Lets a call that is made again use its token, which may spend no more than its limits now allow: one that may order within
     * others is ended first, and if it ordered, it can't again. Ended or not, it finds what it paid for. Throws `outcome_unknown`
     * where the service can't tell, or the limits leave out its plan.
     */
    async admit(call: NamedCall): Promise<void> {
      const token = find(call);
      const held = await token;
      if (!token || !held) return;
      const { key, planId, purchase } = held;
      if (call.allowed.includes(planId)) {
        if (key === call.key || !purchase) return;
        held.open ??= "lost";
        if (held.users === 0 && (await endOnce(token, held)).order !== "unknown") return;
      }
      throw new PaymentsError(
        "outcome_unknown",
        `The call was made before under its key, and plan ${planId} may pay for it within its earlier limits, which are not those of this call.`,
        {
          hint: "Call again with the same Idempotency-Key and the earlier limits within ten minutes: it is not charged again.",
        },
      );
    },
  };
}
