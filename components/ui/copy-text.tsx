"use client";

import { Button, type ButtonProps } from "./button.tsx";
import { useCopy } from "./use-copy.ts";

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
  const { outcome, copy } = useCopy();
  return (
    <>
      <Button
        {...props}
        aria-label={label}
        onClick={() => copy(typeof text === "string" ? text : text())}
      >
        {outcome === "copied" ? "Copied" : outcome === "refused" ? "Copying was blocked" : children}
      </Button>
      <span role="status" className="sr-only">
        {outcome === "copied" && "Copied"}
        {outcome === "refused" && "The browser blocked copying."}
      </span>
    </>
  );
}
