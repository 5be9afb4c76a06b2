"use client";

import type { MouseEvent } from "react";
import { type ButtonLook, buttonLook } from "./button-look.ts";
import { cn } from "./cn.ts";
import { LiveButton, type LiveButtonProps } from "./live-button.tsx";
import { Spinner } from "./spinner.tsx";

export type ButtonProps = ButtonLook &
  LiveButtonProps & {
    /** Shows a spinner before the label and ignores clicks. */
    isPending?: boolean;
  };

/**
 * A button, labelled with a verb. Use `aria-disabled` instead of `disabled`: the button stays in the tab order
 * and ignores clicks.
 */
export function Button({ look, size, isPending, className, children, ...props }: ButtonProps) {
  const isOff = isPending || props["aria-disabled"] === true || props["aria-disabled"] === "true";
  return (
    <LiveButton
      {...props}
      aria-disabled={isOff || undefined}
      aria-busy={isPending || undefined}
      onClick={isOff ? refuse : props.onClick}
      className={cn(buttonLook({ look, size }), className)}
    >
      {isPending && <Spinner />}
      {children}
    </LiveButton>
  );
}

function refuse(event: MouseEvent): void {
  event.preventDefault();
  event.stopPropagation();
}
