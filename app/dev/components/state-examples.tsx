"use client";

import { Button } from "@/components/ui/button.tsx";
import { Card } from "@/components/ui/card.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { ErrorState } from "@/components/ui/error-state.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Skeleton } from "@/components/ui/skeleton.tsx";
import { ExampleSection } from "./example-section.tsx";

export function StateExamples() {
  return (
    <>
      <NoticeExamples />
      <PlaceholderExamples />
    </>
  );
}

function NoticeExamples() {
  return (
    <ExampleSection id="notice" title="Notice" about="What happened, what was charged, what to do.">
      <Notice
        tone="unknown"
        title="We don’t know yet whether this payment went through."
        action={<Button>Check status</Button>}
      >
        Don’t pay again yet.
      </Notice>
      <Notice
        tone="unsettled"
        title="Response delivered, but payment is not confirmed."
        action={<Button>Check settlement</Button>}
      >
        Credits may still be charged later.
      </Notice>
      <Notice
        tone="refused"
        title="Your bank declined the card."
        code="card_declined"
        action={<Button>Use another card</Button>}
      >
        No delegation was created.
      </Notice>
      <Notice
        tone="settled"
        title="Plan “Filings, flexible” is ready."
        action={<Button>Register an agent</Button>}
      >
        Plan ID 57
      </Notice>
      <Notice tone="info" title="Your price changed less than 5 minutes ago.">
        Some clients may still have the old offer.
      </Notice>
    </ExampleSection>
  );
}

function PlaceholderExamples() {
  return (
    <ExampleSection
      id="states"
      title="Empty, loading, error"
      about="Shown where the data would be. There are no full-page spinners."
    >
      <div className="grid gap-4 md:grid-cols-2">
        <Card isPadded={false}>
          <Empty
            kind="first"
            title="No delegations yet"
            actions={
              <>
                <Button look="primary">New delegation</Button>
                <Button look="quiet">Show an example</Button>
              </>
            }
          >
            A delegation lets an agent spend up to a limit without asking you each time.
          </Empty>
        </Card>
        <Card isPadded={false}>
          <Empty kind="noRights" title="You don’t have access to earnings">
            Ask Ada Lindqvist for access.
          </Empty>
        </Card>
        <Card className="grid content-start gap-4">
          <Skeleton className="w-40" />
          <Skeleton className="w-full" />
          <Skeleton className="w-2/3" />
        </Card>
        <Card isPadded={false}>
          <ErrorState
            title="Balances could not be loaded"
            onRetry={() => {}}
            requestId="req_9Lc4vN1sHy7uZa36"
          >
            Nothing was charged. The rest of the page is up to date.
          </ErrorState>
        </Card>
      </div>
    </ExampleSection>
  );
}
