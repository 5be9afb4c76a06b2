const RING = "M14.25 8A6.25 6.25 0 1 1 1.75 8a6.25 6.25 0 0 1 12.5 0z";

/** Each icon's path in a square of 16 units. */
const PATHS = {
  lock: "M4.5 7h7a1.5 1.5 0 0 1 1.5 1.5v3.5a1.5 1.5 0 0 1-1.5 1.5h-7a1.5 1.5 0 0 1-1.5-1.5v-3.5a1.5 1.5 0 0 1 1.5-1.5zM5.2 7V5a2.8 2.8 0 0 1 5.6 0v2",
  check: `${RING}M5.3 8.2l1.9 1.9 3.6-4`,
  half: RING,
  cross: `${RING}M5.8 5.8l4.4 4.4m0-4.4-4.4 4.4`,
  verified:
    "M8 1.8 13.2 3.6v4.2c0 3.2-2.1 5.4-5.2 6.4-3.1-1-5.2-3.2-5.2-6.4V3.6zM5.6 8.1l1.7 1.7 3.2-3.5",
  minus: `${RING}M5.2 8h5.6`,
  dashed: RING,
  copy: "M7 5.5h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5h-5a1.5 1.5 0 0 1-1.5-1.5v-5a1.5 1.5 0 0 1 1.5-1.5zM3.8 10.5h-.3a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v.3",
  tick: "m3.5 8.5 3 3 6-7",
  theme: "M2.25 8a5.75 5.75 0 1 0 11.5 0 5.75 5.75 0 1 0-11.5 0z",
  search: "M2.75 7a4.25 4.25 0 1 0 8.5 0 4.25 4.25 0 1 0-8.5 0zM10.2 10.2l3.3 3.3",
  doctor: "M1.8 8.5h2.9l1.8-5 3 9 1.8-4h2.9",
  home: "M2.5 7.2 8 2.5l5.5 4.7v6.3h-4v-4h-3v4h-4z",
  plans: "M2.5 2.5h5.2l5.8 5.8-5.2 5.2-5.8-5.8zM4.8 5.4a.6 .6 0 1 0 1.2 0 .6 .6 0 1 0-1.2 0z",
  agents:
    "M4 4h8a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5h-8a1.5 1.5 0 0 1-1.5-1.5v-5a1.5 1.5 0 0 1 1.5-1.5zM5.5 7.2v1.6M10.5 7.2v1.6M8 4V1.8",
  balance: "M8 2.5v11M4 13.5h8M2.5 4.5h11M4 4.5 2 9a2 2 0 0 0 4 0zM12 4.5 10 9a2 2 0 0 0 4 0z",
  earnings: "M2.5 13.5h11M4.2 11V7.5M8 11V3M11.8 11V5.6",
  subscriptions:
    "M2.5 5V3.5h11V6a2 2 0 0 0 0 4v2.5h-11V10a2 2 0 0 0 0-4zM9.5 5v1M9.5 7.5v1M9.5 10v1",
  store:
    "M2.8 7.5v6h10.4v-6M2 5.2 3.2 2.5h9.6L14 5.2a2 2 0 0 1-4 0 2 2 0 0 1-4 0 2 2 0 0 1-4 0zM6.5 13.5V10h3v3.5",
  gauge: "M2.3 11.5a6 6 0 1 1 11.4 0M8 9.2l2.6-3.4M7.4 9.6a.6 .6 0 1 0 1.2 0 .6 .6 0 1 0-1.2 0z",
  key: "M2.5 10.8a2.7 2.7 0 1 0 5.4 0 2.7 2.7 0 1 0-5.4 0zM7.2 8.8l6.3-6.3M11 5l2 2",
  card: "M3.3 3.5h9.4a1.5 1.5 0 0 1 1.5 1.5v6a1.5 1.5 0 0 1-1.5 1.5h-9.4a1.5 1.5 0 0 1-1.5-1.5v-6a1.5 1.5 0 0 1 1.5-1.5zM1.8 6.5h12.4M4.5 10h2",
  playground: "M2.2 4h6M2.2 8h3.5M2.2 12h6M10 5l4 3-4 3z",
  activity: "M2.5 3.5h11M2.5 8h7.5M2.5 12.5h9.5",
  code: "m5 4.5-3 3.5 3 3.5M11 4.5l3 3.5-3 3.5M9.2 3 6.8 13",
  hook: "M5.9 4.3a2.1 2.1 0 1 0 4.2 0 2.1 2.1 0 1 0-4.2 0zM1.7 11.5a2.1 2.1 0 1 0 4.2 0 2.1 2.1 0 1 0-4.2 0zM10.1 11.5a2.1 2.1 0 1 0 4.2 0 2.1 2.1 0 1 0-4.2 0zM7 6.2 4.8 9.7M9 6.2l2.2 3.5M5.9 11.5h4.2",
  console:
    "M3.5 3h9a1.5 1.5 0 0 1 1.5 1.5v7a1.5 1.5 0 0 1-1.5 1.5h-9a1.5 1.5 0 0 1-1.5-1.5v-7a1.5 1.5 0 0 1 1.5-1.5zM4.8 6.3l2 1.7-2 1.7M8.5 10h2.5",
  bell: "M4 11.2V7a4 4 0 0 1 8 0v4.2l1 1H3zM6.8 14h2.4",
  wallet:
    "M2.5 4.5v7a1.5 1.5 0 0 0 1.5 1.5h8a1.5 1.5 0 0 0 1.5-1.5v-5A1.5 1.5 0 0 0 12 5H3.2a.9.9 0 0 1 0-2H11M10 9a.6 .6 0 1 0 1.2 0 .6 .6 0 1 0-1.2 0z",
  chain:
    "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.8-.8",
  clock: `${RING}M8 4.5V8l2.3 1.6`,
  history: "M2.6 6A5.8 5.8 0 1 1 2.2 8.6M2.5 2.8V6h3.2M8 5v3.2l2 1.3",
  alert: "M8 2.2 14.2 13H1.8zM8 6.4v3M8 11.2v.1",
  info: `${RING}M8 7.4v3.4M8 5.1v.1`,
  close: "m4 4 8 8m0-8-8 8",
  plus: "M8 3v10M3 8h10",
  refresh: "M13 6.5A5.3 5.3 0 0 0 3.2 5.8M3 2.8v3h3M3 9.5a5.3 5.3 0 0 0 9.8.7M13 13.2v-3h-3",
  dots: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  down: "m4 6 4 4 4-4",
  up: "m4 10 4-4 4 4",
  right: "m6 4 4 4-4 4",
  download: "M8 2.5V10M5.2 7.4 8 10.2l2.8-2.8M3 13h10",
  external:
    "M9.5 2.5h4v4M13.2 2.8 7.5 8.5M11.5 9.5v3a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1h3",
  compare: "M5 2.5v8M2.5 8 5 10.5 7.5 8M11 13.5v-8M8.5 8 11 5.5 13.5 8",
  wrap: "M2.5 4h11M2.5 8h8.7a2.3 2.3 0 0 1 0 4.6H8M9.8 10.8 8 12.6l1.8 1.8M2.5 12h2.7",
  left: "m10 4-4 4 4 4",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  edit: "m3 13 .6-2.8L10.8 3 13 5.2 5.8 12.4zM9.5 4.3l2.2 2.2",
} as const;

export type IconName = keyof typeof PATHS;

const FILLS: Partial<Record<IconName, string>> = {
  half: "M8 1.75a6.25 6.25 0 0 0 0 12.5z",
  theme: "M8 2.25v11.5a5.75 5.75 0 0 0 0-11.5z",
};

/** A 16-unit line icon, always beside words with the same meaning. */
export function Icon({ name, className = "size-4" }: { name: IconName; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      className={`shrink-0 fill-none stroke-current ${className}`}
      strokeWidth={name === "dots" ? 2 : 1.5}
      strokeDasharray={name === "dashed" ? "2.4 2.5" : undefined}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
      {FILLS[name] && <path d={FILLS[name]} fill="currentColor" />}
    </svg>
  );
}
