import { readFileSync } from "node:fs";

/** A word or turn of phrase this product does not use, and what it says instead. */
export type VoiceRule = {
  avoid: RegExp;
  say: string;
  /** `text`: prose, comments and strings. `code`: names in code. `ui`: what pages show. */
  where: "text" | "code" | "ui";
};

const text = (avoid: RegExp, say: string): VoiceRule => ({ avoid, say, where: "text" });
const code = (avoid: RegExp, say: string): VoiceRule => ({ avoid, say, where: "code" });
const ui = (avoid: RegExp, say: string): VoiceRule => ({ avoid, say, where: "ui" });

export const VOICE_RULES: readonly VoiceRule[] = [
  text(
    /\b(?:stands?|stood|standing) (?:here|there|on|beside|above|below|under|behind|alone)\b/gi,
    "appears, is shown, is",
  ),
  text(/\bstands? in (?!for\b)/gi, "appears in, is in"),
  text(/(?<!")\bnobody(?:'s)?\b/gi, "no one, or name the actor"),
  text(/\bwhoever\b/gi, "anyone who, or name the actor"),
  text(/\b(?:somebody|everybody|anybody)(?:'s)?\b/gi, "someone, everyone, anyone"),
  text(/\b(?:his|himself|hers|herself)\b/gi, "their, themselves"),
  text(/\bby (?:itself|themselves)\b/gi, "on its own, automatically"),
  text(/\bof (?:its|his) own\b/gi, "separate, its own <noun>, or nothing"),
  text(/\bmend(?:s|ed|ing)?\b/gi, "fix, edit, repair"),
  text(/\bdearer\b/gi, "more expensive"),
  text(/\b(?:come|comes|came|arrives?|register|works?) all the same\b/gi, "anyway, still"),
  text(/\b(?:may|can) [a-z]+ all the same\b/gi, "can still"),
  text(/\bif it stays so\b/gi, "if it keeps failing"),
  text(/\bold news\b|\bmakes? room\b/gi, "drop the oldest"),
  text(/\bbelongs? into\b/gi, "belongs in"),
  text(/\bstrange to\b/gi, "rejected by"),
  text(/\bendless(?:ly)? nest/gi, "nested too deeply"),
  text(/\bthe question (?:of|is) (?:whose|who)\b/gi, "name the actor"),
  text(/\b(?:lets?|letting) (?:calls? |it |them |you )?in\b/gi, "accepts, admits"),
  text(/\bdry[- ]verif(?:y|ies|ied)\b/gi, "verify (dry run)"),
  text(/\bask(?:s|ed|ing)? without paying\b/gi, "request without payment"),
  text(/\bask(?:s|ed|ing)? again with (?:the|a) token\b/gi, "retry with payment"),
  text(/\bmost charges\b/gi, "maximum charges"),
  text(/\bend(?:s|ed|ing)? (?:the|a|its|their|your|every) links?\b/gi, "revoke the link"),
  text(/\blimits? by the minute\b|\bby the minute\b/gi, "per-minute limit, rate limit"),
  text(/\bbalance is (?:too )?short\b/gi, "insufficient credits"),
  text(/\btheirs who\b|\bwho(?:m)? it is for\b/gi, "name the actor"),
  text(/\bwhat one (?:buys|pays|gets)\b/gi, "credit pack, subscription"),
  text(/\bwhat is used up\b/gi, "usage, quota"),
  text(/\bnothing is called\b/gi, "no <objects> match"),
  text(/\bno header's name\b/gi, "not a valid header name"),
  text(/\bpasses? ungated\b/gi, "is not charged"),
  text(/\bgives? (?:its|the|up its) credits up\b/gi, "you won't be paid for"),
  text(/\bthis is too much at once\b/gi, "the request is larger than"),
  text(/\bis for no one\b|\bwas given up\b/gi, "was written off"),
  text(/\bdelivered, not settled\b/gi, "Unsettled"),
  text(/\bis no (?:plan|agent|token|key|URL|header|number|address)\b/gi, "is not a …"),
  text(/\b(?:delegations?|tokens?|links?) (?:is|are) over\b/gi, "expired"),
  text(/\bcomes? back by itself\b/gi, "restarts automatically"),
  text(/\bowned by no one\b/gi, "has no owner"),
  ui(/\bon hold\b/gi, "reserved"),
  ui(/\b(?:Challenged|Refused)\b/g, "Payment required, Declined"),
  ui(/\bheld\b/gi, "reserved"),
  ui(/\bungated\b/gi, "not charged"),
  code(/\b(?:rouse|strike|strikeFirst|letIn|LetIn|meant)\b/g, "a plain noun or verb"),
  code(/\b(?:Told|Pass|Door|DO|books)\b/g, "a plain noun"),
  code(/\btell(?=\s*[(:=,])/g, "report, notify, emit"),
];

export type VoiceFinding = { path: string; line: number; found: string; say: string };

const IS_UI = /^(?:app|components)\//;

/** Checks one file. Markdown is prose; in code, names are checked apart from comments and strings. */
export function checkVoice(path: string, content = readFileSync(path, "utf8")): VoiceFinding[] {
  const isCode = /\.(?:tsx?|mjs|js|sql|sol)$/.test(path);
  const lines = content.split("\n");
  const subjects: Record<VoiceRule["where"], string> = {
    text: content,
    code: isCode ? lines.map(withoutText).join("\n") : "",
    ui: isCode && IS_UI.test(path) ? lines.map(shownIn).join("\n") : "",
  };
  return VOICE_RULES.flatMap(({ avoid, say, where }) => {
    const subject = subjects[where];
    return Array.from(subject.matchAll(avoid), ({ 0: found, index }) => {
      const line = subject.slice(0, index).split("\n").length;
      return { path, line, found, say };
    });
  }).sort((a, b) => a.line - b.line);
}

/** A line of code without its comments and strings. */
const withoutText = (line: string): string =>
  line
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '""')
    .replace(/^\s*(?:\/\*\*?|\*|--).*$/, "")
    .replace(/\/\/.*$/, "");

/** What a line of a component can show: strings with a space or a capital, and text between tags. */
function shownIn(line: string): string {
  if (/^\s*(?:\/\/|\*|\/\*)/.test(line)) return "";
  if (/^\s*(?:import|export .* from)\b/.test(line)) return "";
  const strings = Array.from(
    line.matchAll(/"((?:[^"\\]|\\.)*)"|`([^`]*)`/g),
    (m) => m[1] ?? m[2],
  ).filter((shown) => shown !== undefined && /[A-Z ]/.test(shown));
  const between = line.replace(/"(?:[^"\\]|\\.)*"|`[^`]*`|\{[^}]*\}|<[^>]*>/g, " ");
  const isText = /^\s*[A-Za-z][\w',]*(?: [\w',.]+){2,}/.test(between) && !/[=;(){}]/.test(between);
  return [...strings, isText ? between : ""].join(" | ");
}
