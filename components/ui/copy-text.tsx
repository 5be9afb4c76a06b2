"use client";

import { useEffect, useState } from "react";
import { Button, type ButtonProps } from "./button.tsx";

const CONFIRMED_MS = 2_000;

/** A button that copies a text, and confirms it in its own words. */
export function CopyText({
  text,
  children = "Copy fix prompt",
  label,
  ...props
}: Omit<ButtonProps, "onClick" | "children"> & {
  text: string | (() => string);
  children?: string;
  /** The accessible name where a page has several. */
  label?: string;
}) {
  const [outcome, setOutcome] = useState<"copied" | "refused">();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
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
        {outcome === "refused" && "The browser blocked copying."}
      </span>
    </>
  );
}
