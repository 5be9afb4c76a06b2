/** Where a tool call carries its payment: the token's document in `_meta`. */
export const MCP_PAYMENT = "x402/payment";
/** Where a tool's result carries its receipt, in `_meta`. */
export const MCP_PAYMENT_RESPONSE = "x402/payment-response";

/** The parts of a tool's result that payments touch. */
export type ToolResult = {
  [member: string]: unknown;
  content?: unknown;
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
};

/** A result that asks for payment, or says why none could be taken, complete for stock x402 clients. */
export type RefusedToolResult = {
  [member: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError: true;
  _meta?: Record<string, unknown>;
};
