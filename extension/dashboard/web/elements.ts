/** An element with attributes, and texts or elements in it. No markup is ever parsed. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

/** Sets a text where it differs, so that a screen reader is not told again what it knows. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text
}
