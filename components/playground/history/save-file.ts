/** Downloads a value as a JSON file. */
export function saveFile(name: string, value: unknown): void {
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(value, null, 2)], { type: "application/json" }),
  );
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Firefox reads the URL after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
