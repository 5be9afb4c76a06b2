import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { Button, type ButtonProps } from "../ui/button.tsx";

/** How long a step is shown before a press is taken for it. */
export const READ_MS = 300;

type StepButtonProps = ButtonProps & {
  /** What the button is for now. It may change on its own, as when a wallet reconnects. */
  step: string;
};

/**
 * One button for steps that follow each other: the same element, so that it keeps the focus. A press counts only for the
 * step that could be read when it began, so that one aimed at "Connect wallet" signs nothing.
 */
export function StepButton({ step, onClick, ...button }: StepButtonProps) {
  const [readStep, setReadStep] = useState(step);
  const pressedStep = useRef<string | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => setReadStep(step), READ_MS);
    return () => clearTimeout(timer);
  }, [step]);
  const begin = () => {
    pressedStep.current = readStep;
  };
  const isUnread = readStep !== step;
  // The button keeps a click to itself while it is off.
  const endRefused = () => {
    pressedStep.current = undefined;
  };
  return (
    <Button
      {...button}
      aria-disabled={isUnread || undefined}
      onPointerDown={begin}
      onKeyDown={(event: KeyboardEvent<HTMLButtonElement>) => {
        if (!event.repeat) begin();
        else if (event.key === "Enter") event.preventDefault();
      }}
      onClickCapture={button.isPending || isUnread ? endRefused : undefined}
      onClick={(event: MouseEvent<HTMLButtonElement>) => {
        // A screen reader clicks without a press.
        const aimedAt = pressedStep.current ?? readStep;
        pressedStep.current = undefined;
        if (aimedAt === step) onClick?.(event);
      }}
    />
  );
}
