const MAX_LENGTH = 200;
const UNSEEN = /[\s\p{C}\p{Z}\u2800]|\p{Default_Ignorable_Code_Point}/gu;
/** What mail programs turn into a link. */
const LINK = /:(?=\/\/)/g;

/**
 * Method and path of an approval's call on one line. The seller writes both as they like, so what cannot be seen is
 * percent-encoded: a text that reads as one of ours has no place in it.
 */
export function callText(subject: string): string {
  const call = subject.toWellFormed().split(" ", 2).map(visible).join(" ");
  const characters = [...call];
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join("")}…` : call;
}

const visible = (part: string) => part.replace(UNSEEN, encodeURIComponent).replace(LINK, "%3A");
