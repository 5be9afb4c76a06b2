"use client";

import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { useRememberedChoice } from "../ui/fields/remembered-choice.ts";
import { Notice } from "../ui/notice.tsx";
import type { DelegationAlert } from "./delegation-alerts.ts";

const SHOWN = 3;

const keyOf = ({ delegationId, kind, threshold }: DelegationAlert) =>
  `${delegationId}.${kind}.${threshold}`;

/** Limits that are nearly reached. A dismissed alert returns at its next threshold. */
export function AlertList({ alerts }: { alerts: DelegationAlert[] }) {
  const [dismissedKeys = "", setDismissedKeys] = useRememberedChoice("alerts-put-away");
  const [isAll, setAll] = useState(false);
  const dismissed = new Set(dismissedKeys.split(" "));
  const open = alerts.filter((alert) => !dismissed.has(keyOf(alert)));
  const shown = isAll ? open : open.slice(0, SHOWN);
  if (open.length === 0) return null;
  return (
    <section aria-label="Alerts" className="mb-6 grid gap-2">
      {shown.map((alert) => (
        <Notice
          key={keyOf(alert)}
          tone={alert.tone}
          title={alert.title}
          action={
            <>
              <ButtonLink size="small" href={`/delegations/new?from=${alert.delegationId}`}>
                Renew
              </ButtonLink>
              <Button
                size="small"
                look="quiet"
                onClick={() =>
                  setDismissedKeys(
                    [...dismissed, keyOf(alert)].filter(Boolean).slice(-200).join(" "),
                  )
                }
              >
                Dismiss
              </Button>
            </>
          }
        >
          {alert.detail}
        </Notice>
      ))}
      {open.length > shown.length && (
        <div>
          <Button size="small" look="quiet" onClick={() => setAll(true)}>
            Show {open.length - shown.length} more
          </Button>
        </div>
      )}
    </section>
  );
}
