import { Button } from "@/components/ui/button.tsx";
import { StepTimeline, type TimelineStep } from "@/components/ui/data/step-timeline.tsx";
import { HttpStatus } from "@/components/ui/values/http-status.tsx";
import { Tag } from "@/components/ui/values/tag.tsx";
import { ExampleSection } from "./example-section.tsx";

function Actions({ step }: { step: number }) {
  return (
    <>
      <Button look="quiet" size="small" aria-label={`Explain step ${step}`}>
        Explain
      </Button>
      <Button look="quiet" size="small" aria-label={`Open step ${step}`}>
        Open
      </Button>
    </>
  );
}

const STEPS: TimelineStep[] = [
  {
    key: "ask",
    title: "Request without payment",
    status: "ok",
    isChallenge: true,
    badge: <HttpStatus status={402} />,
    verdict: "The endpoint requires payment and lists its offers.",
    time: "86 ms",
    actions: <Actions step={1} />,
  },
  {
    key: "read",
    title: "Read the offer",
    status: "ok",
    badge: <Tag>Valid</Tag>,
    verdict: "1 offer: “Starter”, Base Sepolia, POST.",
    time: "2 ms",
    actions: <Actions step={2} />,
  },
  {
    key: "choose",
    title: "Choose a permission",
    status: "skipped",
    badge: <Tag>Skipped</Tag>,
    verdict: "You pasted a token, so none was minted.",
  },
  {
    key: "verify",
    title: "Verify (dry run)",
    status: "error",
    badge: <Tag>Declined</Tag>,
    verdict: (
      <>
        0 credits left on “Starter”; this call needs 1.{" "}
        <code className="text-small">insufficient_balance</code>
      </>
    ),
    time: "14 ms",
  },
  {
    key: "call",
    title: "Retry with payment",
    status: "running",
    verdict: "The agent is working. 1 credit is reserved.",
    time: "719 ms",
  },
  {
    key: "settle",
    title: "Settle and receipt",
    status: "warn",
    badge: <Tag>Not confirmed</Tag>,
    verdict: "200 without a payment-response header.",
    time: "20 ms",
    actions: <Actions step={6} />,
  },
  {
    key: "later",
    title: "Settle and receipt",
    status: "idle",
    verdict: "Runs only after a 2xx response.",
  },
];

export function StepExamples() {
  return (
    <ExampleSection
      id="steps"
      title="Step timeline"
      about="Six states: idle, running, ok, warn, error, skipped."
    >
      <StepTimeline label="Steps of a run" isNumbered steps={STEPS} />
    </ExampleSection>
  );
}
