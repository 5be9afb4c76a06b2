/** Paid messages of the Agent2Agent protocol: what `@turnpike/payments/a2a` exports. */
export type { PaidCallOptions } from "../in-band/pay.ts";
export { A2A_PAYMENT, A2A_X402_EXTENSION, paymentExtension } from "./metadata.ts";
export { type MessageClient, sendPaidMessage } from "./send-paid-message.ts";
export { type PaidAgent, withPayment } from "./with-payment.ts";
