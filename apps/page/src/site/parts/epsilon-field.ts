import { element, listening } from '../build-element.js';
import { epsilonRuler } from '../pictures/measures.js';

/** The ruler goes from 0.1 to 20, by powers. */
const least = 0.1;
const ratio = 200;

/** ε as a number and as a place on the ruler, which follow each other; what cannot be is said beside it. */
export function epsilonField(label: string) {
  const input = element('input', {
    name: 'epsilon',
    type: 'number',
    min: 0.01,
    max: 100,
    step: 'any',
    value: 1,
    required: true,
  });
  const strength = element('div');
  const ruler = element('input', {
    type: 'range',
    min: 0,
    max: 1,
    step: 'any',
    'aria-label': 'Privacy on the ruler from 0.1 to 20',
  });
  const wrong = element('p', { class: 'small', role: 'alert' });
  const draw = () => {
    const value = Number(input.value);
    const isWrong = !(value > 0);
    input.classList.toggle('wrong', isWrong);
    wrong.textContent = isWrong ? 'ε must be above 0. Smaller protects more; 1 is a good start.' : '';
    if (isWrong) return;
    ruler.value = String(Math.min(1, Math.max(0, Math.log(value / least) / Math.log(ratio))));
    strength.replaceChildren(epsilonRuler(value));
  };
  const set = (value: number) => {
    input.value = String(value);
    draw();
  };
  listening(ruler, { input: () => set(Number((least * ratio ** Number(ruler.value)).toPrecision(2))) });
  listening(input, { input: draw });
  draw();
  return {
    element: element(
      'div',
      { class: 'step' },
      element('label', { class: 'row spread short' }, element('strong', {}, label), input),
      element('div', { class: 'sliding' }, strength, ruler),
      wrong,
    ),
    /** As it was written. */
    text: () => input.value,
    value: () => Number(input.value),
    set,
  };
}
