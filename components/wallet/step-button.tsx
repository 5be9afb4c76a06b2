import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { Button, type ButtonProps } from "../ui/button.tsx";

/** How long a step is shown before a press is taken for it. */
export const READ_MS = 300;

type StepButtonProps = ButtonProps & {
  /** What the button is for now. It may change on its own, as when a wallet reconnects. */
  step: string;
};

/** A press that has begun, at the step that could be read then. */
type Press = { step: string; isPointed: boolean };

/**
 * One button for steps that follow each other: the same element, so that it keeps the focus. A press counts only for the
 * step that could be read when it began, so that one aimed at "Connect wallet" signs nothing.
 */
export function StepButton({ step, onClick, ...button }: StepButtonProps) {
  const [readStep, setReadStep] = useState(step);
  const press = useRef<Press | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => setReadStep(step), READ_MS);
    return () => clearTimeout(timer);
  }, [step]);
  const begin = (isPointed: boolean) => {
    press.current = { step: readStep, isPointed };
  };
  const isUnread = readStep !== step;
  // The button keeps a click to itself while it is off.
  const endRefused = () => {
    press.current = undefined;
  };
  return (
    <Button
      {...button}
      aria-disabled={isUnread || undefined}
      onPointerDown={() => begin(true)}
      onKeyDown={(event: KeyboardEvent<HTMLButtonElement>) => {
        if (!event.repeat) begin(false);
        else if (event.key === "Enter") event.preventDefault();
      }}
      onClickCapture={button.isPending || isUnread ? endRefused : undefined}
      onClick={(event: MouseEvent<HTMLButtonElement>) => {
        // `detail` is 0 for keys and screen readers. A press of the other kind was dragged off and released.
        const begun = press.current?.isPointed === event.detail > 0 ? press.current : undefined;
        press.current = undefined;
        // A screen reader clicks without a press.
        if ((begun?.step ?? readStep) === step) onClick?.(event);
      }}
    />
  );
}
