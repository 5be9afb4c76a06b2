import * as Popover from "radix-ui/popover";
import { type KeyboardEvent, type ReactNode, type RefObject, useRef } from "react";
import { cn } from "../cn.ts";
import { Icon } from "../icon.tsx";
import { MENU, MENU_ITEM } from "../overlays/menu-look.ts";
import { moveOption } from "./move-option.ts";

export type SelectOption = {
  value: string;
  label: string;
  /** A second line, such as why it can't be chosen. */
  note?: ReactNode;
  isDisabled?: boolean;
};

type SelectListProps = {
  options: SelectOption[];
  value: string | undefined;
  onValueChange: (value: string) => void;
  label?: string;
  trigger: RefObject<HTMLButtonElement | null>;
  listId: string;
  isOpen: boolean;
  setIsOpen: (isOpen: boolean) => void;
};

/** The list of a `Select`, once it was opened. */
export function SelectList(props: SelectListProps) {
  const { options, value, label = "Options", trigger, listId, isOpen, setIsOpen } = props;
  const { list, focusOption, choose, press } = useListbox(props);
  // The focus moved elsewhere: don't take it back.
  const isLeft = useRef(false);
  const chosen = options.findIndex((option) => option.value === value);
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Anchor virtualRef={trigger as RefObject<HTMLButtonElement>} />
      <Popover.Portal>
        <Popover.Content
          aria-label={label}
          align="start"
          sideOffset={4}
          onInteractOutside={(event) => {
            isLeft.current = true;
            // The button closes the list itself.
            if (trigger.current?.contains(event.target as Node)) event.preventDefault();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (!isLeft.current) trigger.current?.focus();
            isLeft.current = false;
          }}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            focusOption(Math.max(0, chosen));
          }}
          className={cn(MENU, "min-w-(--radix-popover-trigger-width)")}
        >
          <div
            ref={list}
            id={listId}
            role="listbox"
            aria-label={label}
            onKeyDown={press}
            className="max-h-72 overflow-y-auto"
          >
            {options.map((option, index) => (
              <Option
                key={option.value}
                option={option}
                isChosen={index === chosen}
                isTabStop={index === Math.max(0, chosen)}
                onChoose={() => choose(option)}
              />
            ))}
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function useListbox({ options, onValueChange, setIsOpen }: SelectListProps) {
  const list = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: "", at: 0 });
  const focusOption = (index: number) =>
    list.current?.querySelectorAll<HTMLElement>("[role=option]")[index]?.focus();
  const choose = (option: SelectOption | undefined) => {
    if (!option || option.isDisabled) return;
    onValueChange(option.value);
    setIsOpen(false);
  };
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const at = options.findIndex(({ value }) => value === focusedValue(event));
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
  return { list, focusOption, choose, press };
}

const focusedValue = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement ? target.dataset.value : undefined;

type OptionProps = {
  option: SelectOption;
  isChosen: boolean;
  isTabStop: boolean;
  onChoose: () => void;
};

function Option({ option, isChosen, isTabStop, onChoose }: OptionProps) {
  const { value, label, note, isDisabled } = option;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys.
    <div
      role="option"
      data-value={value}
      aria-selected={isChosen}
      aria-disabled={isDisabled || undefined}
      data-disabled={isDisabled || undefined}
      tabIndex={isTabStop ? 0 : -1}
      onClick={onChoose}
      className={cn(MENU_ITEM, "hover:bg-sunken focus:bg-sunken")}
    >
      <Icon name="tick" className={cn("size-3.5", !isChosen && "invisible")} />
      <span className="grid">
        {label}
        {note && <span className="text-ink-2 text-small">{note}</span>}
      </span>
    </div>
  );
}
