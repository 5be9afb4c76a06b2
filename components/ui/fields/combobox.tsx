import { Command } from "cmdk";
import * as Popover from "radix-ui/popover";
import { type ReactNode, useState } from "react";
import { cn } from "../cn.ts";
import { Icon } from "../icon.tsx";
import { MENU, MENU_ITEM } from "../overlays/menu-look.ts";
import { useLive } from "../use-live.ts";
import { CONTROL, ONE_LINE } from "./control-look.ts";
import { useFieldControl } from "./field-context.ts";

type ComboboxOption = {
  value: string;
  label: string;
  note?: ReactNode;
  /** More words that find it: an id, an address. */
  keywords?: string[];
};

export type ComboboxProps = {
  options: ComboboxOption[];
  value: string | undefined;
  onValueChange: (value: string) => void;
  placeholder?: string;
  /** Its name where it has no `Field`, and the name of its list. */
  label: string;
  isDisabled?: boolean;
  className?: string;
};

/** One of many options, found by typing. */
export function Combobox(props: ComboboxProps) {
  const { options, value, onValueChange, placeholder = "Choose", label } = props;
  const { isDisabled, className } = props;
  const [isOpen, setIsOpen] = useState(false);
  const control = useFieldControl({});
  const isLive = useLive();
  const chosen = options.find((option) => option.value === value);
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger
        {...control}
        disabled={isDisabled || !isLive}
        aria-label={control.id ? undefined : label}
        className={cn(
          CONTROL,
          ONE_LINE,
          "inline-flex items-center justify-between gap-2 text-start",
          className,
        )}
      >
        <span className={cn("truncate", !chosen && "text-ink-2")}>
          {chosen?.label ?? placeholder}
        </span>
        <Icon name="down" className="size-3.5 text-ink-2" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={label}
          align="start"
          sideOffset={4}
          className={cn(MENU, "w-(--radix-popover-trigger-width) min-w-64 p-0")}
        >
          <Command label={label}>
            <div className="flex items-center gap-2 border-line border-b px-3 text-ink-2">
              <Icon name="search" />
              <Command.Input
                placeholder="Search"
                className="h-(--control-form) w-full bg-transparent text-body text-ink outline-none placeholder:text-ink-2 max-sm:text-[1rem]"
              />
            </div>
            <Command.List label={label} className="max-h-72 overflow-y-auto p-1">
              <Command.Empty className="px-2 py-3 text-ink-2">No matches.</Command.Empty>
              {options.map((option) => (
                <Command.Item
                  key={option.value}
                  value={option.value}
                  keywords={[option.label, ...(option.keywords ?? [])]}
                  onSelect={() => {
                    onValueChange(option.value);
                    setIsOpen(false);
                  }}
                  className={MENU_ITEM}
                >
                  <Icon
                    name="tick"
                    className={cn("size-3.5", option.value !== value && "invisible")}
                  />
                  <span className="grid min-w-0">
                    <span className="truncate">{option.label}</span>
                    {option.note && (
                      <span className="truncate text-ink-2 text-small">{option.note}</span>
                    )}
                  </span>
                </Command.Item>
              ))}
            </Command.List>
          </Command>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
