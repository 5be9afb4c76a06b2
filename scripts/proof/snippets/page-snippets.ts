import { gatingSamples } from "@/components/agents/gating-code.ts";
import { GATE_SAMPLES } from "@/components/landing/gate-samples.ts";
import { payloadOfDraft } from "@/components/plans/builder/payload-of-draft.ts";
import { newDraft } from "@/components/plans/builder/plan-draft.ts";
import type { Market } from "@/components/plans/market.ts";
import * as planCode from "@/components/plans/plan-code.ts";
import type { PlanTerms } from "@/components/plans/plan-terms.ts";
import * as subscriberCode from "@/components/plans/subscriber-code.ts";
import * as callCode from "@/components/shell/api/call-code.ts";
import { CALLED_ROUTES } from "@/components/shell/api/called-routes.ts";
import { callsOfPage } from "@/components/shell/api/page-calls.ts";
import { tokenForms } from "@/components/tokens/token-forms.ts";
import * as exported from "@/lib/playground/export-code.ts";
import { operations } from "@/lib/sdk/protocol/operations.ts";

/** A snippet as a page shows it, and what shows that it works: it ends well, it is paid, or, where it would change what is real, it is read without an error. */
export type PageSnippet = {
  name: string;
  language: "js" | "sh" | "python";
  code: string;
  way: "run" | "pay" | "check";
};

export type Seller = { planId: string; agentId: string; port: number; terms: PlanTerms };
type Buyer = { planId: string; agentId: string; url: string; terms: PlanTerms; token: string };

/** What a builder's pages show: how plans are created, and how their agent is gated. */
export function builderSnippets(market: Market, seller: Seller): PageSnippet[] {
  const { planId, agentId, port, terms } = seller;
  const url = `http://localhost:${port}/ask`;
  const sample = { planId, terms, agent: { agentId, verb: "POST", url } };
  const drafts = (["perCall", "flexible", "timePass", "trial"] as const).flatMap((kind) => {
    const draft = { ...newDraft(market, "1"), kind, name: `Sample, ${kind}` };
    const reading = payloadOfDraft(draft, market);
    if (!reading.isPayload) throw new Error(`${kind}: ${JSON.stringify(reading.faults)}`);
    return [
      js(`new plan, ${kind}`, planCode.javascriptOf(reading, market)),
      sh(`new plan, ${kind}`, planCode.curlOf(reading.payload, market)),
      python(`new plan, ${kind}`, planCode.pythonOf(reading.payload, market)),
    ];
  });
  const { environment, origin } = market;
  const routes = [{ verb: "POST", url }];
  const gated = gatingSamples({
    ...{ agentId, planIds: [planId], routes, credits: "1", environment, origin },
  }).map(({ language, label, code }): PageSnippet => {
    if (language === "curl") return { ...sh("agent, gate", code), way: "check" };
    return { ...js(`agent, gate, ${label}`, code), way: language === "fetch" ? "run" : "pay" };
  });
  // They name a module of the reader's own.
  const landing = GATE_SAMPLES.map(({ label, code }) => js(`first page, ${label}`, code, "check"));
  return [
    ...drafts,
    { ...js("plan, gate", subscriberCode.gateJavascript(sample, market)), way: "pay" },
    sh("plan, gate", subscriberCode.gateCurl(sample), "check"),
    ...gated,
    ...landing,
    ...pageCalls(market, { planId, agentId }),
  ];
}

/** What a subscriber sees: how a plan is used, a token as a command, and a run of the playground as code. */
export function buyerSnippets(market: Market, buyer: Buyer): PageSnippet[] {
  const { planId, agentId, url, terms, token } = buyer;
  const sample = { planId, terms, agent: { agentId, verb: "POST", url } };
  const body = '{"text":"How many words?"}';
  const headers: [string, string][] = [["content-type", "application/json"]];
  const run = { method: "POST", url, headers, body };
  const where = { baseUrl: market.origin, maxCredits: "5" };
  return [
    js("public plan", subscriberCode.subscriberJavascript(sample, market)),
    sh("public plan", subscriberCode.subscriberCurl(sample, market)),
    sh("token", tokenForms(token, { url, method: "POST" }).curl),
    js("playground, SDK", exported.sdkCodeOf({ ...run, ...where, planId })),
    js("playground, fetch", exported.fetchCodeOf(run)),
    sh("playground", exported.curlOf(run)),
  ];
}

/** The calls that pages show in their API panel. Those that change something are only read. */
function pageCalls(market: Market, ids: { planId: string; agentId: string }): PageSnippet[] {
  return CALLED_ROUTES.flatMap((route) => {
    const path = route
      .replace("[planId]", ids.planId)
      .replace("[agentId]", ids.agentId)
      .replace("[address]", market.ownAddress ?? "");
    const isReal = !path.includes("[");
    return callsOfPage(path.replaceAll(/\[\w+\]/g, ids.planId)).flatMap((call) => {
      const isRead = isReal && operations[call.name].method === "GET";
      const way = isRead ? "run" : "check";
      const name = `${route}, ${call.name}`;
      return [
        js(name, callCode.javascriptOf(call, market), way),
        sh(name, callCode.curlOf(call, market), way),
      ];
    });
  });
}

type Way = PageSnippet["way"];
const js = (name: string, code: string, way: Way = "run"): PageSnippet => ({
  ...{ name, language: "js", code, way },
});
const sh = (name: string, code: string, way: Way = "run"): PageSnippet => ({
  ...{ name, language: "sh", code, way },
});
const python = (name: string, code: string, way: Way = "run"): PageSnippet => ({
  ...{ name, language: "python", code, way },
});
