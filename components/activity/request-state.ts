import type { RequestRecord } from "@turnpike/payments/protocol";

/** Whether the gate accepted a request that has no outcome yet. */
export const isUnderWay = (record: RequestRecord): boolean =>
  record.moneyStatus === "unknown" &&
  record.verifiedAt !== undefined &&
  record.releasedAt === undefined &&
  record.httpStatus === undefined;

/** Whether its outcome or its place on chain can still change. A payment to another seller is closed once it is in a block. */
export const isMoving = (record: RequestRecord): boolean =>
  isUnderWay(record) ||
  (!record.seller && ["pending", "submitted", "included"].includes(record.chainStatus));
