/** Paid tools of the Model Context Protocol: what `@turnpike/payments/mcp` exports. */
export type { PaidCallOptions } from "../in-band/pay.ts";
export { callPaidTool, type ToolClient } from "./call-paid-tool.ts";
export { MCP_PAYMENT, MCP_PAYMENT_RESPONSE, type ToolResult } from "./tool-result.ts";
export { type PaidTool, type ToolExtra, withPayment } from "./with-payment.ts";
