"use client";

import { useState } from "react";
import type { AgentDomain } from "@/lib/console/market-facts.ts";
import type { OperationAction } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/data/code-block.tsx";
import { Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page-header.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { absoluteTime } from "../ui/values/time-text.ts";

type DomainSectionProps = {
  agentId: string;
  domain: AgentDomain;
  checkDomain: OperationAction<"checkAgentDomain">;
};

/** Whether an agent's domain is proved, what to publish to prove it, and a button that looks for it. */
export function DomainSection({ agentId, domain: first, checkDomain }: DomainSectionProps) {
  const [domain, setDomain] = useState(first);
  const [wasChecked, setChecked] = useState(false);
  const checking = useOperation();
  const check = () =>
    checking.run(
      () => checkDomain({ agentId }),
      (found) => {
        setDomain(found);
        setChecked(true);
      },
    );
  const { state, host, file, record } = domain;
  return (
    <Section id="agent-domain" title="Domain" meta={<DomainPill state={state} />}>
      <div className="grid max-w-180 gap-4">
        <p className="text-ink-2">
          {host ? (
            <>
              Prove that <b className="font-medium text-ink">{host}</b> is yours to show “Domain
              verified” on your public pages. Publish {record ? "one of these" : "this file"}; we
              check it daily.
            </>
          ) : (
            domain.reason
          )}
        </p>
        {file && (
          <CodeBlock
            label="File"
            copies={file.content}
            title={<span className="wrap-anywhere py-2 font-mono text-small">{file.url}</span>}
          >
            <code>{file.content}</code>
          </CodeBlock>
        )}
        {record && (
          <CodeBlock
            label="TXT record"
            copies={record.value}
            title={
              <span className="wrap-anywhere py-2">
                or a TXT record at <span className="font-mono text-small">{record.name}</span>
              </span>
            }
          >
            <code>{record.value}</code>
          </CodeBlock>
        )}
        {file && (
          <>
            <DomainState domain={domain} wasChecked={wasChecked} />
            <FailureNotice
              title="The domain was not checked."
              unknown="Check it again."
              of={checking}
            />
            <Button
              className="justify-self-start"
              isPending={checking.isPending}
              onClick={() => void check()}
            >
              Check domain
            </Button>
          </>
        )}
      </div>
    </Section>
  );
}

function DomainPill({ state }: Pick<AgentDomain, "state">) {
  if (state === "proved") return <StatePill tone="good">Verified</StatePill>;
  if (state === "lost") return <StatePill tone="bad">Verification lost</StatePill>;
  return <StatePill tone="neutral">Not verified</StatePill>;
}

const timeText = (at: string | undefined) => (at ? absoluteTime(new Date(at)) : "");

function DomainState({ domain, wasChecked }: { domain: AgentDomain; wasChecked: boolean }) {
  const { state, reason = "", host, method, provedAt, seenAt, lostAt } = domain;
  return (
    <div role="status">
      {state === "proved" && (
        <Notice
          tone={reason ? "unsettled" : "settled"}
          title={`${host} has been verified since ${timeText(provedAt)}.`}
        >
          {reason
            ? `Last seen ${timeText(seenAt)}. The latest check could not be completed: ${reason}`
            : `Found in the ${method === "dns" ? "TXT record" : "file"} at ${timeText(seenAt)}.`}
        </Notice>
      )}
      {state === "lost" && (
        <Notice tone="refused" title={`The proof was lost on ${timeText(lostAt)}.`}>
          {reason}
        </Notice>
      )}
      {state === "not-proved" && wasChecked && (
        <Notice tone="unsettled" title={`${host} is not verified yet.`}>
          {reason}
        </Notice>
      )}
    </div>
  );
}
