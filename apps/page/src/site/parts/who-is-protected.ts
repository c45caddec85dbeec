import { element, listening } from '../build-element.js';
import type { MethodSummary } from '../server-interface.js';

/** Whom a method protects: whole people, single ratings, or nobody. */
export function kindOf({ protects }: MethodSummary): 'user' | 'rating' | 'none' {
  if (protects.length === 0) return 'none';
  return protects.some(({ unit }) => unit === 'user') ? 'user' : 'rating';
}

/** Whole people, single ratings, or nobody: each stands for the method that does it best for the goal. */
export function whoIsProtected(
  methods: readonly MethodSummary[],
  preferred: string,
  suits: (method: MethodSummary) => boolean,
  choose: (method: string) => void,
) {
  const kinds = [
    ['user', 'The whole person', 'Everything someone ever rated'],
    ['rating', 'One rating', 'Weaker: habits stay visible'],
    ['none', 'Nobody', 'For comparison only, not to be published'],
  ] as const;
  const inputs = kinds.map(([kind]) => element('input', { type: 'radio', name: 'unit', value: kind }));
  const picks = kinds.flatMap(([kind, name, note], at) => {
    const able = methods.filter((each) => kindOf(each) === kind);
    if (able.length === 0) return [];
    const best = () => able.find(({ id }) => id === preferred) ?? able.find(suits) ?? able[0];
    listening(inputs[at], { change: () => choose(best().id) });
    return [
      element(
        'label',
        { class: 'pick' },
        inputs[at],
        element('strong', {}, name),
        element('span', { class: 'small quiet' }, note),
      ),
    ];
  });
  return {
    element: element('div', { role: 'radiogroup', 'aria-label': 'Who is protected' }, picks),
    show: (method: MethodSummary) => {
      for (const input of inputs) input.checked = input.value === kindOf(method);
    },
  };
}
