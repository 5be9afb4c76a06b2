import { randomId } from "../../client/random-id.ts";
import type { AccessToken } from "../../protocol/access-token-schema.ts";
import { sha256 } from "../../protocol/encoding/sha256.ts";
import { readSignatureInput } from "../../protocol/encoding/signature-base.ts";
import { isExactOffer } from "../../protocol/exact/exact-payload.ts";
import type { RequestProof } from "../../protocol/request-signature.ts";
import type { Unnamed } from "../faults/unnamed.ts";
import type { Logger } from "../logger.ts";
import type { Keep, Outcome, PaidCall } from "../paid-call.ts";
import {
  type Refusal,
  refuseForNow,
  repeatedElsewhere,
  repeatedOther,
  repeatNotKept,
} from "../refusals.ts";
import { type AnswerStore, type KeptAnswer, MAX_KEPT_BYTES } from "./answer-store.ts";
import { answerKey, deriveRequestId, readRepeatId } from "./repeat-id.ts";

/** A request its client may repeat: the first one under its id, which does the work. */
export type Repeatable = {
  kind: "first";
  /** Its id at the service. */
  requestId: string;
  /** Of a payment by `exact`: a digest of the request and of its client's own id, where it has one. */
  requestDigest: string | undefined;
  /** Its outcome, which keeps the answer of work that was paid and lets the id be tried again otherwise. */
  watch<Answer>(outcome: Outcome<Answer>): Promise<Outcome<Answer>>;
  /** Lets the id be tried again; not of an answer that may be paid by its repeat. */
  drop(): Promise<void>;
  /** Refuses the id from now on instead, or keeps what is owed: its reservation may be settled or released at any later time. */
  spoil(): void;
  /** An answer that was kept before it was paid, by a process that may have died then. */
  owed: Uint8Array<ArrayBuffer> | undefined;
  /** Keeps an answer that is not paid yet; whether it did. Never throws. */
  owe(write: () => Promise<Uint8Array<ArrayBuffer> | null>): Promise<boolean | undefined>;
  /** Refuses the id from now on, until its answer is kept or its work fails. Never throws. */
  markPaid(): Promise<void>;
};

type Opened = Repeatable | { kind: "repeated"; kept: KeptAnswer } | Refusal | null;
type Naming = Pick<PaidCall<never, never>, "idempotencyKey" | "fingerprint">;

/**
 * Gives the answer of paid work again, free, to the same token and id. Repeats that come while the work runs
 * wait for it; the same id with another request is refused. A wallet's payment is one request under its own nonce.
 */
export function createRepeats(store: AnswerStore, logger: Logger) {
  const running = new Map<string, { fingerprint: string; over: Promise<void> }>();
  const trying: Trying = async (act) => {
    try {
      return await act();
    } catch (error) {
      logger.error("The store of answers failed.", { reason: String(error) });
    }
  };

  const refuse = async (fault: Unnamed, route: string): Promise<Refusal> =>
    (await import("../faults/unnamed.ts")).refuseUnnamed(fault, route, logger);

  /** The first request of its id, the kept answer, a refusal, or `null` for a request without an id. */
  return async function openRepeat(
    call: Naming,
    token: AccessToken,
    proof: RequestProof | null,
    route: string,
  ): Promise<Opened> {
    // Of a token bound to a key only what is signed names a request.
    const { cnf } = token.payload.authorization;
    const given = cnf ? { id: nonceOf(proof) } : readRepeatId(call.idempotencyKey, token);
    if ("fault" in given) return refuse(given, route);
    const isExact = isExactOffer(token.accepted ?? {});
    let own = given.id ?? (isExact ? challengeOf(token) : null);
    const id = isExact ? nonceOfExact(token) : own;
    if (id === null) return null;
    let fingerprint = isExact
      ? await fingerprintOfExact(call, own, given.id !== null)
      : await fingerprintOf(call);
    // A client that chose no id did not ask to have its body read.
    if (typeof fingerprint !== "string" && given.id === null) {
      own = null;
      fingerprint = randomId("");
    }
    if (typeof fingerprint !== "string") return refuse(fingerprint, route);
    // Others who know a payment don't hold up its client.
    const key = await answerKey(token, isExact ? id + own : id);
    const refuseOther = isExact ? repeatNotKept : repeatedOther;

    for (let other = running.get(key); other; other = running.get(key)) {
      if (other.fingerprint !== fingerprint) return refuseOther();
      await other.over;
    }
    let finish = () => {};
    const over = new Promise<void>((resolve) => {
      finish = () => {
        running.delete(key);
        resolve();
      };
    });
    running.set(key, { fingerprint, over });
    const claimed = await trying(() => store.claim(key));
    const owed = owedIn(claimed, fingerprint);
    // What a payment by `exact` bought, the service knows, and gives another token for it.
    const { head, fingerprint: known } = Object(claimed);
    if (claimed === "claimed" || owed || (isExact && head === "" && known === fingerprint)) {
      const requestId = await deriveRequestId(token, id);
      const requestDigest = isExact && own ? fingerprint : undefined;
      return createRepeatable({
        store,
        trying,
        key,
        requestId,
        requestDigest,
        fingerprint,
        owed,
        finish,
      });
    }
    finish();
    if (!claimed) return refuseForNow(1);
    if (claimed === "running") return repeatedElsewhere();
    if (claimed.fingerprint !== fingerprint) return refuseOther();
    return claimed.head === "" ? repeatNotKept() : { kind: "repeated", kept: claimed };
  };
}

/** Without a head, as what is paid and not kept: a gate that knows no owed answers refuses its repeat. */
function owedIn(claimed: unknown, own: string): KeptAnswer["body"] | undefined {
  // A store may have nothing, or nothing for the empty body of a mark.
  const { head, body, fingerprint }: Partial<KeptAnswer> = Object(claimed);
  return head === "" && fingerprint === own && body?.byteLength ? body : undefined;
}

const nonceOf = (proof: RequestProof | null): string | null =>
  (proof && readSignatureInput(proof.signatureInput)?.nonce) ?? null;

/** The id of the 402 that a payment answers, which its client was sent alone. */
const challengeOf = ({ accepted }: AccessToken) => (accepted?.extra?.challengeId as string) ?? null;

const nonceOfExact = ({ payload }: AccessToken): string => payload.authorization.jti ?? "";

const fingerprintOf = async (call: Naming, isAsked = true): Promise<string | Unnamed> =>
  (await call.fingerprint?.(isAsked)) ?? { fault: "broken" };

/**
 * A wallet's payment is public once it is captured: its nonce and its signature are on chain. Only the client's own id or that
 * of its 402, which are not, gets its answer again; without one every repeat is another request.
 */
async function fingerprintOfExact(call: Naming, id: string | null, isAsked: boolean) {
  if (id === null) return randomId("");
  const fingerprint = await fingerprintOf(call, isAsked);
  return typeof fingerprint === "string" ? sha256(JSON.stringify([fingerprint, id])) : fingerprint;
}

/** Asks the store; nothing when it fails. */
type Trying = <Result>(act: () => Result | Promise<Result>) => Promise<Result | undefined>;

type First = {
  store: AnswerStore;
  trying: Trying;
  key: string;
  requestId: string;
  requestDigest: string | undefined;
  fingerprint: string;
  owed: Uint8Array<ArrayBuffer> | undefined;
  finish: () => void;
};

function createRepeatable({
  store,
  trying,
  key,
  requestId,
  requestDigest,
  fingerprint,
  owed,
  finish,
}: First): Repeatable {
  let isKept = false;
  let writing: Promise<void> | undefined;
  let isOver = false;
  let isSpoiled = false;
  const end = async (act: () => void | Promise<void>) => {
    if (isOver) return;
    isOver = true;
    const run = () => trying(act).then(finish);
    // The first answer must not replace what comes after it. No call waits while it is being written.
    await (writing ? void writing.then(run) : run());
  };
  const write = (answer: Parameters<Keep>[0]) => {
    const fits = answer !== null && answer.body.byteLength <= MAX_KEPT_BYTES;
    const { head, body } = fits ? answer : { head: "", body: new Uint8Array() };
    return store.keep(key, { fingerprint, head, body });
  };
  const keep: Keep = (answer) => end(() => write(answer));
  const drop = () =>
    end(() => {
      // What may be settled stays: its repeat settles it.
      if (owed || (isSpoiled && isKept)) return;
      return isSpoiled ? write(null) : store.drop(key);
    });
  return {
    kind: "first",
    requestId,
    requestDigest,
    drop,
    spoil: () => {
      isSpoiled = true;
    },
    owed,
    owe(make) {
      const kept = trying(async () => {
        const body = await make();
        if (body) await store.keep(key, { fingerprint, head: "", body });
        isKept = body !== null;
        return isKept;
      });
      writing = kept.then(() => {
        writing = undefined;
      });
      return kept;
    },
    markPaid: () => trying(() => write(null)),
    async watch(outcome) {
      // Work that was paid before it ran and then threw has a receipt, too.
      const isPaid =
        outcome.kind !== "refused" && "settlement" in outcome && outcome.settlement?.success;
      if (isPaid || outcome.kind === "delivered") return { keep, ...outcome };
      if (outcome.kind !== "flowing") {
        await drop();
        return outcome;
      }
      return {
        ...outcome,
        keep,
        async end(how) {
          const settlement = await outcome.end(how);
          if (settlement === null || settlement.outcome === "failed") await drop();
          return settlement;
        },
      };
    },
  };
}
