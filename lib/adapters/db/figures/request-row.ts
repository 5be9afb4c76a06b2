import type { MoneyStatus, RequestRecord } from "@turnpike/payments/protocol";

/** One request as the statements about requests read it. */
export type RequestRow = {
  request_key: string;
  builder: string;
  agent_request_id: string;
  happened_at: Date;
  micros: string;
  account: string | null;
  plan_id: string | null;
  agent_id: string | null;
  scheme: string | null;
  credits: string;
  verified_at: Date | null;
  settled_at: Date | null;
  released_at: Date | null;
  settlement_id: string | null;
  transaction: string;
  chain_status: RequestRecord["chainStatus"];
  jti: string | null;
  delegation_id: string | null;
  money_status: MoneyStatus;
  cause: string | null;
  payer_cause: string | null;
  method: string | null;
  path: string | null;
  http_status: number | null;
  reason: string | null;
  verify_ms: number | null;
  work_ms: number | null;
  settle_ms: number | null;
  seller: string | null;
  paid: string | null;
};
