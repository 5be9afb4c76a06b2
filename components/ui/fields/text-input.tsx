import { cn } from "../cn.ts";
import { CONTROL, ONE_LINE } from "./control-look.ts";
import { useFieldControl } from "./field-context.ts";
import { LiveInput, type LiveInputProps } from "./live-input.tsx";

export type TextInputProps = LiveInputProps & {
  /** For ids, addresses and URLs. */
  isMono?: boolean;
};

/** What no dictionary knows and no earlier answer suggests: ids, addresses, URLs and numbers. */
export const EXACT = { autoComplete: "off", spellCheck: false } as const;

/** A single line of text; takes `{...register("name")}`. */
export function TextInput({ isMono, className, ...props }: TextInputProps) {
  return (
    <LiveInput
      type="text"
      {...((isMono || props.inputMode) && EXACT)}
      {...props}
      {...useFieldControl(props)}
      className={cn(CONTROL, ONE_LINE, isMono && "font-mono text-mono", className)}
    />
  );
}
