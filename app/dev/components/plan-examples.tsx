import { Button } from "@/components/ui/button.tsx";
import { DefinitionList } from "@/components/ui/data/definition-list.tsx";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { PermissionSentence } from "@/components/ui/values/permission-sentence.tsx";
import { PlanCard } from "@/components/ui/values/plan-card.tsx";
import { ACCOUNT } from "./example-data.ts";
import { ExampleSection } from "./example-section.tsx";

export function PlanExamples() {
  return (
    <>
      <ExampleSection
        id="plan"
        title="Plan card"
        about="A plan as its subscribers see it, and a list of facts."
      >
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <PlanCard
            name="Filings, flexible"
            author="by Meridian Labs"
            amount="25000000"
            decimals={6}
            currency="USDC"
            terms="paid once"
            facts={[
              { term: "Credits", value: "250" },
              { term: "Credits per call", value: "1 to 10 credits" },
              { term: "Price per call", value: "0.10 to 1.00 USDC" },
              { term: "Calls", value: "25 to 250" },
              { term: "Expires", value: "Never" },
              {
                term: "Paid to",
                value: <Identifier value={ACCOUNT} name="receiver" isCopyable={false} />,
              },
            ]}
            action={<Button aria-disabled>Order plan</Button>}
          />
          <div className="grid gap-6">
            <PlanCard
              name="Trial"
              author="by Meridian Labs"
              amount="0"
              decimals={2}
              currency="USD"
              terms="once"
              facts={[{ term: "Credits", value: "10" }]}
            />
            <DefinitionList
              items={[
                { term: "Credits", value: "1 requested, 0 charged" },
                { term: "Plan", value: "Starter, proof for each call" },
                { term: "Payer", value: <Identifier value={ACCOUNT} name="payer" /> },
              ]}
            />
          </div>
        </div>
      </ExampleSection>
      <ExampleSection
        id="permission"
        title="Permission sentence"
        about="One sentence that says what is granted before it is granted."
      >
        <PermissionSentence>
          Agents using this token can charge your <b>Visa ending 4242</b> up to <b>$50.00</b> in
          total, at most <b>5 times</b>, until <b>21 Dec 2026 14:10 UTC</b>. You can revoke this at
          any time.
        </PermissionSentence>
      </ExampleSection>
    </>
  );
}
