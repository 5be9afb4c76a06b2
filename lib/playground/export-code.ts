import { isExactOffer, type X402PaymentRequired } from "@turnpike/payments/protocol";
import { type HeaderLine, TOKEN_NAME } from "./exchange.ts";
import { isTransferOffer } from "./foreign-offer.ts";
import { isUsdc } from "./offer-cost.ts";
import { isSecretHeader } from "./redact.ts";
import type { RunInput } from "./run.ts";

// A shared run was written by a stranger, and its code is pasted into a shell or an editor: all of it is quoted as the
// language does.

type Exported = Pick<RunInput, "method" | "url" | "headers" | "body">;

/** A header's name, by RFC 9110. It may still contain `$`, backticks and quotes. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The headers that a client can send; to an object of JavaScript, `__proto__` is no property. */
const sendable = (headers: readonly HeaderLine[]): readonly HeaderLine[] =>
  headers.filter(([name]) => NAME.test(name) && name !== "__proto__");

const variableOf = (name: string): string =>
  `AGENT_${name.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}`;

/** Single-quotes text for any POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The paid request as a cURL command. Secrets are environment variables. */
export function curlOf({ method, url, headers, body }: Exported): string {
  const lines = [
    // `--globoff`: braces and brackets in a URL are literal. `--head`: do not wait for a body.
    // `--url`: text that begins with a hyphen is not an option.
    `curl --globoff ${method === "HEAD" ? "--head" : `--include --request ${quote(method)}`} --url ${quote(url)}`,
    ...sendable(headers).map(([name, value]) =>
      isSecretHeader(name)
        ? `  --header ${quote(`${name}: `)}"$${variableOf(name)}"`
        : `  --header ${quote(`${name}: ${value}`)}`,
    ),
    `  --header "payment-signature: ${TOKEN_NAME}"`,
    ...(body === null ? [] : [`  --data-raw ${quote(body)}`]),
  ];
  return lines.join(" \\\n");
}

const literal = (value: unknown): string => JSON.stringify(value);

function initLines({ method, headers, body }: Exported, extra: string[] = []): string[] {
  const headerLines = [...sendable(headers).map(headerLine), ...extra];
  return [
    `  method: ${literal(method)},`,
    ...(headerLines.length > 0 ? ["  headers: {", ...headerLines, "  },"] : []),
    ...(body === null ? [] : [`  body: ${literal(body)},`]),
  ];
}

const headerLine = ([name, value]: HeaderLine): string =>
  isSecretHeader(name)
    ? `    ${literal(name)}: process.env.${variableOf(name)} ?? "",`
    : `    ${literal(name)}: ${literal(value)},`;

type ForSdk = Exported & {
  baseUrl: string;
  /** Named, a request that can't be signed is paid wherever it goes. */
  planId?: string | null;
  maxCredits?: string;
  /** In cents, for a seller that is paid by `exact`. */
  maxSpend?: string | undefined;
};

/** Whether a 402 offers `exact` only; a token pays otherwise. */
export const isExactOnly = (requirement: X402PaymentRequired | null): boolean =>
  requirement?.accepts.every(isExactOffer) === true;

/** What a request by `exact` costs in cents, rounded up, by the offer that a run pays. The worth of other tokens than USDC is not known. */
export function exactCentsOf(requirement: X402PaymentRequired | null): string | undefined {
  if (!isExactOnly(requirement)) return undefined;
  const offer = requirement?.accepts.find(isTransferOffer);
  if (!isUsdc(offer?.asset)) return undefined;
  return String((BigInt(offer?.amount ?? 0) + 9_999n) / 10_000n);
}

/** How the package is installed. The service serves it itself: in a registry the name may be someone else's. */
export const installLine = (origin: string, packages = ""): string =>
  `// npm install ${origin}/downloads/turnpike-payments.tgz${packages}`;

/** The whole exchange with the SDK, which handles the 402, mints a token within the limit and retries. */
export function sdkCodeOf(run: ForSdk): string {
  // A foreign seller's receipt is its own; the payment says what became of what the account signed.
  const proof = run.maxSpend ? "payment" : "receipt";
  const limit = run.maxSpend
    ? `maxSpend: ${run.maxSpend}n`
    : `${run.planId ? `planId: ${literal(run.planId)}, ` : ""}maxCredits: ${run.maxCredits ?? "1"}n`;
  return [
    installLine(run.baseUrl),
    "// node call.mjs, with TURNPIKE_API_KEY in the environment",
    'import { Payments } from "@turnpike/payments";',
    "",
    `const payments = Payments.getInstance({ baseUrl: ${literal(run.baseUrl)} });`,
    `const { response, ${proof}, declined } = await payments.fetch(${literal(run.url)}, {`,
    ...initLines(run),
    `}, { ${limit} });`,
    "console.log(response.status, await response.text());",
    `console.log(${proof} ?? declined);`,
    "",
  ].join("\n");
}

const SHOW_RECEIPT = [
  "console.log(response.status, await response.text());",
  'const receipt = response.headers.get("payment-response");',
  'if (receipt) console.log(JSON.parse(Buffer.from(receipt, "base64").toString("utf8")));',
  "",
];

/** The whole exchange with the stock x402 client and a wallet's own key, for a seller that is paid by `exact`. */
export function stockCodeOf(run: Exported): string {
  return [
    "// npm install @x402/fetch @x402/evm viem",
    "// node call.mjs, with WALLET_PRIVATE_KEY in the environment",
    'import { ExactEvmScheme } from "@x402/evm/exact/client";',
    'import { wrapFetchWithPayment, x402Client } from "@x402/fetch";',
    'import { privateKeyToAccount } from "viem/accounts";',
    "",
    "const wallet = privateKeyToAccount(process.env.WALLET_PRIVATE_KEY);",
    'const client = new x402Client().register("eip155:*", new ExactEvmScheme(wallet));',
    `const response = await wrapFetchWithPayment(fetch, client)(${literal(run.url)}, {`,
    ...initLines(run),
    "});",
    ...SHOW_RECEIPT,
  ].join("\n");
}

/** The paid request with plain `fetch` and an existing token. */
export function fetchCodeOf(run: Exported): string {
  return [
    `const response = await fetch(${literal(run.url)}, {`,
    ...initLines(run, ['    "payment-signature": process.env.TURNPIKE_ACCESS_TOKEN ?? "",']),
    "});",
    ...SHOW_RECEIPT,
  ].join("\n");
}

/** A Playwright test of the exchange: 402 without a token, 2xx with one, and a receipt. */
export function playwrightCodeOf(run: Exported): string {
  const { method, headers, body } = run;
  const options = (extra: string[]) => [
    `    method: ${literal(method)},`,
    "    headers: {",
    ...sendable(headers).map((line) => `  ${headerLine(line)}`),
    ...extra,
    "    },",
    ...(body === null ? [] : [`    data: ${literal(body)},`]),
  ];
  return [
    'import { expect, test } from "@playwright/test";',
    "",
    `const url = ${literal(run.url)};`,
    "",
    'test("requires payment, then answers with a receipt", async ({ request }) => {',
    "  const unpaid = await request.fetch(url, {",
    ...options([]),
    "  });",
    "  expect(unpaid.status()).toBe(402);",
    '  expect(unpaid.headers()["payment-required"]).toBeTruthy();',
    "",
    "  const paid = await request.fetch(url, {",
    ...options(['      "payment-signature": process.env.TURNPIKE_ACCESS_TOKEN ?? "",']),
    "  });",
    "  expect(paid.ok()).toBe(true);",
    '  expect(paid.headers()["payment-response"]).toBeTruthy();',
    "});",
    "",
  ].join("\n");
}
