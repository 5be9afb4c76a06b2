"use client";

import { Button } from "@/components/ui/button.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { Stepper } from "@/components/ui/stepper.tsx";
import { TabLinks } from "@/components/ui/tab-links.tsx";
import { Tabs } from "@/components/ui/tabs.tsx";
import { Example, ExampleSection } from "./example-section.tsx";

const PAGE = "/dev/components";

export function NavigationExamples() {
  return (
    <ExampleSection
      id="navigation"
      title="Tabs and steps"
      about="Tabs swap a part of a page; tabs with a URL are links. Completed steps stay visible."
    >
      <Tabs
        label="View of the plan"
        tabs={[
          { value: "card", label: "Card", content: <p>What subscribers see.</p> },
          { value: "json", label: "JSON", content: <p>The exact payload.</p> },
          { value: "code", label: "Code", content: <p>The same call from code.</p> },
        ]}
      />
      <TabLinks
        label="Activity"
        tabs={[
          { href: PAGE, label: "Requests", isCurrent: true },
          { href: `${PAGE}?tab=errors`, label: "Errors", isCurrent: false },
          { href: `${PAGE}?tab=reconcile`, label: "Reconcile", count: 3, isCurrent: false },
        ]}
      />
      <Example name="Segmented links">
        <SegmentedLinks
          label="Range in the URL"
          links={[
            { href: PAGE, label: "24 h", isCurrent: true },
            { href: `${PAGE}?range=7d`, label: "7 d", isCurrent: false },
          ]}
        />
      </Example>
      <Stepper
        steps={[
          {
            value: "kind",
            title: "Kind",
            state: "done",
            summary: "Flexible per call",
            edit: (
              <button type="button" className="link min-h-6 text-label">
                Edit<span className="sr-only"> kind</span>
              </button>
            ),
          },
          {
            value: "price",
            title: "Price",
            state: "current",
            summary: "What a subscriber pays",
            content: <p className="text-ink-2">The fields of this step.</p>,
          },
          { value: "review", title: "Name and review", state: "todo" },
        ]}
        footer={
          <>
            <Button>Back to kind</Button>
            <Button look="primary">Continue to credits</Button>
          </>
        }
      />
    </ExampleSection>
  );
}
