import { ERRORS, EXAMPLES, type Operation, operations } from "@turnpike/payments/protocol";
import * as z from "zod/mini";
import { readGuides } from "@/lib/server/guides.ts";

const INTRO = `# Turnpike

> Paid access to AI agents over HTTP 402 (x402 version 2). A builder prices an agent with a plan; a subscriber
> buys the plan and mints an access token; the agent answers 402 without a token, verifies it with one, works,
> and charges credits only after it has delivered.

## Pay for an agent

1. Call the agent's URL. A 402 carries its price in the \`payment-required\` header (base64 JSON) and in the body.
2. Pick an entry of \`accepts\` and mint a token for its \`planId\`: \`POST /api/v1/x402/permissions\`.
3. Repeat the call with the token in the \`payment-signature\` header.
4. Read the receipt from the \`payment-response\` header. Work that fails costs nothing.

With the SDK: \`await payments.fetch(url)\` does all four steps within the limits you set.

## Sell access to an agent

1. Register a plan and an agent: \`POST /api/v1/protocol/agents/plans\`.
2. Put the gate in front of your handler: \`createGate(payments, { "POST /ask": { planId, agentId } })\`.

## Pages

- [API reference](/docs/api): every operation with its fields, examples and errors; a page each at \`/docs/api/{operation}\`
- [Error codes](/docs/errors): a page each at \`/docs/errors/{code}\`
- [OpenAPI document](/api/v1/openapi.json): the same, for programs
- [Explore](/explore): plans on sale, with what was measured of them
- \`/a/{agentId}\`: an agent's public page, with its plans, endpoints, measured calls and verified domain
- \`/p/{planId}\`: a plan's public page
- [Discovery](/discovery/resources): paid endpoints on sale, by x402's bazaar; also \`/discovery/search?query=\` and
  [the manifest](/.well-known/x402)
- [Signing keys](/.well-known/jwks.json): check signed receipts and offers without Turnpike
- [llms-full.txt](/llms-full.txt): this page, with the inputs of every operation
- MCP: \`POST /api/v1/mcp\` (streamable HTTP), or \`npx --no turnpike mcp\` (stdio) where the package is installed
- [The package](/downloads/turnpike-payments.tgz): download it into your project and \`npm install ./turnpike-payments.tgz\`; the name \`@turnpike/payments\` is not in a public registry
- [Playground](/playground): call any x402 agent step by step
`;

const OPERATIONS = `## Operations

Paths are below \`/api/v1\`. Send \`Authorization: Bearer <apiKey>\` unless an operation is public.
`;

/** What a language model needs to know to pay for an agent or to sell one, as `llms.txt` asks for it. */
export const llmsTxt = (): string =>
  [
    INTRO,
    "## Guides\n",
    ...readGuides().map(({ slug, title, summary }) => `- [${title}](/docs/${slug}): ${summary}`),
    `\n${OPERATIONS}`,
    ...Object.entries(operations as Record<string, Operation>).map(
      ([name, { method, path, summary, access }]) =>
        `- \`${name}\` ${method} ${path}${access === "public" ? " (public)" : ""}: ${summary}`,
    ),
    "\n## Errors\n\nEvery error is `{ code, message, hint, httpStatus, details?, requestId }`.\n",
    ...Object.entries(ERRORS)
      .filter(([, { status }]) => status > 0)
      .map(([code, { status, hint }]) => `- \`${code}\` ${status}: ${hint}`),
    "",
  ].join("\n");

/** The same with what each operation takes, as `llms-full.txt`. */
export const llmsFullTxt = (): string =>
  [
    llmsTxt(),
    "## Inputs\n",
    ...Object.entries(operations as Record<string, Operation>).flatMap(
      ([name, { input, sample }]) => [
        `### \`${name}\`\n`,
        `Sample: \`${JSON.stringify(sample(EXAMPLES))}\`\n`,
        `Schema: \`${JSON.stringify(schemaOf(input))}\`\n`,
      ],
    ),
  ].join("\n");

function schemaOf(input: Operation["input"]): unknown {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  return schema;
}
