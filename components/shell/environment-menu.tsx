"use client";

import type { Environment } from "@turnpike/payments/protocol";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { Icon } from "../ui/icon.tsx";
import { createLater } from "../ui/later.ts";
import { LiveButton } from "../ui/live-button.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { absoluteTime } from "../ui/values/time-text.ts";
import type { SandboxTool, SandboxTools } from "./sandbox-dialogs.tsx";
import { sectionIn } from "./sections.ts";

const SandboxDialog = createLater(() => import("./sandbox-dialogs.tsx"), "SandboxDialog");

export type EnvironmentMenuProps = {
  environment: Environment;
  /** The address of the other environment's deployment. */
  otherUrl: string | undefined;
  sandbox: SandboxTools | undefined;
};

const NAMES = { sandbox: "Sandbox", live: "Live" } as const;

/** Which environment this is, the way to the other one, and the sandbox's clock and test money. */
export function EnvironmentMenu({ environment, otherUrl, sandbox }: EnvironmentMenuProps) {
  const path = usePathname();
  const [open, setOpen] = useState<SandboxTool>();
  const close = () => setOpen(undefined);
  const Opened = SandboxDialog.usePart(open !== undefined, close);
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
      {Opened && open && sandbox && <Opened {...{ sandbox, open }} onClose={close} />}
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
      {now && (
        <p className="text-ink-2 text-small tabular-nums">Clock: {absoluteTime(new Date(now))}</p>
      )}
    </div>
  );
}
