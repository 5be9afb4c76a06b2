import type { FigureRange } from "@/lib/console/figures.ts";
import { pluralWord } from "@/lib/text/plural.ts";
import { Button } from "../ui/button.tsx";
import { Kbd } from "../ui/values/kbd.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import type { LogRows } from "./log-rows.ts";
import { RANGE_WORDS } from "./series-points.ts";

/** The service stops counting here. */
const MOST_COUNTED = 10_000;

type LogCountProps = {
  shown: number;
  total: number;
  /** The range that is counted; absent where a time was picked in it. */
  range: FigureRange | undefined;
  isFailing: boolean;
};

export function LogCount({ shown, total, range, isFailing }: LogCountProps) {
  const isMore = total >= MOST_COUNTED;
  return (
    <span>
      {groupDigits(shown)} of {isMore ? `${groupDigits(total)} or more` : groupDigits(total)}{" "}
      {pluralWord(total, "request")}
      {range !== undefined && ` in the last ${RANGE_WORDS[range]}`}
      {isFailing && ". New requests can’t be loaded right now; retrying."}
    </span>
  );
}

type LogActionsProps = { hasOlder: boolean; older: LogRows["older"]; showOlder: () => void };

export function LogActions({ hasOlder, older, showOlder }: LogActionsProps) {
  if (hasOlder) {
    return (
      <Button size="small" onClick={showOlder} isPending={older === "reading"}>
        {older === "failed" ? "Retry older requests" : "Show older requests"}
      </Button>
    );
  }
  return (
    <span className="flex flex-wrap items-center gap-1.5 max-sm:hidden">
      <Kbd>j</Kbd>
      <Kbd>k</Kbd> rows, <Kbd>Enter</Kbd> open, <Kbd>Space</Kbd> pause
    </span>
  );
}
