import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { checksumAddress, isAddress } from "./address.ts";
import { AgentApiAttributes } from "./agent.ts";
import { canParseUrl } from "./encoding/parse-url.ts";
import { ISSUE_WORDS } from "./issue-text.ts";
import { toJson } from "./json.ts";
import {
  Address,
  AgentId,
  AgentRequestId,
  Count,
  Instant,
  isWebUrl,
  PlanId,
  plainLine,
  plainText,
  Uint256,
  WebUrl,
} from "./primitives.ts";
import { MAX_UINT256 } from "./uint256.ts";
import { visibleText } from "./visible-text.ts";

const NOT_AMOUNTS = [
  "1e3",
  "0x10",
  " 5",
  "5 ",
  "+5",
  "-1",
  "-0",
  "05",
  "00",
  "",
  "1.0",
  "1.5",
  "1_000",
  "1,000",
  "NaN",
  "Infinity",
  "٣",
  "５",
  "5n",
  "0b1",
  "1\n",
  "9".repeat(78),
  `1${"0".repeat(78)}`,
  (MAX_UINT256 + 1n).toString(),
  MAX_UINT256 + 1n,
  -1n,
  -1,
  1.5,
  2 ** 53,
  1e21,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  null,
  undefined,
  true,
  {},
  [],
  ["5"],
];

describe("amounts", () => {
  property.prop([fc.bigInt({ min: 0n, max: MAX_UINT256 })])(
    "every whole number up to 2^256-1 comes through the wire as it was",
    (amount) => {
      expect(Uint256.parse(JSON.parse(toJson({ amount })).amount)).toBe(amount);
      expect(Uint256.parse(amount)).toBe(amount);
    },
  );

  property.prop([fc.maxSafeNat()])("a safe integer is read as it is", (amount) => {
    expect(Uint256.parse(amount)).toBe(BigInt(amount));
  });

  property.prop([fc.string()])("a text is an amount only in its one canonical spelling", (text) => {
    const parsed = Uint256.safeParse(text);
    if (parsed.success) expect(parsed.data.toString()).toBe(text);
  });

  test.each(NOT_AMOUNTS.map((value) => [value]))("%o is no amount", (value) => {
    expect(Uint256.safeParse(value).success).toBe(false);
  });

  test("the edges are in", () => {
    expect(Uint256.parse("0")).toBe(0n);
    expect(Uint256.parse(MAX_UINT256.toString())).toBe(MAX_UINT256);
  });

  test("a refusal names the value, shortened", () => {
    expect(Uint256.safeParse("9".repeat(500)).error?.issues[0]?.message.length).toBeLessThan(200);
    expect(Uint256.safeParse("+5").error?.issues[0]?.message).toContain('"+5"');
  });

  test("a count accepts its decimal string and stays a safe integer", () => {
    expect(Count.parse("60")).toBe(60);
    for (const value of ["-1", "1.5", "1e3", 1.5, -1, 2 ** 53, ""]) {
      expect(Count.safeParse(value).success).toBe(false);
    }
  });
});

describe("addresses", () => {
  // The examples of EIP-55.
  const CHECKSUMMED = [
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
  ];
  test.each(CHECKSUMMED)("%s is written with its checksum", (address) => {
    expect(checksumAddress(address.toLowerCase())).toBe(address);
    expect(Address.parse(address.toLowerCase())).toBe(address);
    expect(isAddress(address)).toBe(true);
    expect(isAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(true);
    const spoiled = address.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase());
    expect(isAddress(spoiled)).toBe(false);
  });
  test("an address keeps its spelling, however many others were spelled since", () => {
    const others = Array.from(
      { length: 1_200 },
      (_, at) => `0x${at.toString(16).padStart(40, "0")}`,
    );
    for (const address of [...others, ...CHECKSUMMED, ...others, ...CHECKSUMMED]) {
      const again = checksumAddress(address.toUpperCase().replace("0X", "0x"));
      expect(again.toLowerCase()).toBe(address.toLowerCase());
      if (CHECKSUMMED.includes(address)) expect(again).toBe(address);
    }
  });
  test.each(["", "0x", "0x12", `0x${"g".repeat(40)}`, `${"0".repeat(42)}`, `0x${"0".repeat(41)}`])(
    "%j is not an address",
    (text) => {
      expect(Address.safeParse(text).success).toBe(false);
    },
  );
});

describe("ids", () => {
  test("a plan id is a uint256 as a decimal string", () => {
    expect(PlanId.parse(42)).toBe("42");
    expect(PlanId.parse(MAX_UINT256.toString())).toBe(MAX_UINT256.toString());
    for (const id of ["", "-1", "0x1", "01", "a", 1.5, 2 ** 53, "9".repeat(78)]) {
      expect(PlanId.safeParse(id).success).toBe(false);
    }
  });
  test("agent ids and request ids hold nothing that means something in a URL", () => {
    expect(AgentId.safeParse("did:agent:7_x.y-z").success).toBe(true);
    for (const id of ["", "a/b", "a b", "é", "a".repeat(129)]) {
      expect(AgentId.safeParse(id).success).toBe(false);
    }
    expect(AgentRequestId.safeParse("a".repeat(16)).success).toBe(true);
    for (const id of ["short", "a".repeat(129), `${"a".repeat(16)}/`]) {
      expect(AgentRequestId.safeParse(id).success).toBe(false);
    }
  });
});

describe("text and links", () => {
  test("text is trimmed and normalised, and holds nothing invisible", () => {
    expect(plainText(10).parse("  Cafe\u0301 ")).toBe("Caf\u00e9");
    expect(plainText(3).safeParse("long").success).toBe(false);
    expect(plainText(10).parse("a\n\tb")).toBe("a\n\tb");
  });
  test("T20: marks without end take no longer than other text", () => {
    const marks = ["\u0301", "\u0323"].map((mark) => mark.repeat(65_000)).join("");
    const plain = "b".repeat(130_000);
    const ms = (text: string) => {
      const before = process.cpuUsage();
      plainLine(100).safeParse(text);
      return process.cpuUsage(before).user / 1000;
    };
    expect(ms(`a${marks}`)).toBeLessThan(20 * ms(plain) + 100);
    expect(plainLine(100).parse(`a${marks}b`)).toBe(`\u00e1${"\u0301".repeat(29)}b`);
  });
  test.each([
    ["a\u0000b", "Contains U+0000, which is invisible. Remove it."],
    ["a\u202eb", "Contains U+202E, which is invisible. Remove it."],
    ["a\u200bb", "Contains U+200B, which is invisible. Remove it."],
    ["a\ufeffb", "Contains U+FEFF, which is invisible. Remove it."],
    ["a\u009bb", "Contains U+009B, which is invisible. Remove it."],
    ["\u00ad", "Contains U+00AD, which is invisible. Remove it."],
    ["\u{e0041}", "Contains U+E0041, which is invisible. Remove it."],
    ["\u3164", "Contains U+3164, which is invisible. Remove it."],
    ["\u2800", "Contains U+2800, which is invisible. Remove it."],
    ["a\u2028b", "Contains U+2028, which is invisible. Remove it."],
    ["\ufe0f", "Contains no visible character."],
    ["\u0301", "Contains no visible character."],
  ])("T34: %j is no text, and the answer says why", (text, message) => {
    for (const schema of [plainText(10), plainLine(10)]) {
      expect(schema.safeParse(text).error?.issues.map((issue) => issue.message)).toContain(message);
    }
  });
  test.each(["a\r\nb", "a\nb", "a\tb"])("T34: %j is text but no name", (text) => {
    expect(plainText(10).parse(text)).toBe(text);
    expect(plainLine(10).safeParse(text).error?.issues[0]?.message).toBe(
      "Contains a line break or a tab. Write it on one line.",
    );
  });
  test.each(["Café", "日本語", "عربي", "नमस्ते", "\u2764\ufe0f", "A–B (1)", "👍🏽", ""])(
    "%j is a name",
    (text) => {
      expect(plainLine(20).parse(text)).toBe(text);
    },
  );
  test.each([
    ["a person at a computer", "Dev helper \u{1f469}\u200d\u{1f4bb}"],
    ["a family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}"],
    ["a heart on fire", "\u2764\ufe0f\u200d\u{1f525}"],
    ["a health worker with a skin tone", "\u{1f469}\u{1f3fd}\u200d\u2695\ufe0f"],
    ["a rainbow flag", "\u{1f3f3}\ufe0f\u200d\u{1f308}"],
    ["Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
    ["Persian with a vowel sign", "\u0645\u06cc\u0650\u200c\u062e"],
    ["Urdu", "\u06a9\u06c1\u200c\u06a9"],
    ["Hindi", "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937"],
    ["Sinhala", "\u0dc1\u0dca\u200d\u0dbb\u0dd3"],
    ["Bengali", "\u09b0\u200d\u09cd\u09af"],
    ["Malayalam", "\u0d05\u0d35\u0d28\u0d4d\u200d \u0d35\u0d28\u0d4d\u0d28\u0d41"],
  ])("joiners that change what is seen are text: %s", (_, text) => {
    expect(plainLine(30).parse(text)).toBe(text);
    expect(plainText(30).parse(text)).toBe(text);
    expect(visibleText(text)).toBe(text);
  });
  test.each([
    ["what a joiner after a letter would hide", "\u0628\u{e0100}\u{e0101}\u200c\u0627", "U+E0100"],
    ["between Latin letters", "pay\u200dpal", "U+200D"],
    ["between digits", "1\u200c2", "U+200C"],
    ["after an Arabic letter that joins nothing", "\u062f\u200c\u0627", "U+200C"],
    ["at the end of an Arabic word", "\u0645\u200c \u0645", "U+200C"],
    ["before an Arabic word", "\u200c\u0645", "U+200C"],
    ["between Arabic and Latin", "\u0645\u200ca", "U+200C"],
    ["between Arabic letters that join without it", "\u0645\u200d\u0645", "U+200D"],
    ["twice", "\u0645\u200c\u200c\u0645", "U+200C"],
    ["without a virama", "\u0915\u200d\u0937", "U+200D"],
    ["after a pictograph", "\u{1f469}\u200d", "U+200D"],
    ["between a pictograph and a letter", "\u{1f469}\u200da", "U+200D"],
    ["twice between pictographs", "\u{1f469}\u200d\u200d\u{1f4bb}", "U+200D"],
    ["of the other kind between pictographs", "\u{1f469}\u200c\u{1f4bb}", "U+200C"],
    ["beside one that is text", "\u{1f469}\u200d\u{1f4bb}\u200b", "U+200B"],
  ])("T34: an unseen joiner is no text: %s", (_, text, point) => {
    expect(plainLine(30).safeParse(text).error?.issues[0]?.message).toBe(
      `Contains ${point}, which is invisible. Remove it.`,
    );
    expect(plainLine(30).safeParse(visibleText(text)).success).toBe(true);
  });
  test.each(["javascript:alert(1)", "data:text/html,x", "ftp://x", "https://u:p@x", "/ask", ""])(
    "%j is no link",
    (url) => {
      expect(WebUrl.safeParse(url).success).toBe(false);
    },
  );
  const NO_ENDPOINT =
    "Expected an http(s) URL, a path that starts with one slash, or a URL such as mcp://server/tools/name.";
  test.each([
    ["https://user:pass@agent.example/x", "A URL must not contain a username or password."],
    ["https://user@agent.example/x", "A URL must not contain a username or password."],
    ["//evil.example/x", NO_ENDPOINT],
    ["/\\evil.example/x", NO_ENDPOINT],
    ["/a\r\nb", NO_ENDPOINT],
    ["https://", NO_ENDPOINT],
    ["ask", NO_ENDPOINT],
  ])("T33: %j is no endpoint", (url, message) => {
    const { error } = AgentApiAttributes.safeParse({ openEndpoints: [url] });
    expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
    expect(AgentApiAttributes.safeParse({ endpoints: [{ POST: url }] }).success).toBe(false);
  });
  test.each([
    "/",
    "/ask/:id",
    "/runs/{thread_id}/x",
    "https://a.example/{b}?c=@d",
    "http://a.example:1",
  ])("%j is an endpoint", (url) => {
    expect(AgentApiAttributes.safeParse({ endpoints: [{ POST: url }] }).success).toBe(true);
  });
});

test("a date in another form is told the form of an instant", () => {
  const message = "Expected an instant such as 2026-11-28T12:00:00Z.";
  for (const text of ["tomorrow", "2026-11-28"])
    expect(Instant.safeParse(text, ISSUE_WORDS).error?.issues[0]?.message).toBe(message);
});

test("a URL with an umlaut is one, also once the code was compiled", () => {
  const texts = Array.from({ length: 10 }, (_, n) => `https://agent.example/${n}`);
  for (let n = 0; n < 200_000; n += 1) isWebUrl(texts[n % 10] as string);
  for (const url of ["https://bücher.example/ask", "https://agent.example/café"])
    expect([isWebUrl(url), canParseUrl(url)]).toEqual([true, true]);
});

test("other texts are not, and a path is one below another URL", () => {
  expect(["", "ask", "https://", "/a b"].map((text) => canParseUrl(text))).toEqual(
    Array(4).fill(false),
  );
  expect(canParseUrl("/ask", "https://agent.example")).toBe(true);
});
