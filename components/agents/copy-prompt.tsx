"use client";

import { useEffect, useState } from "react";
import { Button, type ButtonProps } from "../ui/button.tsx";

const SAID_MS = 2_000;

/** Copies a prompt for whoever mends the agent, and says so where it stands. */
export function CopyPrompt({
  text,
  children = "Copy fix prompt",
  label,
  ...props
}: Omit<ButtonProps, "onClick" | "children"> & {
  text: () => string;
  children?: string;
  /** Its name where several stand on a page. */
  label?: string;
}) {
  const [outcome, setOutcome] = useState<"copied" | "refused">();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    navigator.clipboard.writeText(text()).then(
      () => setOutcome("copied"),
      () => setOutcome("refused"),
    );
  return (
    <>
      <Button {...props} aria-label={label} onClick={copy}>
        {outcome === "copied" ? "Copied" : children}
      </Button>
      <span role="status" className="sr-only">
        {outcome === "copied" && "Copied"}
        {outcome === "refused" && "The browser refused to copy."}
      </span>
    </>
  );
}
