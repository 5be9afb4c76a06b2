import recorded from "./recorded-call.json" with { type: "json" };

/** One paid call as `scripts/public/record-call.ts` made it. Amounts are decimal strings; headers are cut. */
export type RecordedCall = {
  recordedAt: string;
  agent: string;
  question: string;
  planName: string;
  /** The plan's price in millionths of a USDC. */
  planAmount: string;
  planCredits: string;
  /** The parts of the run one after another, in whole milliseconds. */
  ms: Record<"ask" | "mint" | "verify" | "work" | "settle" | "rest", number>;
  statuses: number[];
  required: string;
  offers: { plan: string; credits: string; scheme: string }[];
  signature: string;
  response: string;
  answer: string;
  before: string;
  after: string;
  settlementId: string;
  transaction: string;
};

export const RECORDED: RecordedCall = recorded;

const { ask, mint, verify, work, settle, rest } = RECORDED.ms;

/** When each line of the exchange was on the wire, in milliseconds since the first. */
export const RECORDED_AT = {
  ask: 0,
  required: ask,
  pay: ask + mint,
  answer: ask + mint + verify + work + settle + rest,
} as const;
