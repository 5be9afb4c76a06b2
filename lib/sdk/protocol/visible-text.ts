/** Controls, and characters that reorder or hide text. */
const UNSEEN = /(\p{Cc}|\p{Cf}|[\u2028\u2029\u2800]|\p{Default_Ignorable_Code_Point})+/gu;

/** A stranger's text on one line, so that it cannot change what a terminal shows beside it. */
export const visibleText = (text: string): string => text.replace(UNSEEN, " ");
