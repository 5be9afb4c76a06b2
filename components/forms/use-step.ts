import { useSearchParams } from "next/navigation";
import { useEffect, useRef } from "react";

/**
 * Keeps a wizard's step in the URL, so that the browser's Back and a reload work, and moves the focus to its heading, or on
 * with `focus`. `first` is open where the URL names no step.
 */
export function useStep<Step extends string>(steps: readonly Step[], first: Step) {
  const param = useSearchParams().get("step");
  const step = steps.find((one) => one === param) ?? first;
  const current = useRef(step);
  const moveOn = useRef<() => void>(undefined);
  useEffect(() => {
    if (current.current === step) return;
    current.current = step;
    document.querySelector<HTMLElement>(`[data-step-heading="${step}"]`)?.focus();
    moveOn.current?.();
    moveOn.current = undefined;
  }, [step]);
  const goTo = (next: Step, focus?: () => void) => {
    if (next === current.current) return;
    moveOn.current = focus;
    const url = new URL(window.location.href);
    url.searchParams.set("step", next);
    window.history.pushState(null, "", url);
  };
  return { step, goTo };
}
