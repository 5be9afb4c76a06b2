import type { RequestRecord } from "@turnpike/payments/protocol";

type Times = "verifiedAt" | "settledAt" | "releasedAt";
type Plain = Omit<RequestRecord, Times | "at" | "paid" | "whoActs">;

/** One request as the statements about requests read it, its causes as each side may know them. */
export type RequestRow = { [K in keyof Plain]-?: Plain[K] | null } & {
  [K in Times]: Date | null;
} & {
  request_key: string;
  micros: string;
  builder: string;
  at: Date;
  moneyStatus: RequestRecord["moneyStatus"];
  cause: string | null;
  payerCause: string | null;
  paid: string | null;
};
