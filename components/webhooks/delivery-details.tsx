import type { WebhookDelivery } from "@turnpike/payments/protocol";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/data/code-block.tsx";
import { HttpStatus } from "../ui/values/http-status.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { outcomeOf, stateOf } from "./webhook-text.ts";

type DeliveryDetailsProps = {
  delivery: WebhookDelivery;
  isPending: boolean;
  onReplay: () => void;
};

/** One delivery: what happened, each try, what was sent and what came back. */
export function DeliveryDetails({ delivery, isPending, onReplay }: DeliveryDetailsProps) {
  const { event, tries, attempts, nextTryAt, waitsFor, status } = delivery;
  const last = tries.at(-1);
  const headers = Object.entries(last?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const request = `${headers.join("\n")}\n\n${JSON.stringify(event, null, 2)}`.trim();
  return (
    <article
      aria-labelledby="delivery"
      // A long line of a request scrolls in its block, and does not widen the table around it.
      className="grid gap-3 contain-inline-size"
    >
      <div className="flex flex-wrap items-center gap-2">
        <StatePill state={stateOf(delivery)} />
        <span className="ml-auto">
          <Identifier value={event.id} name="event ID" />
        </span>
      </div>
      <h3 id="delivery" className="text-h3">
        {outcomeOf(delivery)}
      </h3>
      {status === "waiting" && (
        <p className="text-ink-2">
          {waitsFor ? (
            <>
              It waits for an earlier event about the same subject:{" "}
              <Identifier value={waitsFor} name="event ID" />
            </>
          ) : (
            <>
              {!nextTryAt && "It is sent once you enable the endpoint. "}
              {nextTryAt && attempts > 0 && (
                <>
                  Next attempt <TimeAgo at={nextTryAt} form="full" />.{" "}
                </>
              )}
              Later events about the same subject wait for it; others are not delayed.
            </>
          )}
        </p>
      )}
      <div>
        <Button isPending={isPending} onClick={onReplay}>
          Replay now
        </Button>
      </div>
      {tries.length > 0 && (
        <ol aria-label="Attempts" className="grid gap-1.5 text-small">
          {tries.map(({ at, status: answered, error, ms }) => (
            <li key={at} className="flex flex-wrap items-center gap-3">
              <TimeAgo at={at} form="full" />
              {answered !== undefined && <HttpStatus status={answered} />}
              <span className="min-w-0 flex-1 text-ink-2">{error}</span>
              <span className="font-mono tabular-nums">{ms} ms</span>
            </li>
          ))}
        </ol>
      )}
      <CodeBlock title="Request" label="Request" copies={request}>
        <code>{request}</code>
      </CodeBlock>
      {last?.answer && (
        <CodeBlock title="Response" label="Response" copies={last.answer}>
          <code>{last.answer}</code>
        </CodeBlock>
      )}
    </article>
  );
}
