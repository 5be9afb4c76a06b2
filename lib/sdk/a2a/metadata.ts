/** The members of a message's metadata that carry its payment. */
export const A2A_PAYMENT = {
  STATUS: "x402.payment.status",
  REQUIRED: "x402.payment.required",
  PAYLOAD: "x402.payment.payload",
  RECEIPTS: "x402.payment.receipts",
  ERROR: "x402.payment.error",
} as const;

/** The name of the x402 extension of A2A, version 0.2. */
export const A2A_X402_EXTENSION =
  "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2";

/**
 * The entry of an agent card's `capabilities.extensions` that announces payment to callers.
 *
 * @example capabilities: { streaming: true, extensions: [paymentExtension({ planId, agentId, credits: 2 })] }
 */
export function paymentExtension({
  isRequired = true,
  credits,
  ...offer
}: {
  planId: string | readonly string[];
  agentId?: string;
  credits?: bigint | number;
  isRequired?: boolean;
}): {
  uri: string;
  description: string;
  required: boolean;
  params: Record<string, unknown>;
} {
  return {
    uri: A2A_X402_EXTENSION,
    description: "Messages are paid with x402 access tokens.",
    required: isRequired,
    params: { ...offer, ...(credits !== undefined && { credits: credits.toString() }) },
  };
}
