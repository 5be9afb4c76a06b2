import type { Payments } from "../client/payments.ts";
import type { GateOptions } from "../gate/gate-options.ts";
import { consoleLogger } from "../gate/logger.ts";
import type { Payment } from "../gate/payment.ts";
import type { Refusal } from "../gate/refusals.ts";
import type { RouteConfig } from "../gate/routes.ts";
import { createInBandGate } from "../in-band/gate-call.ts";
import { stockRefusal } from "../in-band/stock-refusal.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { toJson } from "../protocol/json.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";
import { createAsking } from "./asking.ts";
import { findMisfit, isOutputSchema, type OutputSchema } from "./output-schema.ts";
import {
  MCP_PAYMENT,
  MCP_PAYMENT_RESPONSE,
  type RefusedToolResult,
  type ToolResult,
} from "./tool-result.ts";

/** What a tool costs and how its requirement names it: `mcp://<server>/tools/<tool>`. */
export type PaidTool = Omit<RouteConfig, "credits" | "isSuccess" | "tool"> & {
  server: string;
  tool: string;
  /** Default 1; or a function of the tool's arguments, called once per call. */
  credits?: bigint | number | ((args: unknown) => bigint | number | Promise<bigint | number>);
  /**
   * The tool's own `outputSchema`: output that does not fit it costs nothing, unless `settle` is `before`. MCP clients validate
   * even an error's structured content against it, so the requirement is then in the result's text only.
   */
  outputSchema?: OutputSchema;
  /** Whether the tool succeeded, told by its result; one that did not costs nothing. Default: without `isError`. */
  isSuccess?: (result: ToolResult) => boolean;
};

/** MCP's error by which a client learns of a page to open, such as one to sign in on. */
const URL_ELICITATION_REQUIRED = -32042;

const isNoError = (result: ToolResult) => result.isError !== true;

/** The parts of an MCP server's `extra` that payments touch. */
export type ToolExtra = {
  signal?: AbortSignal;
  _meta?: Record<string, unknown> | undefined;
  requestInfo?: { headers: Record<string, unknown> };
};

/**
 * Puts a tool behind the gate: returns the callback for `registerTool`. The handler gets the payment as
 * its last argument. The token is read from `_meta["x402/payment"]`, the receipt is written to
 * `_meta["x402/payment-response"]`; without a token the result is an error with the requirement. A result
 * with `isError` and a throw cost nothing; a call that was cancelled and succeeds is paid. A failed settlement withholds the result,
 * unless `settle` is `after`. Throws `invalid_input` for a tool it could not guard.
 *
 * @example
 * server.registerTool("count", { inputSchema: { text: z.string() } },
 *   withPayment(payments, { server: "reader", tool: "count", planId, agentId, credits: 2 },
 *     async ({ text }) => ({ content: [{ type: "text", text: String(text.length) }] })));
 */
export function withPayment<
  Call extends [...args: unknown[], extra: ToolExtra],
  Result extends ToolResult,
>(
  payments: Payments,
  { server, tool, credits = 1n, outputSchema, isSuccess = isNoError, ...route }: PaidTool,
  handler: (...call: [...Call, Payment]) => Result | Promise<Result>,
  options: GateOptions = {},
): (...call: Call) => Promise<Result | RefusedToolResult> {
  checkTool({ ...route, tool, outputSchema });
  const url = `mcp://${encodeURIComponent(server)}/tools/${tool}`;
  /** Results of calls that failed, and what they threw where the server is to pass it on. */
  const failures = new WeakMap<Result, { thrown?: unknown }>();
  // Awaited: code without types can have an asynchronous check.
  const isDelivered = async (result: Result) =>
    !failures.has(result) && !!(await isSuccess(result));
  const failed = (text: string, thrown?: unknown): Result => {
    const result = { isError: true, content: [{ type: "text", text }] } as ToolResult as Result;
    failures.set(result, { thrown });
    return result;
  };
  const gate = createInBandGate<unknown, Result>(
    payments,
    { ...route, tool, credits, url, isDelivered, isJson: true, payIn: `_meta["${MCP_PAYMENT}"]` },
    options,
  );
  const { logger = consoleLogger, settle, timeoutMs } = options;
  const asking = createAsking<Result>(timeoutMs, { failed, isDelivered });

  async function work(call: Call, payment: Payment): Promise<Result> {
    try {
      const result = await handler(...call, payment);
      const unsendable = whyUnsendable(result);
      if (unsendable) {
        logger.error("A tool's result can't be sent as JSON.", { tool, reason: unsendable });
        return failed(`The tool's result can't be sent as JSON: ${unsendable}`);
      }
      const misfit = outputSchema && (await findMisfit(outputSchema, result));
      if (!misfit) return result;
      const message = "A tool's output does not fit its `outputSchema`.";
      logger.error(message, { tool, ...misfit });
      return failed(`${message} ${misfit.field}: ${misfit.reason}`);
    } catch (error) {
      // Only a result carries a receipt.
      if (settle !== "before") throw error;
      const text = error instanceof Error ? error.message : String(error);
      const isPassedOn = (error as { code?: unknown } | null)?.code === URL_ELICITATION_REQUIRED;
      if (isPassedOn) {
        asking.wait(payment);
        return failed(text, error);
      }
      logger.error("A tool failed after it was charged.", { tool, reason: String(error) });
      return failed(text);
    }
  }

  return async function paidTool(...call) {
    const extra = call[call.length - 1] as ToolExtra;
    const input = (call.length > 1 ? call[0] : undefined) ?? {};
    const run = (payment: Payment) => work(call.with(-1, withoutToken(extra)) as Call, payment);
    const outcome = await gate({
      payload: extra._meta?.[MCP_PAYMENT],
      input,
      fingerprint: input,
      work: run,
    });
    switch (outcome.kind) {
      case "free":
        return withoutReceipt(outcome.answer);
      case "paid": {
        const isOwn = failures.has(outcome.answer);
        const asked = isOwn ? undefined : asking.runAgain(outcome.receipt.agentRequestId, run);
        const answer = (await asked) ?? outcome.answer;
        const { thrown } = failures.get(answer) ?? {};
        if (thrown) throw thrown;
        const isLate = asked && (await isDelivered(answer));
        const receipt = { ...outcome.receipt, ...(isLate && { outcome: "succeeded" }) };
        return { ...answer, _meta: { ...answer._meta, [MCP_PAYMENT_RESPONSE]: receipt } };
      }
      default:
        return refusedResult(outcome, !outputSchema);
    }
  };
}

/** A receipt in what was not charged is not the gate's: a tool may pass on the result of another one that it paid. */
function withoutReceipt<Result extends ToolResult>(result: Result): Result {
  const { [MCP_PAYMENT_RESPONSE]: receipt, ..._meta } = result._meta ?? {};
  return receipt === undefined ? result : { ...result, _meta };
}

/** Why no transport could write a result, such as a `bigint` in it: it would be charged and never arrive. */
function whyUnsendable(result: ToolResult): string | null {
  try {
    return JSON.stringify(result) === undefined ? "The tool returned nothing." : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function checkTool({ tool, outputSchema, ...more }: Pick<PaidTool, "tool" | "outputSchema">): void {
  const refuse = (what: string, hint: string): never => {
    throw new PaymentsError("invalid_input", `Tool ${JSON.stringify(tool)}: ${what}`, { hint });
  };
  if (/[?#]/.test(tool)) {
    const hint = "Use letters, digits, and any of _ - . /";
    refuse('its URL would end before "?" or "#", as that of another tool.', hint);
  }
  if (("hasOutputSchema" in more && more.hasOutputSchema) || !isOutputSchema(outputSchema)) {
    const hint = "It replaces `hasOutputSchema`. A JSON Schema can't be checked here.";
    refuse("`outputSchema` must be what `registerTool` takes, such as a zod schema.", hint);
  }
}

/** What a tool learns of its call: everything but the token. */
function withoutToken(extra: ToolExtra): ToolExtra {
  const { [MCP_PAYMENT]: _payment, ..._meta } = extra._meta ?? {};
  const { [X402_HEADERS.PAYMENT_SIGNATURE]: _token, ...headers } = extra.requestInfo?.headers ?? {};
  return {
    ...extra,
    _meta,
    ...(extra.requestInfo && { requestInfo: { ...extra.requestInfo, headers } }),
  };
}

/** A refusal as a tool's result. */
function refusedResult(
  { body, settlement, agentRequestId }: Refusal,
  isStructured: boolean,
): RefusedToolResult {
  const content = {
    ...stockRefusal(body),
    ...(agentRequestId !== undefined && { agentRequestId }),
  };
  return {
    isError: true,
    content: [{ type: "text", text: toJson(content) }],
    ...(isStructured && { structuredContent: content }),
    ...(settlement && { _meta: { [MCP_PAYMENT_RESPONSE]: settlement } }),
  };
}
