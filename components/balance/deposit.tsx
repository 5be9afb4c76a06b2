"use client";

import type { ReactNode } from "react";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { CopyButton } from "../ui/values/copy-button.tsx";

type DepositProps = {
  address: string;
  token: string;
  qrCode: ReactNode;
  /** In the sandbox: tops the account up with test money. */
  addTestFunds?: () => Promise<ActionAnswer<unknown>>;
};

/** Where stablecoin arrives. */
export function Deposit({ address, token, qrCode, addTestFunds }: DepositProps) {
  const operation = useOperation();
  return (
    <Card className="grid gap-3">
      <div className="flex flex-wrap gap-4">
        {qrCode}
        <div className="grid min-w-0 flex-1 basis-48 content-start gap-2 text-note">
          <p className="flex items-start gap-1">
            <code className="wrap-anywhere min-w-0 text-small">{address}</code>
            <CopyButton text={address} label="Copy deposit address" />
          </p>
          <p className="text-ink-2">
            Send only USDC (contract <code className="wrap-anywhere text-small">{token}</code>).
            Other tokens sent here are not credited. Incoming transfers appear in the list.
          </p>
        </div>
      </div>
      {addTestFunds && (
        <Button
          className="justify-self-start"
          isPending={operation.isPending}
          onClick={() => void operation.run(addTestFunds)}
        >
          Add test funds
        </Button>
      )}
      <FailureNotice title="No test funds were added." of={operation} />
    </Card>
  );
}
