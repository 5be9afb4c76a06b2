"use client";

import * as Popover from "radix-ui/popover";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { cn } from "./cn.ts";
import { CONTROL, ONE_LINE } from "./control-look.ts";
import { useFieldControl } from "./field-context.ts";
import { Icon } from "./icon.tsx";
import { MENU, MENU_ITEM } from "./menu-look.ts";
import { moveOption } from "./move-option.ts";

export type SelectOption = {
  value: string;
  label: string;
  /** A second line; why it cannot be picked, when it cannot. */
  note?: ReactNode;
  isDisabled?: boolean;
};

export type SelectProps = {
  options: SelectOption[];
  value: string | undefined;
  onValueChange: (value: string) => void;
  onBlur?: () => void;
  placeholder?: string;
  /** Its name where no `Field` is around it. */
  label?: string;
  name?: string;
  id?: string;
  isDisabled?: boolean;
  className?: string;
};

/** One of a few; with many or with search it is a `Combobox`. */
export function Select(props: SelectProps) {
  const { options, value, onValueChange, onBlur, placeholder, label, name, isDisabled } = props;
  const [isOpen, setIsOpen] = useState(false);
  const control = useFieldControl(props);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: "", at: 0 });
  const chosen = options.find((option) => option.value === value);

  const focusOption = (index: number) =>
    list.current?.querySelectorAll<HTMLElement>("[role=option]")[index]?.focus();
  const choose = (option: SelectOption | undefined) => {
    if (!option || option.isDisabled) return;
    onValueChange(option.value);
    setIsOpen(false);
  };
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const at = options.findIndex(({ value: one }) => one === focusedValue(event));
    if (event.key === "Tab") setIsOpen(false);
    else if (event.key === "Enter" || (event.key === " " && !typed.current.text)) {
      choose(options[at]);
    } else {
      const next = moveOption(event, at, options, typed.current);
      if (next === undefined) return;
      focusOption(next);
    }
    event.preventDefault();
  };

  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger
        {...control}
        role="combobox"
        aria-haspopup="listbox"
        aria-controls={isOpen ? listId : undefined}
        aria-label={label}
        disabled={isDisabled}
        onBlur={onBlur}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          setIsOpen(true);
        }}
        className={cn(
          CONTROL,
          ONE_LINE,
          "inline-flex items-center justify-between gap-2 text-start",
          props.className,
        )}
      >
        <span className={cn("truncate", !chosen && "text-ink-2")}>
          {chosen?.label ?? placeholder ?? ""}
        </span>
        <Icon name="down" className="size-3.5 text-ink-2" />
      </Popover.Trigger>
      {name && <input type="hidden" name={name} value={value ?? ""} />}
      <Popover.Portal>
        <Popover.Content
          aria-label={label ?? "Options"}
          align="start"
          sideOffset={4}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            focusOption(Math.max(0, chosen ? options.indexOf(chosen) : 0));
          }}
          className={cn(MENU, "min-w-(--radix-popover-trigger-width)")}
        >
          <div
            ref={list}
            id={listId}
            role="listbox"
            aria-label={label ?? "Options"}
            onKeyDown={press}
            className="max-h-72 overflow-y-auto"
          >
            {options.map((option, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list around takes the keys.
              <div
                key={option.value}
                role="option"
                data-value={option.value}
                aria-selected={option === chosen}
                aria-disabled={option.isDisabled || undefined}
                data-disabled={option.isDisabled || undefined}
                tabIndex={option === chosen || (!chosen && index === 0) ? 0 : -1}
                onClick={() => choose(option)}
                className={cn(MENU_ITEM, "hover:bg-sunken focus:bg-sunken")}
              >
                <Icon name="tick" className={cn("size-3.5", option !== chosen && "invisible")} />
                <span className="grid">
                  {option.label}
                  {option.note && <span className="text-ink-2 text-small">{option.note}</span>}
                </span>
              </div>
            ))}
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

const focusedValue = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement ? target.dataset.value : undefined;
