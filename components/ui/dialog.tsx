"use client";

import * as Radix from "radix-ui/dialog";
import { type ReactNode, useRef } from "react";
import { Button } from "./button.tsx";
import { cn } from "./cn.ts";
import { Icon, type IconName } from "./icon.tsx";
import { useReturnFocus } from "./use-return-focus.ts";

export type DialogProps = {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  title: ReactNode;
  /** One sentence under the title. */
  description?: ReactNode;
  /** Buttons, the safe answer first. Put `data-safe` on it: it takes the focus. */
  footer?: ReactNode;
  children?: ReactNode;
  className?: string;
};

/** A question that has to be answered first. Keeps the focus inside and gives it back. */
export function Dialog({ isOpen, onOpenChange, footer, children, ...props }: DialogProps) {
  const { title, description, className } = props;
  const content = useRef<HTMLDivElement>(null);
  const { remember, onCloseAutoFocus } = useReturnFocus();
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-20 grid animate-fade place-items-center overflow-y-auto bg-scrim p-4">
          <Radix.Content
            ref={content}
            {...(description ? {} : { "aria-describedby": undefined })}
            onCloseAutoFocus={onCloseAutoFocus}
            onOpenAutoFocus={(event) => {
              remember();
              const safe = content.current?.querySelector<HTMLElement>("[data-safe]");
              if (!safe) return;
              event.preventDefault();
              safe.focus({ focusVisible: true } as FocusOptions);
            }}
            className={cn(
              "w-full max-w-130 animate-rise rounded-dialog border border-line bg-surface text-ink shadow-dialog outline-none",
              className,
            )}
          >
            <div className="grid gap-1 px-6 pt-5 max-sm:px-4">
              <Radix.Title className="wrap-anywhere text-h2">{title}</Radix.Title>
              {description && (
                <Radix.Description className="text-ink-2">{description}</Radix.Description>
              )}
            </div>
            {children && <div className="grid gap-3.5 px-6 py-4 max-sm:px-4">{children}</div>}
            {footer && (
              <div className="flex items-center justify-end gap-2 border-line border-t px-6 py-3.5 max-sm:flex-col-reverse max-sm:items-stretch max-sm:px-4">
                {footer}
              </div>
            )}
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  );
}

export type Effect = { icon: IconName; title: ReactNode; detail?: ReactNode };

/** What an answer will do, one line each, read before the verb. */
export function Effects({ effects }: { effects: Effect[] }) {
  return (
    <ul className="grid">
      {effects.map(({ icon, title, detail }, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list of sentences.
          key={index}
          className="grid grid-cols-[16px_minmax(0,1fr)] gap-x-2.5 gap-y-0.5 border-line border-t py-2.5"
        >
          <Icon name={icon} className="mt-0.5 size-4" />
          <p className="font-semibold">{title}</p>
          {detail && <p className="col-start-2 text-ink-2 text-note">{detail}</p>}
        </li>
      ))}
    </ul>
  );
}

export type ConfirmDialogProps = Omit<DialogProps, "footer"> & {
  effects?: Effect[];
  /** The verb and its object: "Revoke delegation". */
  verb: string;
  /** The safe answer: "Keep it". It has the focus. */
  safe: string;
  look?: "danger" | "primary";
  isPending?: boolean;
  onConfirm: () => void;
};

/** Effects before the verb; the safe answer has the focus. */
export function ConfirmDialog({
  effects,
  verb,
  safe,
  look = "danger",
  isPending,
  onConfirm,
  children,
  ...props
}: ConfirmDialogProps) {
  return (
    <Dialog
      {...props}
      footer={
        <>
          <Button data-safe onClick={() => props.onOpenChange(false)}>
            {safe}
          </Button>
          <Button look={look} isPending={isPending} onClick={onConfirm}>
            {verb}
          </Button>
        </>
      }
    >
      {effects && <Effects effects={effects} />}
      {children}
    </Dialog>
  );
}
