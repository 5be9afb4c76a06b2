/** The time of every recorded example. */
const NOW = Date.parse("2026-01-31T12:00:00.000Z");
const MINUTE_MS = 60_000;
const WELL_KNOWN = new Set([
  "0x0000000000000000000000000000000000000000",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
]);

const pad = (count: number, size: number) => count.toString(16).padStart(size, "0");

/** A kind of value that differs from run to run: what it looks like, and the value for the n-th of them. */
const KINDS: readonly (readonly [pattern: RegExp, nth: (n: number) => string])[] = [
  [/http:\/\/localhost:3000/g, () => "https://turnpike.example"],
  [/localhost%3A3000/g, () => "turnpike.example"],
  [/svc-\w+:[\w-]+\.[\w-]+\.[\w-]+/g, () => "svc-sandbox:eyJhbGciOiJFUzI1NksifQ.eyJzdWIi…"],
  [/\beyJ[\w+/=.-]{60,}/g, () => "eyJ4NDAyVmVyc2lvbiI6Mn0="],
  [/(?:sample-held|sample-settled)-request-\d+|request-\d{12}/g, (n) => `req_${pad(n, 12)}`],
  // The end of a checkout link, a day after it was made.
  [/(?<=&ends=)\d{13}/g, () => `${NOW + 24 * 60 * MINUTE_MS}`],
  [/evt_\d+_[0-9a-f]{16}/g, (n) => `evt_${n}_0123456789abcdef`],
  [/whsec_[\w+/=]+/g, () => "whsec_dGhlIHNlY3JldCBvZiB0aGUgc2FtcGxl"],
  [
    /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
    (n) => `0f8fad5b-d9cb-469f-a165-${pad(n, 12)}`,
  ],
  [/0x[0-9a-f]{130,}/gi, () => `0x${"5e".repeat(65)}`],
  [/0x[0-9a-f]{64}(?![0-9a-f])/gi, (n) => `0x${"9c".repeat(28)}${pad(n, 8)}`],
  [/0x[0-9a-f]{40}(?![0-9a-f])/gi, (n) => `0x${"a1".repeat(16)}${pad(n, 8)}`],
  [/(?<![\w])[0-9a-f]{64}(?![\w])/g, (n) => `${"7d".repeat(28)}${pad(n, 8)}`],
  [
    /(?<![\w.])\d{36,80}(?![\w.])/g,
    (n) => `14304607854078507${499_661_125_464_059_192_760n + BigInt(n)}`,
  ],
  [
    /(?<![\w+/=-])(?=[\w+/-]*\d)(?=[\w+/-]*[A-Z])[\w+/-]{40,}={0,2}/g,
    (n) => `c2FtcGxl${pad(n, 8)}`,
  ],
];

/**
 * Replaces what differs from run to run, the same way each time: within one example the same value is replaced by the
 * same one. Lists are cut to their first entry.
 */
export function fixedValues(seed: string): (value: unknown) => unknown {
  const seen = new Map<string, string>();
  const counts = new Map<number, number>();
  const midnights: string[] = [];
  const now = Date.now();

  const fixText = (text: string): string =>
    KINDS.reduce(
      (fixed, [pattern, nth], kind) =>
        fixed.replace(pattern, (found) => {
          if (WELL_KNOWN.has(found) || [...seen.values()].includes(found)) return found;
          const known = seen.get(found);
          if (known) return known;
          const count = (counts.get(kind) ?? 0) + 1;
          counts.set(kind, count);
          seen.set(found, nth(count));
          return nth(count);
        }),
      text,
    )
      .replace(/\b20\d\d-\d\d-\d\d \d\d:\d\d(?::\d\d)? UTC/g, "2026-01-31 12:00 UTC")
      .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, fixTime);

  // Times keep their distance from the moment of recording, to the minute; starts of days are counted.
  function fixTime(text: string): string {
    const time = Date.parse(text);
    if (Math.abs(time - now) > 3 * 365 * 86_400_000) return text;
    if (text.endsWith("T00:00:00.000Z")) {
      if (!midnights.includes(text)) midnights.push(text);
      return new Date(Date.UTC(2026, 0, 1 + midnights.indexOf(text))).toISOString();
    }
    const distance = Math.round((time - now) / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
    return new Date(NOW + distance).toISOString();
  }

  function fixNumber(value: number, name: string): number {
    if (/Ms$|^ms$/.test(name)) return 12;
    const isTime = Math.abs(value * 1000 - now) < 365 * 86_400_000;
    return isTime ? Math.round((NOW + value * 1000 - now) / 600_000) * 600 : value;
  }

  function fix(value: unknown, name: string): unknown {
    if (typeof value === "string") {
      if (name === "month" || /^20\d\d-\d\d$/.test(value)) return "2026-01";
      if (name === "last4" && value !== "4242") return "7f3a";
      if (name === "hint" && value.length <= 8) return "…c2Ft";
      if (/^1[78]\d{8}$/.test(value)) return String(fixNumber(Number(value), name));
      return fixText(value);
    }
    if (typeof value === "number") return fixNumber(value, name);
    if (Array.isArray(value)) {
      const isCut = value.some((each) => typeof each === "object");
      return (isCut ? value.slice(0, 1) : value).map((each) => fix(each, name));
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [fixText(key), fix(each, key)]),
    );
  }

  return (value) => fix(value, seed);
}
