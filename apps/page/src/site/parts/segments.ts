import { element } from '../build-element.js';

let groups = 0;

/** A few choices beside each other, one of them taken. */
export function segments(
  label: string,
  choices: readonly (readonly [value: string, name: string])[],
  first = choices[0]?.[0],
) {
  const name = `segments-${++groups}`;
  const inputs = choices.map(([value]) =>
    element('input', { type: 'radio', name, value, checked: value === first }),
  );
  return {
    value: () => inputs.find(({ checked }) => checked)!.value,
    element: element(
      'div',
      { class: 'segments', role: 'radiogroup', 'aria-label': label },
      choices.map(([, text], place) => element('label', {}, inputs[place], text)),
    ),
  };
}
