"use client";

import type { ComponentProps } from "react";
import { cn } from "../cn.ts";
import { CONTROL, ONE_LINE } from "./control-look.ts";
import { useFieldControl } from "./field-context.ts";

export type TextInputProps = ComponentProps<"input"> & {
  /** For ids, addresses and URLs. */
  isMono?: boolean;
};

/** A single line of text; takes `{...register("name")}`. */
export function TextInput({ isMono, className, ...props }: TextInputProps) {
  return (
    <input
      type="text"
      {...props}
      {...useFieldControl(props)}
      className={cn(CONTROL, ONE_LINE, isMono && "font-mono text-mono", className)}
    />
  );
}
