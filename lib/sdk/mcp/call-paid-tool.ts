import type { Payments } from "../client/payments.ts";
import { type PaidCallOptions, type PaidResult, payInBand } from "../in-band/pay.ts";
import { MCP_PAYMENT, MCP_PAYMENT_RESPONSE, type ToolResult } from "./tool-result.ts";

type ToolCall = {
  name: string;
  arguments?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
};

/** The part of an MCP client that a paid call needs. */
export type ToolClient<Result extends ToolResult> = {
  callTool(
    call: ToolCall,
    resultSchema?: undefined,
    options?: { signal?: AbortSignal; timeout?: number },
  ): Promise<Result>;
};

/**
 * Calls a tool, and pays when its result asks for payment: mints or reuses a token within the caps,
 * and retries with the token in `_meta`. A result that may not or cannot be paid is returned as it is,
 * and `declined` says why. Throws what the client and minting throw.
 *
 * @example
 * const { result, receipt } = await callPaidTool(payments, client, { name: "count", arguments: { text } }, { maxCredits: 5n });
 */
export function callPaidTool<Result extends ToolResult>(
  payments: Pick<Payments, "fetch">,
  client: ToolClient<Result>,
  call: ToolCall,
  options: PaidCallOptions = {},
): Promise<PaidResult<Result>> {
  return payInBand<Result>(
    payments,
    {
      url: `mcp://tool/tools/${encodeURIComponent(call.name)}`,
      send: (token, _previous, { timeoutMs: timeout, ...limits }) =>
        client.callTool(
          token ? { ...call, _meta: { ...call._meta, [MCP_PAYMENT]: token } } : call,
          undefined,
          { ...limits, ...(timeout !== undefined && { timeout }) },
        ),
      readRefusal,
      readReceipt: (result) => result._meta?.[MCP_PAYMENT_RESPONSE],
    },
    options,
  );
}

/** From the structured content, or from the text where a server writes only that. */
function readRefusal({ isError, structuredContent, content }: ToolResult): unknown {
  if (!isError) return undefined;
  if (structuredContent) return structuredContent;
  const [first] = Array.isArray(content) ? content : [];
  try {
    return JSON.parse((first as { text: string }).text);
  } catch {
    return undefined;
  }
}
