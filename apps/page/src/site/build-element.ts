type Child = Node | string | null | undefined | false;
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;
type Listeners = Readonly<Partial<Record<keyof HTMLElementEventMap, (event: Event) => void>>>;

/**
 * Makes an element: attributes (true sets an empty one; false, null and undefined leave it out), then
 * children. Text is always text, so nothing from a model or a server can become markup.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Child | readonly Child[])[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(
    ...children
      .flat()
      .filter(
        (child): child is Node | string =>
          child !== null && child !== undefined && child !== false && child !== '',
      ),
  );
  return made;
}

/** Adds listeners and gives the element back. */
export function listening<Made extends HTMLElement>(made: Made, listeners: Listeners): Made {
  for (const [name, listener] of Object.entries(listeners)) made.addEventListener(name, listener);
  return made;
}

export function button(
  label: string,
  onClick: () => void,
  attributes: Attributes = {},
  picture?: Node,
): HTMLButtonElement {
  return listening(element('button', { type: 'button', ...attributes }, picture, label), { click: onClick });
}

/** Puts SVG text of our own charts into the page without `innerHTML`. */
export function svgElement(text: string): SVGSVGElement {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  return document.importNode(parsed, true) as unknown as SVGSVGElement;
}
