/** Whether a database column can hold a text: without NUL characters and halves of surrogate pairs. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();
