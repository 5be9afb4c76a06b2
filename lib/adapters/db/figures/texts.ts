/** A row whose counts and amounts a statement casts to texts. */
export type Texts<Row> = { [K in keyof Row]: string };
