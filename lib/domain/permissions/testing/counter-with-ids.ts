import type { Specification } from "@/lib/testing/linearizability.ts";

/** An operation on one balance of whole credits. */
export type BalanceInput =
  | { kind: "reserve" | "settle"; id: string; amount: number }
  | { kind: "release"; id: string }
  | { kind: "order" }
  | { kind: "read" };

/** Its answer: the word, and the credits that it names. */
export type BalanceOutput = { word: string; credits?: number; held?: number };

type Request = {
  state: "held" | "settled" | "released";
  amount: number;
  left: number;
  /** Only what was reserved can be released. */
  wasHeld: boolean;
};
/** By `bucketOf`: a search makes a new state for each step, and copies one bucket instead of all requests. */
type Requests = readonly ReadonlyMap<string, Request>[];
/** `digest` is the same for the same requests, in whatever order they came to be so. */
type State = {
  available: number;
  held: number;
  requests: Requests;
  digest: number;
};

/** The answers of operations that may have changed something; a release of 0 credits changed nothing. */
const CHANGES = ["ok", "settled", "released", "minted"];
const BUCKETS = 64;
const NO_REQUESTS: Requests = Array.from({ length: BUCKETS }, () => new Map());

function bucketOf(id: string): number {
  let sum = 0;
  for (let at = 0; at < id.length; at++) sum = (sum * 31 + id.charCodeAt(at)) % BUCKETS;
  return sum;
}

const requestOf = ({ requests }: State, id: string) => requests[bucketOf(id)]?.get(id);

/** A bounded counter of credits with requests that reserve, take and give back, each once. An order adds `granted`. */
export function counterWithIds(granted: number): Specification<State, BalanceInput, BalanceOutput> {
  return {
    initial: { available: 0, held: 0, requests: NO_REQUESTS, digest: 0 },
    step(state, input, output) {
      const [next, answer] = act(state, input, granted);
      if (output === undefined) return next;
      const isSame = Object.entries(output).every(
        ([name, value]) => answer[name as keyof BalanceOutput] === value,
      );
      return isSame ? next : null;
    },
    isInert: (_, output) =>
      output !== undefined &&
      (!CHANGES.includes(output.word) || (output.word === "released" && output.credits === 0)),
    keyOf: ({ available, held, digest }) => `${available}/${held}/${digest}`,
  };
}

function act(state: State, input: BalanceInput, granted: number): [State, BalanceOutput] {
  const { available, held } = state;
  if (input.kind === "read") return [state, { word: "read", credits: available + held, held }];
  if (input.kind === "order") {
    const credits = available + granted + held;
    return [
      { ...state, available: available + granted },
      { word: "minted", credits },
    ];
  }
  const request = requestOf(state, input.id);
  if (input.kind === "release") {
    if (!request?.wasHeld) return [state, { word: "not_found" }];
    if (request.state !== "held") return [state, { word: "released", credits: 0 }];
    const { amount } = request;
    const next = { ...request, state: "released" } as const;
    const given = { available: available + amount, held: held - amount };
    return [change(state, input.id, { ...given, next }), { word: "released", credits: amount }];
  }
  return input.kind === "reserve" ? reserve(state, input, request) : settle(state, input, request);
}

type Taking = { id: string; amount: number };

function reserve(state: State, { id, amount }: Taking, request?: Request): [State, BalanceOutput] {
  const { available, held } = state;
  if (request?.state === "held") return [state, { word: "ok" }];
  if (request?.state === "settled") return [state, { word: "idempotency_conflict" }];
  if (available < amount) return [state, { word: "insufficient_balance" }];
  const next: Request = { state: "held", amount, left: 0, wasHeld: true };
  const taken = { available: available - amount, held: held + amount };
  return [change(state, id, { ...taken, next }), { word: "ok" }];
}

function settle(state: State, { id, amount }: Taking, request?: Request): [State, BalanceOutput] {
  const { available, held } = state;
  if (request?.state === "settled") return [state, { word: "settled", credits: request.left }];
  if (request?.state === "released") return [state, { word: "conflict" }];
  if (!request && available < amount) return [state, { word: "insufficient_balance" }];
  const left = available + held - amount;
  const next: Request = { state: "settled", amount, left, wasHeld: request !== undefined };
  const taken = request
    ? { available, held: held - amount }
    : { available: available - amount, held };
  return [change(state, id, { ...taken, next }), { word: "settled", credits: left }];
}

function change(
  { requests, digest }: State,
  id: string,
  { next, ...amounts }: { available: number; held: number; next: Request },
): State {
  const bucket = requests[bucketOf(id)];
  const before = bucket?.get(id);
  return {
    ...amounts,
    requests: requests.with(bucketOf(id), new Map(bucket).set(id, next)),
    digest: digest + digestOf(id, next) - (before ? digestOf(id, before) : 0),
  };
}

/** A whole number of 40 bits, so that thousands of them have an exact sum. */
function digestOf(id: string, { state, left, wasHeld }: Request): number {
  let digest = 0;
  for (const character of `${id} ${state} ${left} ${wasHeld}`) {
    digest = (digest * 8_191 + character.charCodeAt(0)) % 1_099_511_627_689;
  }
  return digest;
}
