import type { ComponentProps } from "react";
import { useLive } from "./use-live.ts";

export type LiveButtonProps = ComponentProps<"button"> & {
  /** For a button of a form that the browser submits without a script. */
  worksWithoutScript?: boolean;
};

/** A `<button>` that can be pressed once the page can respond. Every button is one; see `useLive`. */
export function LiveButton({ worksWithoutScript, ...props }: LiveButtonProps) {
  const isLive = useLive() || worksWithoutScript;
  return <button type="button" {...props} disabled={props.disabled || !isLive} />;
}
