import { useState } from "react";
import { MONEY_DECIMALS } from "@/lib/console/currency-decimals.ts";
import { DAY_SECS, HOUR_SECS } from "@/lib/text/durations.ts";
import type { ActionAnswer, OperationAction } from "../forms/action-answer.ts";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { SegmentedControl } from "../ui/fields/segmented-control.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { amountText } from "../ui/values/money-text.ts";
import { absoluteTime } from "../ui/values/time-text.ts";

export type SandboxTools = {
  /** The sandbox's time, ISO 8601. */
  now: string;
  /** Absent where the chain is not the sandbox's own. */
  addTestFunds?: () => Promise<ActionAnswer<{ usdc: string; native: string }>>;
  advanceClock: OperationAction<"advanceClock">;
};

export type SandboxTool = "funds" | "clock";

type SandboxDialogProps = { open: SandboxTool; sandbox: SandboxTools; onClose: () => void };

/** Asks before one of the sandbox's tools is used. */
export function SandboxDialog({ open, sandbox, onClose }: SandboxDialogProps) {
  if (open === "clock") return <ClockDialog sandbox={sandbox} onClose={onClose} />;
  return sandbox.addTestFunds && <FundsDialog run={sandbox.addTestFunds} onClose={onClose} />;
}

type FundsDialogProps = { run: NonNullable<SandboxTools["addTestFunds"]>; onClose: () => void };

function FundsDialog({ run, onClose }: FundsDialogProps) {
  return (
    <OperationDialog
      title="Add test funds?"
      effects={[
        {
          icon: "wallet",
          title: "Your account is topped up to 1,000.00 test USDC",
          detail: "An account that has more keeps it. Its gas is topped up too.",
        },
        { icon: "info", title: "Test money has no value", detail: "It can’t leave the sandbox." },
      ]}
      safe="Cancel"
      verb="Add test funds"
      look="primary"
      failed="No test funds were added."
      run={run}
      onDone={({ usdc }) =>
        toast(`Your account has ${amountText(BigInt(usdc), MONEY_DECIMALS)} test USDC`)
      }
      onClose={onClose}
    />
  );
}

const STEPS = [
  { value: `${HOUR_SECS}`, label: "1 hour" },
  { value: `${DAY_SECS}`, label: "1 day" },
  { value: `${7 * DAY_SECS}`, label: "7 days" },
  { value: `${30 * DAY_SECS}`, label: "30 days" },
];

function ClockDialog({ sandbox, onClose }: { sandbox: SandboxTools; onClose: () => void }) {
  const [seconds, setSeconds] = useState(`${DAY_SECS}`);
  const then = new Date(Date.parse(sandbox.now) + Number(seconds) * 1_000);
  return (
    <OperationDialog
      title="Advance the sandbox’s clock?"
      effects={[
        {
          icon: "clock",
          title: `It becomes about ${absoluteTime(then)}`,
          detail: "For everyone in this sandbox.",
        },
        {
          icon: "key",
          title: "Anything due by then expires",
          detail:
            "Delegations, access tokens, subscriptions, API keys and reserved credits. You stay signed in.",
        },
        {
          icon: "info",
          title: "It can’t be turned back",
          detail: "To start again, delete the sandbox’s data folder.",
        },
      ]}
      safe="Keep current time"
      verb="Advance clock"
      failed="The clock was not changed."
      run={() => sandbox.advanceClock({ seconds: Number(seconds) })}
      onDone={({ now }) => toast(`The clock is at ${absoluteTime(new Date(now))}`)}
      onClose={onClose}
    >
      <SegmentedControl
        label="Advance by"
        options={STEPS}
        value={seconds}
        onValueChange={setSeconds}
      />
    </OperationDialog>
  );
}
