import "server-only";
import { resolve } from "node:path";
import PDFDocument from "pdfkit";
import { drawnOrder } from "./word-order.ts";

const FONTS = resolve("node_modules/dejavu-fonts-ttf/ttf");
const REGULAR = `${FONTS}/DejaVuSans.ttf`;
const BOLD = `${FONTS}/DejaVuSans-Bold.ttf`;
const MARGIN = 40;
/** Calls settle on the same thread. */
const TURN_MS = 5;
const INK = "#111827";
const FAINT = "#6b7280";

export type PdfColumn = { title: string; width: number; align?: "right" };

/** A PDF of lines, headings and rows, whose pages leave memory as they fill. */
export type Pdf = ReturnType<typeof openPdf>;

/** Where letters are left out that the fonts do not have. */
const LEFT_OUT = "[…]";
const LEFT_OUT_NOTE = `${LEFT_OUT} stands for letters that this file can’t show. Turnpike’s pages show them.`;

/** Opens a PDF with embedded fonts, on A4. It says at its end if they lack letters. */
export function openPdf(title: string, { isWide = false } = {}) {
  const doc = openDoc(title, isWide);
  const chunks: Uint8Array[] = [];
  doc.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  const { pen, writeAt, linesOf, hasLettersOf, isAnyLeftOut } = createPen(doc);
  const bottom = doc.page.height - MARGIN;
  const width = doc.page.width - 2 * MARGIN;
  let y = MARGIN;
  const turn = createTurns();
  let head: readonly PdfColumn[] | undefined;

  const write = (text: string, at: Partial<Place> = {}) =>
    writeAt(text, { x: MARGIN, width, y, ...at });
  const need = (height: number) => {
    if (y + height <= bottom) return;
    doc.addPage();
    y = MARGIN;
    if (head) cells(head.map(({ title }) => title));
  };
  const cells = (texts: readonly string[], isBold = true) => {
    pen(isBold ? BOLD : REGULAR, 7.5, INK);
    let x = MARGIN;
    for (const [index, { width: wide, align }] of (head ?? []).entries()) {
      const text = texts[index];
      if (text) write(text, { x, width: wide - 6, ...(align && { align }) });
      x += wide;
    }
    y += 12;
  };

  return {
    heading(text: string, size = 12) {
      head = undefined;
      need(size * 4);
      y += size * 0.7;
      pen(BOLD, size, INK);
      write(text);
      y += size * 1.6;
    },
    note(text: string) {
      need(12);
      pen(REGULAR, 8, FAINT);
      write(text);
      y += 12;
    },
    fact(term: string, value: string) {
      pen(REGULAR, 9, FAINT);
      const lines = linesOf(value, width - 116);
      need(4 + lines.length * 12);
      pen(REGULAR, 9, FAINT);
      write(term, { width: 110 });
      doc.fillColor(INK);
      for (const [index, line] of lines.entries()) {
        write(line, { x: MARGIN + 116, width: width - 116, y: y + 12 * index });
      }
      y += 4 + 12 * lines.length;
    },
    /** Whether the fonts have all letters of a text. */
    hasLettersOf,
    /** Columns of the rows that follow, repeated on each page. */
    columns(columns: readonly PdfColumn[]) {
      need(36);
      head = columns;
      cells(columns.map(({ title }) => title));
    },
    row(texts: readonly string[], isBold = false) {
      need(12);
      cells(texts, isBold);
    },
    /** The bytes that are ready, once other work had its turn. */
    async ready(): Promise<Uint8Array[]> {
      await turn();
      return chunks.splice(0);
    },
    async end(): Promise<Uint8Array[]> {
      if (isAnyLeftOut()) this.note(LEFT_OUT_NOTE);
      for (const font of embeddedIn(doc)) {
        await turn();
        font.finalize();
      }
      await turn();
      await new Promise((done) => doc.on("end", done).end());
      return chunks.splice(0);
    },
  };
}

/** Lets other work run once this has run for `TURN_MS`. */
function createTurns(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await new Promise((wake) => setImmediate(wake));
    since = performance.now();
  };
}

const openDoc = (title: string, isWide: boolean): PDFKit.PDFDocument =>
  new PDFDocument({
    size: "A4",
    layout: isWide ? "landscape" : "portrait",
    margin: MARGIN,
    font: "",
    lang: "en",
    displayTitle: true,
    // A line is laid out once, and a cache of all of them would grow with the file.
    fontLayoutCache: false,
    info: { Title: title, Producer: "Turnpike", Creator: "Turnpike" },
  });

type Place = { x: number; y: number; width: number; align?: "right" };

/** Writes texts in one line each, cut to a width, or in the lines that they need. */
function createPen(doc: PDFKit.PDFDocument) {
  const advances = new Map(
    [BOLD, REGULAR].map((path) => [path, layOutQuickly(openFont(doc, path))]),
  );
  const shown = createShown(openFont(doc, REGULAR));
  let isLeftOut = false;
  let face = { path: REGULAR, size: 9 };
  const widthOf = (text: string): number =>
    ((UNSHAPED.test(text) && advances.get(face.path)?.(text)) || 0) * face.size ||
    doc.widthOfString(text);
  return {
    hasLettersOf: (text: string) => shown(text) === text,
    isAnyLeftOut: () => isLeftOut,
    linesOf: (text: string, width: number) => wrap(shown(text), width, widthOf),
    pen(path: string, size: number, color: string) {
      face = { path, size };
      doc.font(path, size).fillColor(color);
    },
    writeAt(text: string, { x, y, width, align }: Place) {
      const [line, textWidth] = cut(shown(text), width, widthOf);
      isLeftOut ||= line.includes(LEFT_OUT);
      const left = align ? x + width - textWidth : x;
      doc.text(drawnOrder(line), left, y, { lineBreak: false, textWidth, wordCount: 1 } as object);
    },
  };
}

/** A text that fits a width, with an ellipsis where it was longer, and its width. */
function cut(text: string, width: number, widthOf: (text: string) => number): [string, number] {
  const whole = widthOf(text);
  if (whole <= width) return [text, whole];
  const letters = [...text];
  let length = Math.floor((letters.length * width) / whole);
  const line = () => `${letters.slice(0, length).join("")}…`;
  while (length > 0 && widthOf(line()) > width) length -= 1;
  return [line(), widthOf(line())];
}

/** The lines of a text, broken between words. */
function wrap(text: string, width: number, widthOf: (text: string) => number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = [...lines.slice(-1), word].join(" ");
    if (lines.length > 0 && widthOf(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines;
}

type Glyph = { id: number; advanceWidth: number };
/** What pdfkit has of an embedded font: fontkit's, which is typed elsewhere. */
type Font = {
  hasGlyphForCodePoint: (point: number) => boolean;
  glyphForCodePoint: (point: number) => Glyph;
  layout: (text: string, features?: unknown) => { glyphs: Glyph[]; positions: object[] };
  unitsPerEm: number;
};
type Embedded = {
  font: Font;
  constructor: new (doc: PDFKit.PDFDocument, font: Font, id: string) => Embedded;
  finalize: () => void;
};
const fontsIn = (doc: PDFKit.PDFDocument) =>
  doc as unknown as { _font: Embedded; _fontFamilies: Record<string, Embedded> };
const embeddedIn = (doc: PDFKit.PDFDocument) => Object.values(fontsIn(doc)._fontFamilies);

/** Fonts by path, parsed once: pdfkit parses one for each document. */
const parsed = new Map<string, Embedded>();

/** Opens a font in a document, with separate glyphs: a glyph keeps the letter that it was first drawn for. */
function openFont(doc: PDFKit.PDFDocument, path: string): Font {
  const known = parsed.get(path) ?? fontsIn(new PDFDocument({ font: path }))._font;
  parsed.set(path, known);
  const { _fontFamilies: families } = fontsIn(doc);
  if (!families[path]) {
    const font: Font = Object.assign(Object.create(known.font), { _glyphs: {} });
    families[path] = new known.constructor(doc, font, `F${Object.keys(families).length + 1}`);
  }
  doc.font(path);
  return families[path].font;
}

/** Scripts whose letters are laid out one by one: they need no shaping, which costs a millisecond a line. */
const UNSHAPED = /^[\x20-\x7e\u00a1-\u02ff\u0370-\u03ff\u0400-\u0481\u048a-\u052f\u2010-\u2026]*$/;

/** Lays such texts out letter by letter; answers how wide one is, at size 1. */
function layOutQuickly(font: Font): (text: string) => number {
  const shape = font.layout.bind(font);
  const known = new Map<string, Glyph>();
  const glyphOf = (letter: string): Glyph => {
    const glyph = known.get(letter) ?? font.glyphForCodePoint(letter.codePointAt(0) ?? 0);
    known.set(letter, glyph);
    return glyph;
  };
  font.layout = (text, features) => {
    if (!UNSHAPED.test(text)) {
      const run = shape(text, features);
      const isSpaceFirst = text.endsWith(" ") && run.glyphs[0]?.id === glyphOf(" ").id;
      // The space after a word that is written from right to left: the next word is drawn on its right all the same.
      for (const list of isSpaceFirst ? [run.glyphs, run.positions] : []) {
        list.push(...(list.splice(0, 1) as Glyph[]));
      }
      return run;
    }
    const glyphs = Array.from(text, glyphOf);
    const positions = glyphs.map(({ advanceWidth: xAdvance }) => ({
      xAdvance,
      yAdvance: 0,
      xOffset: 0,
      yOffset: 0,
    }));
    // pdfkit scales the positions before it asks for their sum.
    return {
      glyphs,
      positions,
      get advanceWidth() {
        return positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0);
      },
    };
  };
  return (text) => {
    let units = 0;
    for (const letter of text) units += glyphOf(letter).advanceWidth;
    return units / font.unitsPerEm;
  };
}

/** Leaves out letters that the font does not have; those that follow each other leave one mark. */
const createShown =
  (font: Font) =>
  (text: string): string =>
    /^[\x20-\x7e]*$/.test(text)
      ? text
      : Array.from(text, (letter) =>
          font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0) ? letter : "\0",
        )
          .join("")
          .replace(/\0(?:[\0\s]*\0)?/g, LEFT_OUT);
