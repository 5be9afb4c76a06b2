import { cn } from "../cn.ts";
import { Icon, type IconName } from "../icon.tsx";
import { Spinner } from "../spinner.tsx";
import { type PillSize, pill } from "./pill-look.ts";

const TONES = {
  good: { tint: "bg-tint-settled", ink: "text-settled", icon: "check" },
  warn: { tint: "bg-tint-unsettled", ink: "text-unsettled", icon: "alert" },
  bad: { tint: "bg-tint-refused", ink: "text-refused", icon: "cross" },
  neutral: { tint: "bg-tint-neutral", ink: "text-ink-2", icon: "minus" },
  running: { tint: "bg-tint-accent", ink: "text-accent", icon: "dashed" },
} as const satisfies Record<string, { tint: string; ink: string; icon: IconName }>;

export type StateTone = keyof typeof TONES;

/** A word with its tone, and an icon where the tone's own does not fit. */
export type State = { tone: StateTone; word: string; icon?: IconName };

const STATES = {
  Active: { tone: "good", word: "Active" },
  Expired: { tone: "neutral", icon: "clock", word: "Expired" },
  Exhausted: { tone: "warn", icon: "minus", word: "Exhausted" },
  Revoked: { tone: "neutral", icon: "cross", word: "Revoked" },
  draft: { tone: "neutral", icon: "edit", word: "Draft" },
  listed: { tone: "good", word: "Listed" },
  unlisted: { tone: "neutral", word: "Unlisted" },
  archived: { tone: "neutral", icon: "minus", word: "Archived" },
} satisfies Record<string, State>;

export type StatePillProps =
  | { state: keyof typeof STATES | State; size?: PillSize }
  | { tone: StateTone; icon?: IconName; children: string; size?: PillSize };

/**
 * A state that is not a payment status: `<StatePill state="Active" />`, `<StatePill state={STATES[status]} />`, or any word
 * with a tone: `<StatePill tone="bad">Responds without payment</StatePill>`.
 */
export function StatePill(props: StatePillProps) {
  const { tone, icon, word } = stateIn(props);
  const { tint, ink, icon: usual } = TONES[tone];
  const mark = props.size === "large" ? "size-4.5" : "size-3.5";
  return (
    <span className={cn(pill({ size: props.size }), tint)} data-state={word}>
      {tone === "running" ? (
        <Spinner className="size-3 text-accent" />
      ) : (
        <Icon name={icon ?? usual} className={cn(mark, ink)} />
      )}
      {word}
    </span>
  );
}

function stateIn(
  props: StatePillProps,
): Pick<State, "tone" | "word"> & { icon?: IconName | undefined } {
  if (!("state" in props)) return { tone: props.tone, icon: props.icon, word: props.children };
  return typeof props.state === "string" ? STATES[props.state] : props.state;
}
