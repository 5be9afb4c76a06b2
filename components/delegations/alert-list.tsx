"use client";

import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import { useRememberedChoice } from "../ui/fields/remembered-choice.ts";
import { Notice } from "../ui/notice.tsx";
import type { AlertLine } from "./delegation-alerts.ts";

/** Limits that are nearly reached, which can be dismissed. */
export function AlertList({ alerts }: { alerts: AlertLine[] }) {
  const [dismissedKeys = "", setDismissedKeys] = useRememberedChoice("alerts-put-away");
  const dismissed = new Set(dismissedKeys.split(" "));
  const open = alerts.filter((alert) => !dismissed.has(alert.key));
  if (open.length === 0) return null;
  return (
    <section aria-label="Alerts" className="mb-6 grid gap-2">
      {open.map((alert) => (
        <Notice
          key={alert.key}
          tone={alert.tone}
          title={alert.title}
          action={
            <>
              <ButtonLink size="small" href={alert.action.href}>
                {alert.action.label}
              </ButtonLink>
              <Button
                size="small"
                look="quiet"
                onClick={() =>
                  setDismissedKeys([...dismissed, alert.key].filter(Boolean).slice(-200).join(" "))
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
    </section>
  );
}
