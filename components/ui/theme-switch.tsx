"use client";

import { useTheme } from "next-themes";
import { Icon } from "./icon.tsx";
import { LiveButton } from "./live-button.tsx";

/** Switches between light and dark. Choosing the system's theme follows the system again. */
export function ThemeSwitch() {
  const { resolvedTheme, systemTheme, setTheme } = useTheme();
  const flip = () => {
    const next = resolvedTheme === "dark" ? "light" : "dark";
    setTheme(next === systemTheme ? "system" : next);
  };
  return (
    <LiveButton
      onClick={flip}
      aria-label="Switch theme"
      title="Switch theme"
      className="grid size-(--hit) place-items-center rounded-control text-ink-2 hover:bg-sunken hover:text-ink"
    >
      <Icon name="theme" />
    </LiveButton>
  );
}
