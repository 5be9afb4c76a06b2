import "server-only";
import { X402_HEADERS, X402PaymentRequired } from "@turnpike/payments/protocol";
import { envelopeOf, type Recording, type RefusedToken } from "./checks/check.ts";
import { forgeTokens } from "./doctor/forge-tokens.ts";
import { answerOf, type Exchange } from "./exchange.ts";
import { placeholdersOf } from "./fill-placeholders.ts";
import { askUnpaid, type ProbedEndpoint, type Prober } from "./probe-endpoint.ts";

const REPEATS = 8;

/** Repeats a request that required payment: ten times in total, as a browser, and with other values. */
export async function recordRepeats(
  prober: Prober,
  endpoint: ProbedEndpoint,
  ask: Exchange,
): Promise<Partial<Recording>> {
  if (answerOf(ask)?.status !== 402) return {};
  const times = [ask.outcome.ms];
  const repeat = async () => {
    const exchange = await askUnpaid(prober, endpoint);
    times.push(exchange.outcome.ms);
    return exchange;
  };
  const again = await repeat();
  const html = await askUnpaid(prober, endpoint, { headers: { accept: "text/html" } });
  const preflight = await askUnpaid(prober, endpoint, {
    method: "OPTIONS",
    headers: {
      origin: "https://pages.example",
      "access-control-request-method": endpoint.verb,
      "access-control-request-headers": X402_HEADERS.PAYMENT_SIGNATURE,
    },
  });
  for (let repeats = 0; repeats < REPEATS; repeats++) await repeat();
  const names = placeholdersOf(endpoint.url);
  const others = Object.fromEntries(names.map((name) => [name, "another-2"]));
  const otherValues =
    names.length > 0 ? await askUnpaid(prober, { ...endpoint, values: others }) : undefined;
  return { again, html, preflight, askMs: times, ...(otherValues && { otherValues }) };
}

/** Records the responses to tokens without a valid signature, which cannot be charged. */
export async function recordRefusals(
  prober: Prober,
  endpoint: ProbedEndpoint,
  ask: Exchange,
): Promise<Pick<Recording, "refused">> {
  if (answerOf(ask)?.status !== 402) return {};
  const parsed = X402PaymentRequired.safeParse(envelopeOf(ask));
  const [offer] = parsed.success ? parsed.data.accepts : [];
  const refused: RefusedToken[] = [];
  for (const { token, ...sent } of forgeTokens(offer ?? { scheme: "svc:erc4337" })) {
    const headers = { [X402_HEADERS.PAYMENT_SIGNATURE]: token };
    refused.push({ ...sent, exchange: await askUnpaid(prober, endpoint, { headers }) });
  }
  return { refused };
}
