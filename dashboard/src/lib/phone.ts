/** Where the parts of the page are screens beside one another. */
export const isPhone = (): boolean => matchMedia("(width < 700px)").matches;

/** Brings a part of the page into sight, on a phone. */
export function showPart(id: "conversation" | "inspector"): void {
  if (isPhone()) document.getElementById(id)?.scrollIntoView();
}
