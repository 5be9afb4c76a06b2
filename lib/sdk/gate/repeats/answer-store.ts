/** The answer of paid work, as a store keeps it for a repeat of its request. */
export type KeptAnswer = {
  /** Tells the request from another one under the same id. */
  fingerprint: string;
  /** What surrounds the body, as JSON; empty when the request is paid but its answer was not kept, or not paid yet. */
  head: string;
  body: Uint8Array<ArrayBuffer>;
};

/**
 * Where the gate keeps answers for repeats. Keys are hashes of a token and an id. Write one for your database
 * or cache to share answers between replicas: without it, a replica refuses what another one has answered.
 */
export type AnswerStore = {
  /**
   * Claims a key for the caller, who then does the work: `claimed`; or the answer that is kept; or `running`
   * while another caller has the claim. Atomic. A claim must lapse at some time, in case its process dies, but not before the
   * longest work has answered (option `timeoutMs` limits it): with `lease`, a repeat after that is worked on and charged again.
   */
  claim(
    key: string,
  ): KeptAnswer | "claimed" | "running" | Promise<KeptAnswer | "claimed" | "running">;
  /**
   * Replaces a claim by its answer, to be kept for a while. It may be called twice, and the second answer replaces the first. The
   * first has no head: before its settlement, what the work answered, or with `lease` a mark that the request is paid.
   */
  keep(key: string, answer: KeptAnswer): void | Promise<void>;
  /** Drops a claim, or the first answer that replaced it: the work did not succeed, and the id may be used again. */
  drop(key: string): void | Promise<void>;
};

/** Longer answers are not kept. */
export const MAX_KEPT_BYTES = 1024 * 1024;
