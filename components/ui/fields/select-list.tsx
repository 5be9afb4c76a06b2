"use client";

import * as Popover from "radix-ui/popover";
import { type KeyboardEvent, type RefObject, useRef } from "react";
import { cn } from "../cn.ts";
import { Icon } from "../icon.tsx";
import { MENU, MENU_ITEM } from "../overlays/menu-look.ts";
import { moveOption } from "./move-option.ts";
import type { SelectOption, SelectProps } from "./select.tsx";

type SelectListProps = Pick<SelectProps, "options" | "value" | "onValueChange" | "label"> & {
  trigger: RefObject<HTMLButtonElement | null>;
  listId: string;
  isOpen: boolean;
  setIsOpen: (isOpen: boolean) => void;
};

/** The list of a `Select` from its first opening on. */
export function SelectList(props: SelectListProps) {
  const { options, value, onValueChange, label, trigger, listId, isOpen, setIsOpen } = props;
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: "", at: 0 });
  // The focus went elsewhere and is not to be taken back.
  const isLeft = useRef(false);
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
      <Popover.Anchor virtualRef={trigger as RefObject<HTMLButtonElement>} />
      <Popover.Portal>
        <Popover.Content
          aria-label={label ?? "Options"}
          align="start"
          sideOffset={4}
          onInteractOutside={(event) => {
            isLeft.current = true;
            // A press on the button closes the list by itself.
            if (trigger.current?.contains(event.target as Node)) event.preventDefault();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (!isLeft.current) trigger.current?.focus();
            isLeft.current = false;
          }}
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
