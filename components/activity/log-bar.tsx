import { Switch } from "../ui/fields/switch.tsx";
import { type ActivityFilter, activityHref } from "./filter/activity-filter.ts";
import { RangeLinks, SideLinks } from "./range-links.tsx";
import { TestCallsLink } from "./test-calls-link.tsx";

type LogBarProps = {
  filter: ActivityFilter;
  tail: {
    isOn: boolean;
    isPossible: boolean;
    isWaiting: boolean;
    setOn: (isOn: boolean) => void;
  };
};

/** Which side of the calls, which range, and whether new ones are followed. */
export function LogBar({ filter, tail }: LogBarProps) {
  const { role, range } = filter;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
      <SideLinks
        role={role}
        hrefOf={(one) => activityHref({ ...filter, payer: undefined, role: one })}
      />
      <RangeLinks
        range={filter.since === undefined ? range : undefined}
        hrefOf={(one) => activityHref(filter, { range: one, since: undefined, until: undefined })}
      />
      {role === "builder" && (
        <TestCallsLink
          areShown={filter.tests === "1"}
          href={activityHref(filter, { tests: filter.tests ? undefined : "1" })}
        />
      )}
      <span className="ms-auto flex items-center gap-3 max-sm:ms-0">
        {tail.isWaiting && (
          <span className="text-ink-2 text-small">Paused while you are scrolled down</span>
        )}
        <Switch
          label="Live tail"
          className="text-label"
          checked={tail.isOn}
          disabled={!tail.isPossible}
          title={
            tail.isPossible
              ? "Press Space to pause"
              : "Clear the time filter to follow new requests"
          }
          onChange={({ target }) => tail.setOn(target.checked)}
        />
      </span>
    </div>
  );
}
