import localFont from "next/font/local";

// Latin comes with the first answer; other scripts are fetched by a page that shows them. Each says which
// characters it is for, so that it stands before Latin in the stack and is used for nothing else.

const sans = localFont({
  src: "../node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2",
  variable: "--font-geist-sans",
  weight: "100 900",
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
  src: "../node_modules/@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2",
  variable: "--font-geist-mono",
  weight: "100 900",
});

/** Classes that name the fonts for `globals.css`. */
export const fontNames = [sans, sansLatinExtended, sansCyrillic, mono]
  .map(({ variable }) => variable)
  .join(" ");
