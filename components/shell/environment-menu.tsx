"use client";

import type { Environment } from "@turnpike/payments/protocol";
import { usePathname, useRouter } from "next/navigation";
import { useState } from "react";
import { DAY_SECS, HOUR_SECS } from "@/lib/text/durations.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { SegmentedControl } from "../ui/fields/segmented-control.tsx";
import { Icon } from "../ui/icon.tsx";
import { LiveButton } from "../ui/live-button.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { amountText } from "../ui/values/money-text.ts";
import { sectionIn } from "./section-in.ts";

/** What only a sandbox can do. */
export type SandboxTools = {
  /** The sandbox's time, ISO 8601. */
  now: string;
  /** Absent where the chain is not the sandbox's own. */
  addTestFunds?: () => Promise<ActionAnswer<{ usdc: string; native: string }>>;
  advanceClock: (seconds: number) => Promise<ActionAnswer<{ now: string }>>;
};

export type EnvironmentMenuProps = {
  environment: Environment;
  /** The address of the other environment's deployment. */
  otherUrl: string | undefined;
  sandbox: SandboxTools | undefined;
};

const NAMES = { sandbox: "Sandbox", live: "Live" } as const;
const USDC_DECIMALS = 6;

/** Which environment this is, the way to the other one, and the sandbox's clock and test money. */
export function EnvironmentMenu({ environment, otherUrl, sandbox }: EnvironmentMenuProps) {
  const path = usePathname();
  const [open, setOpen] = useState<"funds" | "clock">();
  const isLive = environment === "live";
  const other = isLive ? "sandbox" : "live";
  const tools = sandbox
    ? [
        ...(sandbox.addTestFunds
          ? [{ label: "Add test funds", icon: "plus" as const, onSelect: () => setOpen("funds") }]
          : []),
        { label: "Advance clock", icon: "clock" as const, onSelect: () => setOpen("clock") },
      ]
    : [];
  const others = otherUrl
    ? [{ label: `Switch to ${other}`, icon: "external" as const, href: sectionIn(otherUrl, path) }]
    : [];
  const groups = [tools, others].filter((group) => group.length > 0);
  if (groups.length === 0) return <p className={LOOK}>{markOf(environment)}</p>;
  return (
    <>
      <Menu
        align="start"
        head={<EnvironmentHead environment={environment} now={sandbox?.now} />}
        groups={groups}
        trigger={
          <LiveButton
            className={`${LOOK} -mx-1.5 min-h-7 rounded-control px-1.5 hover:bg-sunken max-sm:min-h-9`}
          >
            {markOf(environment)}
            <Icon name="down" className="size-3.5 text-ink-2 max-[23rem]:hidden" />
          </LiveButton>
        }
      />
      {open === "funds" && sandbox?.addTestFunds && (
        <FundsDialog run={sandbox.addTestFunds} onClose={() => setOpen(undefined)} />
      )}
      {open === "clock" && sandbox && (
        <ClockDialog sandbox={sandbox} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

const LOOK = "flex shrink-0 items-center gap-2 text-label";

function markOf(environment: Environment) {
  const isLive = environment === "live";
  return (
    <>
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${isLive ? "bg-live" : "border-[1.5px] border-ink-2 border-dashed"}`}
      />
      {NAMES[environment]}
      {!isLive && (
        <span className="whitespace-nowrap text-ink-2 text-small font-normal max-sm:hidden">
          No real money
        </span>
      )}
    </>
  );
}

function EnvironmentHead({ environment, now }: { environment: Environment; now?: string }) {
  return (
    <div className="grid gap-0.5">
      <p className="font-medium">{NAMES[environment]}</p>
      <p className="text-ink-2 text-small">
        {environment === "live"
          ? "Calls and orders move real money."
          : "Test money only. Its keys and tokens don’t work in live."}
      </p>
      {now && <p className="text-ink-2 text-small tabular-nums">Clock: {timeWords(now)}</p>}
    </div>
  );
}

const timeWords = (iso: string) => `${iso.slice(0, 16).replace("T", " ")} UTC`;

type FundsDialogProps = { run: NonNullable<SandboxTools["addTestFunds"]>; onClose: () => void };

function FundsDialog({ run, onClose }: FundsDialogProps) {
  return (
    <OperationDialog
      title="Add test funds?"
      effects={[
        {
          icon: "wallet",
          title: "Your account is topped up to 1,000.00 test USDC",
          detail: "An account that has more keeps it. The chain’s coin is topped up too.",
        },
        { icon: "info", title: "Test money has no value", detail: "It can’t leave the sandbox." },
      ]}
      safe="Cancel"
      verb="Add test funds"
      look="primary"
      failed="No test funds were added."
      run={run}
      onDone={({ usdc }) =>
        toast(`Your account has ${amountText(BigInt(usdc), USDC_DECIMALS)} test USDC`)
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
  const router = useRouter();
  const [seconds, setSeconds] = useState(`${DAY_SECS}`);
  const then = new Date(Date.parse(sandbox.now) + Number(seconds) * 1_000).toISOString();
  return (
    <OperationDialog
      title="Advance the sandbox’s clock?"
      effects={[
        {
          icon: "clock",
          title: `It becomes about ${timeWords(then)}`,
          detail: "For everyone in this sandbox.",
        },
        {
          icon: "key",
          title: "What is due by then expires",
          detail:
            "Delegations, access tokens, subscriptions, API keys, sign-ins and reserved credits.",
        },
        {
          icon: "info",
          title: "It can’t be turned back",
          detail: "To start again, delete the sandbox’s data folder.",
        },
      ]}
      safe="Keep the time"
      verb="Advance clock"
      failed="The clock was not changed."
      run={() => sandbox.advanceClock(Number(seconds))}
      onDone={({ now }) => {
        toast(`The clock is at ${timeWords(now)}`);
        router.refresh();
      }}
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
