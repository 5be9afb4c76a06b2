import type { ComponentProps } from "react";
import { useLive } from "../use-live.ts";

export type LiveInputProps = ComponentProps<"input"> & {
  /** For a field of a form that the browser submits without a script. */
  worksWithoutScript?: boolean;
};

/** An `<input>` that can be changed once the page can respond. Every input is one; see `useLive`. */
export function LiveInput({ worksWithoutScript, ...props }: LiveInputProps) {
  const isOff = !(useLive() || worksWithoutScript);
  const isChoice = props.type === "checkbox" || props.type === "radio";
  return <input {...props} {...(isOff && (isChoice ? { disabled: true } : { readOnly: true }))} />;
}
