import { PaymentsError } from "../protocol/errors.ts";
import { toJson } from "../protocol/json.ts";
import { visibleText } from "../protocol/visible-text.ts";
import { readArguments, type Verb, type VerbContext } from "./verb.ts";
import { VERBS } from "./verbs.ts";

type Json = Record<string, unknown>;

/** Versions of the protocol whose initialization, ping and tools are as here; the newest first. */
export const MCP_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
const NO_JSON = -32700;
const INVALID_REQUEST = -32600;
const NO_METHOD = -32601;
const INVALID_PARAMS = -32602;
/** Each answer may be many times its message, and they are held until the last one. */
const MOST_IN_BATCH = 20;

const FAULT =
  "This failed unexpectedly, and may have been done. Check your activity before you repeat it. (internal)";

const toolName = ({ name }: Verb) => name.replaceAll("-", "_");

/** The verbs as tools of an MCP server. */
const TOOLS = VERBS.map((verb) => ({
  name: toolName(verb),
  title: verb.summary,
  description: `${verb.summary}.`,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(verb.inputs).map(([name, { type, description }]) => [
        name,
        { type, description, ...(type === "array" && { items: { type: "string" } }) },
      ]),
    ),
    required: verb.required,
    additionalProperties: false,
  },
  annotations: { readOnlyHint: verb.isReadOnly, openWorldHint: true },
}));

/**
 * Answers what an MCP client sent, whatever transport carried it: a message, or a batch of them, which the official SDK's server
 * takes in each version, although 2025-06-18 removed them.
 * `undefined` is a text that is not JSON. Null where nothing has an answer. What a tool throws is its result, with what to do about it; only what counts messages throws, before any is answered.
 */
export async function answerMcp(
  sent: unknown,
  context: VerbContext,
): Promise<Json | Json[] | null> {
  if (sent === undefined) {
    const error = { code: NO_JSON, message: "Expected JSON, nested no deeper than 200 levels." };
    return { jsonrpc: "2.0", id: null, error };
  }
  if (!Array.isArray(sent) || sent.length === 0) return answerMessage(sent, context);
  if (sent.length > MOST_IN_BATCH) {
    const message = `A batch has at most ${MOST_IN_BATCH} messages. Nothing was done.`;
    return { jsonrpc: "2.0", id: null, error: { code: INVALID_REQUEST, message } };
  }
  for (let more = 1; more < sent.length; more++) await context.countMessage?.();
  const answers: Json[] = [];
  // In turn: they spend from one budget.
  for (const message of sent) {
    const answer = await answerMessage(message, context);
    if (answer) answers.push(answer);
  }
  return answers.length > 0 ? answers : null;
}

/** Null for a notification, and for the answer to a question that we did not ask. */
async function answerMessage(message: unknown, context: VerbContext): Promise<Json | null> {
  const { jsonrpc, id, method, params, ...rest } = (
    typeof message === "object" && message !== null ? message : {}
  ) as { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: Json };
  if (jsonrpc === "2.0" && ("result" in rest || "error" in rest)) return null;
  const hasId = typeof id === "string" || typeof id === "number";
  const answer = (body: Json): Json => ({ jsonrpc: "2.0", id: hasId ? id : null, ...body });
  const refuse = (code: number, text: string) => answer({ error: { code, message: text } });
  if (jsonrpc !== "2.0" || typeof method !== "string") {
    return refuse(INVALID_REQUEST, "Expected one JSON-RPC 2.0 message.");
  }
  if (!hasId) return null;
  switch (method) {
    case "initialize": {
      const asked = MCP_VERSIONS.find((version) => version === params?.protocolVersion);
      return answer({
        result: {
          protocolVersion: asked ?? MCP_VERSIONS[0],
          capabilities: { tools: {} },
          serverInfo: { name: "turnpike", title: "Turnpike", version: "0.1.0" },
          instructions:
            "Find paid agents with search, see a URL's price with price, and pay for it with call. Spending stays within the limits of each call and of the account's delegations.",
        },
      });
    }
    case "ping":
      return answer({ result: {} });
    case "tools/list":
      return answer({ result: { tools: TOOLS } });
    case "tools/call": {
      const verb = VERBS.find((one) => toolName(one) === params?.name);
      if (!verb) return refuse(INVALID_PARAMS, `Unknown tool ${JSON.stringify(params?.name)}.`);
      return answer({ result: await runTool(verb, params?.arguments, context) });
    }
    default:
      return refuse(NO_METHOD, `Unknown method ${JSON.stringify(method)}.`);
  }
}

async function runTool(verb: Verb, given: unknown, context: VerbContext): Promise<Json> {
  try {
    const input = readArguments(verb, (given ?? {}) as Json);
    const { json, text, isRefused = false } = await verb.run(context, input);
    const structuredContent = JSON.parse(toJson(json)) as Json;
    return { content: [{ type: "text", text }], structuredContent, isError: isRefused };
  } catch (error) {
    if (!PaymentsError.is(error)) context.onFault?.(error);
    return { content: [{ type: "text", text: explain(error) }], isError: true };
  }
}

/** A failure in words that say what to do. No message of ours repeats a key or a token; another one might. */
export function explain(error: unknown): string {
  if (!PaymentsError.is(error)) return FAULT;
  const { code, message, hint } = error;
  // The message names the fields; the details that the hint speaks of are not shown.
  const remedy = code === "invalid_input" ? "" : hint;
  return visibleText(`${message}${remedy ? ` ${remedy}` : ""} (${code})`);
}
