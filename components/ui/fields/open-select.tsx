"use client";

import * as Radix from "radix-ui/select";
import {
  type ComponentProps,
  type ReactElement,
  type ReactNode,
  useContext,
  useState,
} from "react";
import { cn } from "../cn.ts";
import { Icon } from "../icon.tsx";
import { NonceContext } from "../nonce.ts";
import { MENU, MENU_ITEM } from "../overlays/menu-look.ts";

export type SelectOption = {
  value: string;
  label: string;
  /** A second line, such as why it can't be chosen. */
  note?: ReactNode;
  isDisabled?: boolean;
};

type OpenSelectProps = {
  trigger: ReactElement<ComponentProps<"button">>;
  options: SelectOption[];
  value: string | undefined;
  onValueChange: (value: string) => void;
};

/** Radix reserves the empty value. */
const keyOf = (value: string) => `=${value}`;

/** A select from its first opening on. */
export function OpenSelect({ trigger, options, value, onValueChange }: OpenSelectProps) {
  const [isOpen, setOpen] = useState(true);
  return (
    <Radix.Root
      open={isOpen}
      onOpenChange={setOpen}
      value={value === undefined ? "" : keyOf(value)}
      onValueChange={(key) => onValueChange(key.slice(1))}
    >
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          align="start"
          sideOffset={4}
          className={cn(MENU, "min-w-(--radix-select-trigger-width)")}
        >
          <Radix.Viewport nonce={useContext(NonceContext)} className="max-h-72">
            {options.map(({ value: one, label, note, isDisabled }) => (
              <Radix.Item
                key={one}
                value={keyOf(one)}
                textValue={label}
                disabled={isDisabled}
                className={MENU_ITEM}
              >
                <Icon name="tick" className={cn("size-3.5", one !== value && "invisible")} />
                <span className="grid">
                  <Radix.ItemText>{label}</Radix.ItemText>
                  {note && <span className="text-ink-2 text-small">{note}</span>}
                </span>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
