import type { ComponentProps } from "react";
import { LiveButton } from "../live-button.tsx";
import { Joined } from "./money-input.tsx";
import { TextInput } from "./text-input.tsx";

export type AddressInputProps = Omit<ComponentProps<"input">, "type"> & {
  /** Fills in the user's own account. */
  onOwnAddress?: () => void;
};

/**
 * An EVM address: check it with `readAddress` on blur, and pass the result to its `Field` as `error` or
 * `good`. Takes `{...register("receiver")}`.
 */
export function AddressInput({ onOwnAddress, ...props }: AddressInputProps) {
  return (
    <Joined>
      <TextInput
        isMono
        autoCapitalize="none"
        autoCorrect="off"
        placeholder="0x…"
        {...props}
        className="relative"
      />
      {onOwnAddress && (
        <LiveButton
          onClick={onOwnAddress}
          className="relative shrink-0 rounded-control border border-line-control bg-sunken px-3 text-ink-2 text-label hover:text-ink"
        >
          My account
        </LiveButton>
      )}
    </Joined>
  );
}
