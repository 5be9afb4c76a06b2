"use client";

import { IconButton } from "../ui/icon-button.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { type Alert, alertsOf } from "./alerts.ts";
import { useHomeFigures } from "./home-figures-provider.tsx";

/** Alerts, on every page of the dashboard. */
export function AlertsBell() {
  const figures = useHomeFigures();
  const alerts: Alert[] = figures ? alertsOf(figures) : [];
  const count = alerts.reduce((sum, alert) => sum + alert.count, 0);
  const label = count === 0 ? "Alerts: none" : `Alerts: ${groupDigits(count)}`;
  const button = <IconButton icon="bell" label={label} hasDot={count > 0} />;
  const items =
    alerts.length > 0
      ? alerts.map(({ text, href, icon }) => ({ label: text, href, icon }))
      : [{ label: "No alerts", isDisabled: true }];
  return <Menu trigger={button} groups={[items]} />;
}
