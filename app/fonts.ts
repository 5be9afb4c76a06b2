import localFont from "next/font/local";

// Basic Latin comes with the first answer; other characters are fetched by a page that shows them. Each file says which
// characters it is for, so that it stands before the basic one in the stack and is used for nothing else.

const sans = localFont({
  src: "./fonts/geist-basic.woff2",
  variable: "--font-geist-sans",
  weight: "400 700",
});
const sansLatin = localFont({
  src: "../node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2",
  variable: "--font-geist-sans-latin",
  weight: "100 900",
  preload: false,
  adjustFontFallback: false,
  declarations: [
    {
      prop: "unicode-range",
      value:
        "U+00A1-00A2,U+00A4-00A6,U+00A8-00B6,U+00B8-00D6,U+00D8-00FF,U+0131,U+0152-0153,U+02BC,U+02C6,U+02DA,U+02DC,U+0300-0323,U+201A,U+201E,U+2032-2033,U+2039-203A,U+2044,U+2122",
    },
  ],
});
const sansLatinExtended = localFont({
  src: "../node_modules/@fontsource-variable/geist/files/geist-latin-ext-wght-normal.woff2",
  variable: "--font-geist-sans-latin-ext",
  weight: "100 900",
  preload: false,
  adjustFontFallback: false,
  declarations: [
    { prop: "unicode-range", value: "U+0100-0130,U+0132-0151,U+0154-02BA,U+1E00-1E9F,U+20A0-20AB" },
  ],
});
const sansCyrillic = localFont({
  src: "../node_modules/@fontsource-variable/geist/files/geist-cyrillic-wght-normal.woff2",
  variable: "--font-geist-sans-cyrillic",
  weight: "100 900",
  preload: false,
  adjustFontFallback: false,
  declarations: [{ prop: "unicode-range", value: "U+0400-045F,U+0490-0491,U+04B0-04B1,U+2116" }],
});
const mono = localFont({
  src: "./fonts/geist-mono-basic.woff2",
  variable: "--font-geist-mono",
  weight: "400 700",
});
const monoLatin = localFont({
  src: "../node_modules/@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2",
  variable: "--font-geist-mono-latin",
  weight: "100 900",
  preload: false,
  adjustFontFallback: false,
  declarations: [
    {
      prop: "unicode-range",
      value:
        "U+00A1-00A2,U+00A4-00A6,U+00A8-00B6,U+00B8-00D6,U+00D8-00FF,U+0131,U+0152-0153,U+02BC,U+02C6,U+02DA,U+02DC,U+0300-0323,U+201A,U+201E,U+2032-2033,U+2039-203A,U+2044,U+2122",
    },
  ],
});

/** Classes that name the fonts for `globals.css`. */
export const fontNames = [sans, sansLatin, sansLatinExtended, sansCyrillic, mono, monoLatin]
  .map(({ variable }) => variable)
  .join(" ");
