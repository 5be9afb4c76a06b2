export function saveText(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Firefox reads the URL after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
