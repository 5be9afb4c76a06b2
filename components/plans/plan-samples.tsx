import { codingPrompt } from "../shell/api/coding-prompt.ts";
import { CopyText } from "../ui/copy-text.tsx";
import { CodeTabs } from "../ui/data/code-tabs.tsx";
import { Section } from "../ui/page-header.tsx";
import type { Market } from "./market.ts";
import type { PlanTerms } from "./plan-terms.ts";
import {
  gateCurl,
  gateJavascript,
  routeConfigOf,
  type SampleAgent,
  subscriberCurl,
  subscriberJavascript,
} from "./subscriber-code.ts";

type SamplesProps = {
  planId: string;
  terms: PlanTerms;
  agent: SampleAgent | undefined;
  market: Market;
};

export function GateSamples({ market, ...sample }: SamplesProps) {
  return (
    <Section id="plan-gate" title="Put the gate in front of your endpoint">
      <p className="mb-4 max-w-[68ch] text-ink-2">
        {sample.agent
          ? "Without a token, the endpoint returns 402 with this plan. With one, the call runs, and its credits are charged after the response."
          : "No agent accepts this plan yet. Replace the endpoint in the code with yours."}
      </p>
      <p className="mb-3">
        <CopyText text={gatePrompt({ market, ...sample })}>Copy for coding agent</CopyText>
      </p>
      <CodeTabs
        label="Gate"
        usesOwnIds
        samples={[
          { language: "js", label: "JavaScript", code: gateJavascript(sample, market) },
          {
            language: "json",
            label: "RouteConfig",
            code: JSON.stringify(routeConfigOf(sample), null, 2),
          },
          { language: "curl", label: "cURL", code: gateCurl(sample) },
        ]}
      />
    </Section>
  );
}

const gatePrompt = ({ market, ...sample }: SamplesProps): string =>
  codingPrompt({
    task: "Put the Turnpike gate in front of my HTTP endpoint, so that each request pays with this plan. A request without the payment-signature header must get status 402 with the requirement in the payment-required header, and the handler must not run.",
    ids: [
      ["Plan", sample.planId],
      ...(sample.agent ? [["Agent", sample.agent.agentId] as const] : []),
    ],
    origin: market.origin,
    samples: [
      { title: "The gate", language: "js", code: gateJavascript(sample, market) },
      { title: "Check it", language: "sh", code: gateCurl(sample) },
    ],
  });

/** Code that orders the plan and calls its agent. */
export function SubscriberSamples({ market, ...sample }: SamplesProps) {
  return (
    <CodeTabs
      label="Use this plan"
      samples={[
        { language: "js", label: "JavaScript", code: subscriberJavascript(sample, market) },
        { language: "curl", label: "cURL", code: subscriberCurl(sample, market) },
      ]}
    />
  );
}
