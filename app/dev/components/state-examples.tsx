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
      <ExampleSection
        id="notice"
        title="Notice"
        about="What happened, what it means for money, what to do."
      >
        <Notice
          tone="unknown"
          title="We do not know yet whether this went through."
          action={<Button>Check status</Button>}
        >
          Do not pay again.
        </Notice>
        <Notice
          tone="unsettled"
          title="You have the answer, but payment was not confirmed."
          action={<Button>Check settlement</Button>}
        >
          Credits may still be taken later.
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
          title="Plan ‘Filings, flexible’ is ready."
          action={<Button>Register an agent</Button>}
        >
          Plan id 57
        </Notice>
        <Notice tone="info" title="Your price changed less than 5 minutes ago.">
          Some clients may still hold the old offer.
        </Notice>
      </ExampleSection>
      <ExampleSection
        id="states"
        title="Empty, loading, error"
        about="In the place where the data would be. Never a full-page spinner."
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
            <Empty kind="noRights" title="You cannot see earnings">
              Ada Lindqvist can let you see them.
            </Empty>
          </Card>
          <Card className="grid content-start gap-4">
            <Skeleton className="w-40" />
            <Skeleton className="w-full" />
            <Skeleton className="w-2/3" />
          </Card>
          <Card isPadded={false}>
            <ErrorState
              title="Balances could not be read"
              onRetry={() => {}}
              requestId="req_9Lc4vN1sHy7uZa36"
            >
              Nothing was charged by this page. The rest of it is up to date.
            </ErrorState>
          </Card>
        </div>
      </ExampleSection>
    </>
  );
}
