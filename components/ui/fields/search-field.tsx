import { type Ref, useEffect, useRef, useState } from "react";
import { TextInput } from "./text-input.tsx";

export type SearchFieldProps = {
  ref?: Ref<HTMLInputElement>;
  label: string;
  placeholder: string;
  /** The current search, from the address. */
  q: string;
  /** Called with the trimmed text; empty when the search is cleared. */
  onSearch: (q: string) => void;
};

const TYPING_MS = 300;

/** Searches shortly after the last key, or with Enter. Without JavaScript it submits as a form. */
export function SearchField({ ref, label, placeholder, q, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // Clear and Back change the address, not the field; don't overwrite what is being typed.
  useEffect(() => {
    if (timer.current === undefined) setText((typed) => (typed.trim() === q ? typed : q));
  }, [q]);
  const stopWaiting = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
  };
  const search = (next: string) => {
    stopWaiting();
    if (next.trim() !== q) onSearch(next.trim());
  };
  const form = useRef<HTMLFormElement>(null);
  // What was typed before the page could respond is searched now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with the first render's functions.
  useEffect(() => {
    const typed = form.current && new FormData(form.current).get("q");
    if (typeof typed !== "string" || typed === q) return;
    setText(typed);
    search(typed);
  }, []);
  return (
    <search className="w-full sm:w-64">
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          search(text);
        }}
      >
        <TextInput
          {...(ref && { ref })}
          type="search"
          name="q"
          worksWithoutScript
          aria-label={label}
          placeholder={placeholder}
          autoComplete="off"
          maxLength={100}
          value={text}
          onChange={(event) => {
            const { value } = event.target;
            setText(value);
            stopWaiting();
            timer.current = setTimeout(() => search(value), TYPING_MS);
          }}
        />
      </form>
    </search>
  );
}
