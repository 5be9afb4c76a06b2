import { CHARGED } from "@/lib/domain/figures/charged-attempts.ts";

/** Whether a report is about an attempt that was charged: in SQL, of a row of `request_reports`. */
export const isCharged = (alias: string): string =>
  `${alias}.money_status in (${CHARGED.map((status) => `'${status}'`).join(", ")})`;

const IS_SAME_KIND = `(${isCharged("excluded")}) = (${isCharged("request_reports")})`;
/** A column of the row that is kept: like `mergeAttempts`, for rows of several batches. */
const merged = (column: string) =>
  `${column} = case when ${IS_SAME_KIND} then coalesce(excluded.${column}, request_reports.${column}) else excluded.${column} end`;
export const MERGED = ["reason", "verify_ms", "work_ms", "settle_ms"].map(merged).join(", ");
/** Whether a row is kept in place of the one that is there. */
export const IS_KEPT = `${isCharged("excluded")} or not ${isCharged("request_reports")}`;
