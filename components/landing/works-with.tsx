import { Icon, type IconName } from "../ui/icon.tsx";

/** What the gate and the client are tested with; the marks are our own. */
const NAMES: [string, IconName][] = [
  ["x402", "lock"],
  ["MCP", "console"],
  ["A2A", "compare"],
  ["Express", "code"],
  ["Hono", "code"],
  ["Fastify", "code"],
  ["Next.js", "code"],
];

/** Protocols and frameworks that work, in one row. */
export function WorksWith() {
  return (
    <div className="mt-6 flex flex-wrap items-center gap-x-8 gap-y-2 text-label lg:gap-x-10">
      <span className="text-ink-2">Works with</span>
      <ul className="flex flex-1 flex-wrap justify-between gap-x-6 gap-y-2">
        {NAMES.map(([name, icon]) => (
          <li key={name} className="flex items-center gap-1.5 font-medium">
            <Icon name={icon} className="size-3.5 text-ink-2" />
            {name}
          </li>
        ))}
      </ul>
    </div>
  );
}
