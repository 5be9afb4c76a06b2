import { disputes } from "./disputes.ts";
import { refunds } from "./refunds.ts";

/** How money moves after a payment: loaded by the client at the first call. */
export const money = /* @__PURE__ */ { ...refunds, ...disputes };
