import { EXACT, PaymentsError, type Receipt } from "@turnpike/payments/protocol";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { readOwnOrPublic, readPublic } from "@/app/_session/operations.ts";
import { readSession } from "@/app/_session/session.ts";
import { ReceiptCheck } from "@/components/receipts/receipt-check.tsx";
import { SignatureCheck } from "@/components/receipts/signature-check.tsx";
import type { Routed } from "@/components/search-params.ts";
import { Card } from "@/components/ui/card.tsx";
import { CodeBlock } from "@/components/ui/data/code-block.tsx";
import { DefinitionList, type Definitions } from "@/components/ui/data/definition-list.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Section } from "@/components/ui/page-header.tsx";
import { TextLink } from "@/components/ui/text-link.tsx";
import { Address } from "@/components/ui/values/address.tsx";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { MoneyStatus } from "@/components/ui/values/money-status.tsx";
import { StatePill } from "@/components/ui/values/state-pill.tsx";
import { TimeAgo } from "@/components/ui/values/time-ago.tsx";
import { Transaction } from "@/components/ui/values/transaction.tsx";
import { plural } from "@/lib/text/plural.ts";

// A receipt is for people who have its address.
export const metadata: Metadata = {
  title: "Receipt",
  description: "What one call cost, and the proof that its credits were burned on chain.",
  robots: { index: false, follow: false },
};

const CARD_SCHEME = "svc:card-delegation";

export default async function ReceiptPage({ params }: Routed<"settlementId">) {
  const settlementId = decodeURIComponent((await params).settlementId);
  const receipt = await readReceipt(settlementId);
  if (!receipt) notFound();
  const [orderId, agentName] = await Promise.all([findInvoiced(receipt), readAgentName(receipt)]);
  return (
    <div className="max-w-180">
      <p className="text-ink-2 text-label">Receipt</p>
      <div className="mb-6 flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="text-h1">
          <span className="whitespace-nowrap tabular-nums">
            {plural(BigInt(receipt.creditsRedeemed), "credit")}
          </span>{" "}
          charged
        </h1>
        <MoneyStatus status="settled" />
      </div>
      <Card isPadded={false} className="px-(--card-pad) py-2">
        <DefinitionList items={factsOf(receipt, agentName)} />
      </Card>
      {orderId && (
        <p className="mt-4">
          <TextLink href={`/balance/invoices/${orderId}`}>View the invoice of the order</TextLink>
        </p>
      )}
      <Section id="check" title="Verify it yourself">
        <div className="grid gap-4">
          <Check receipt={receipt} />
          <SignatureCheck receipt={receipt} />
        </div>
      </Section>
    </div>
  );
}

async function readReceipt(settlementId: string): Promise<Receipt | null> {
  try {
    return await readPublic("getReceipt", { settlementId });
  } catch (cause) {
    // A malformed id.
    if (PaymentsError.is(cause) && cause.code === "invalid_input") return null;
    throw cause;
  }
}

/** The order that the call made, for the two sides of its invoice. */
async function findInvoiced({ orderTx }: Receipt): Promise<string | undefined> {
  if (orderTx === undefined || !(await readSession())) return undefined;
  return (await readOwnOrPublic("getInvoice", { orderId: orderTx }))?.orderId;
}

/** The agent's name; an agent that was removed has none. */
async function readAgentName({ agentId }: Receipt): Promise<string | undefined> {
  const agent = agentId === undefined ? null : await readPublic("getAgent", { agentId });
  return agent?.metadata.main.name;
}

function factsOf(receipt: Receipt, agentName: string | undefined): Definitions {
  const { transaction, chainStatus, agentId, scheme, orderTx } = receipt;
  const isCard = scheme === CARD_SCHEME;
  return {
    Plan: receipt.planName,
    "Plan ID": <Identifier value={receipt.planId} name="plan ID" />,
    Agent: agentName,
    "Agent ID": agentId !== undefined && <Identifier value={agentId} name="agent ID" />,
    Payer: <Address value={receipt.payer} name="payer" />,
    Payee: <Address value={receipt.payee} name="payee" />,
    Settled: <TimeAgo at={receipt.settledAt} form="full" />,
    Scheme: <code className="text-small">{scheme}</code>,
    Network: <code className="text-small">{receipt.network}</code>,
    "Processor reference": isCard && (
      <Identifier value={transaction || receipt.settlementId} name="processor reference" />
    ),
    Transaction: !isCard && transaction !== "" && <Transaction value={transaction} />,
    Order: orderTx !== undefined && <Transaction value={orderTx} name="order transaction" />,
    "On chain": chainStatus !== "none" && <ChainPill status={chainStatus} />,
    "Receipt ID": <Identifier value={receipt.settlementId} name="receipt ID" />,
  };
}

function ChainPill({ status }: { status: Receipt["chainStatus"] }) {
  if (status === "final") return <StatePill tone="good">Final</StatePill>;
  if (status === "failed") return <StatePill tone="bad">Burn failed</StatePill>;
  const words = {
    none: "None",
    pending: "Pending",
    submitted: "Sent",
    included: "Included in a block",
  };
  return (
    <StatePill tone="neutral" icon="clock">
      {words[status]}
    </StatePill>
  );
}

function Check({ receipt }: { receipt: Receipt }) {
  const { scheme, proof, chain, chainStatus, transaction } = receipt;
  if (scheme === CARD_SCHEME) {
    return (
      <Notice tone="info" title="Not verifiable on chain">
        The plan was paid by card, so only Turnpike counts its credits. The payee can find the
        payment at their card processor by the reference above.
      </Notice>
    );
  }
  const readsLog = `cast receipt ${transaction} --rpc-url "$RPC_URL" --json`;
  if (scheme === EXACT) {
    return (
      <CodeBlock title="Verify on chain without Turnpike" label="Command" copies={readsLog}>
        <code>
          {readsLog}
          {"\n"}# look for a Transfer log of the price
          {"\n"}# from the payer to the payee
        </code>
      </CodeBlock>
    );
  }
  if (!chain || chainStatus === "none") {
    return (
      <Notice tone="info" title="Not verifiable on chain">
        The plan is free, so only Turnpike counts its credits.
      </Notice>
    );
  }
  if (!proof) {
    return (
      <Notice tone="unknown" title="The burn is not in a block yet">
        The credits are charged. The proof is created with the next batch: reload this page in a
        moment.
      </Notice>
    );
  }
  return (
    <div className="grid gap-4">
      <ReceiptCheck receipt={receipt} proof={proof} />
      <CodeBlock title="Verify on chain without Turnpike" label="Command" copies={readsLog}>
        <code>
          {readsLog}
          {"\n"}# look for a log of {chain.credits}
          {"\n"}# whose fourth topic is {proof.root}
        </code>
      </CodeBlock>
    </div>
  );
}
