"use client";

import type { ComponentProps } from "react";
import { cn } from "../cn.ts";
import { useLive } from "../use-live.ts";
import { CONTROL } from "./control-look.ts";
import { useFieldControl } from "./field-context.ts";

export type TextAreaProps = ComponentProps<"textarea"> & { isMono?: boolean };

/** Several lines of text; grows with its content where the browser supports it. */
export function TextArea({ isMono, className, rows = 3, ...props }: TextAreaProps) {
  const isLive = useLive();
  return (
    <textarea
      rows={rows}
      {...props}
      readOnly={props.readOnly || !isLive}
      {...useFieldControl(props)}
      className={cn(
        CONTROL,
        "field-sizing-content max-h-96 min-h-20 resize-y py-2",
        isMono && "font-mono text-mono",
        className,
      )}
    />
  );
}
