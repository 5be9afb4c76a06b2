import { CodeTabs } from "@/components/ui/data/code-tabs.tsx";
import { DiffView } from "@/components/ui/data/diff-view.tsx";
import { JsonTree } from "@/components/ui/data/json-tree.tsx";
import { ExampleSection } from "./example-section.tsx";

const TYPESCRIPT = `const receipt = await payments.fetch(url, {
  method: "POST",
  body: JSON.stringify({ question }),
  maxCredits: 1, // never charge more
})`;

const SAMPLES = [
  { language: "ts", label: "TypeScript", code: TYPESCRIPT },
  {
    language: "python",
    label: "Python",
    code: `receipt = payments.fetch(\n    url,\n    method="POST",\n    max_credits=1,  # never charge more\n)`,
  },
  {
    language: "curl",
    label: "cURL",
    code: `curl "$AGENT_URL/v1/ask" \\\n  -H "payment-signature: $SVC_TOKEN" \\\n  -H "content-type: application/json" \\\n  -d '{"question":"Which filings name a going-concern doubt?"}'`,
  },
];

const OFFER = {
  x402Version: 2,
  accepts: [
    {
      scheme: "svc:erc4337",
      network: "eip155:84532",
      planId: "57",
      extra: { agentId: "agt_4Rk", "http-verb": "POST", credits: [1, 10] },
    },
  ],
  error: null,
  extensions: {},
};

export function CodeExamples() {
  return (
    <ExampleSection
      id="code"
      title="Code"
      about="No colors: names stand out, keywords recede. Secrets are environment variables."
    >
      <CodeTabs label="Paid call" samples={SAMPLES} usesOwnIds />
      <div className="grid min-w-0 gap-5 xl:grid-cols-2">
        <JsonTree label="Decoded offer" value={OFFER} />
        <DiffView
          label="Difference between two offers"
          beforeName="Run of 13:48"
          afterName="This run"
          before={JSON.stringify(OFFER.accepts[0], null, 2)}
          after={JSON.stringify({ ...OFFER.accepts[0], planId: "58" }, null, 2)}
        />
      </div>
    </ExampleSection>
  );
}
