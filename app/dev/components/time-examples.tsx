import { Button } from "@/components/ui/button.tsx";
import { StepTimeline, type TimelineStep } from "@/components/ui/data/step-timeline.tsx";
import { Waterfall } from "@/components/ui/data/waterfall.tsx";
import { Rule } from "@/components/ui/rule.tsx";
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

export function TimeExamples() {
  return (
    <>
      <RuleExamples />
      <WaterfallExample />
      <StepExamples />
    </>
  );
}

function RuleExamples() {
  return (
    <ExampleSection
      id="rule"
      title="Rule"
      about="Drawn to scale: a run, a wait or a range of prices."
    >
      <Rule
        label="A settled run of 1,444 milliseconds"
        unit="ms"
        bars={[
          { key: "ask", from: 0, to: 86, look: "challenged" },
          { key: "verify", from: 88, to: 141, look: "plain" },
          { key: "work", from: 141, to: 1_425, look: "work" },
          { key: "settle", from: 1_425, to: 1_444, look: "settled" },
        ]}
      />
      <Rule
        label="Waiting for 5 seconds; usually 4 to 12"
        unit="s"
        atLeast={15}
        bars={[
          { key: "usual", from: 4, to: 12, look: "band" },
          { key: "waited", from: 0, to: 5, look: "running", isThin: true },
        ]}
      />
      <Rule
        label="A call costs 0.10 to 1.00 USDC"
        unit="USDC"
        markText={(value) => value.toFixed(2)}
        bars={[{ key: "range", from: 0.1, to: 1, look: "work" }]}
      />
    </ExampleSection>
  );
}

function WaterfallExample() {
  return (
    <ExampleSection
      id="waterfall"
      title="Waterfall"
      about="Spans of a trace on one scale. The agent’s own lane is linked by request ID."
    >
      <Waterfall
        label="Spans of POST /v1/ask at 13:48:33"
        lanes={[
          {
            name: "Request",
            spans: [
              { key: "verify", name: "verify", startMs: 0, durationMs: 9 },
              { key: "work", name: "work", startMs: 18, durationMs: 1_490 },
              {
                key: "settle",
                name: "settle",
                startMs: 1_508,
                durationMs: 104,
                tone: "refused",
                note: "the burn was reverted on chain",
              },
            ],
          },
          {
            name: "Agent, linked by request id",
            spans: [
              { key: "retrieve", name: "retrieve", startMs: 30, durationMs: 212, tone: "work" },
              { key: "model", name: "model", startMs: 242, durationMs: 1_180, tone: "work" },
              { key: "format", name: "format", startMs: 1_422, durationMs: 61, tone: "work" },
            ],
          },
        ]}
      />
    </ExampleSection>
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
    verdict: "1 offer: ‘Starter’, Base Sepolia, POST.",
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
        0 credits left on ‘Starter’; this call needs 1.{" "}
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

function StepExamples() {
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
