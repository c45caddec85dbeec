import type { ForecastRange } from '@hushrec/planner';

/** What a forecast is asked for with. */
export interface Plan {
  readonly people: number;
  readonly items: number;
  /** Ratings a person has. */
  readonly each: number;
  readonly goal: 'likes' | 'ratings';
  readonly epsilon: number;
}

const usual: Plan = { people: 6000, items: 3000, each: 100, goal: 'likes', epsilon: 1 };
export const bounds = {
  people: [100, 10_000_000],
  items: [50, 1_000_000],
  each: [1, 1000],
  epsilon: [0.1, 20],
} as const;

/** As it stands in the address: `people=6000&items=3000&each=100&epsilon=1&for=likes`. */
export function planAddress({ people, items, each, epsilon, goal }: Plan): string {
  return `people=${people}&items=${items}&each=${each}&epsilon=${epsilon}&for=${goal}`;
}

/** The plan of an address; what is missing or cannot be is as usual. */
export function planOf(address: string | undefined): Plan {
  const asked = new URLSearchParams(address ?? '');
  const number = (name: keyof typeof bounds) => {
    const value = Number(asked.get(name) ?? NaN);
    const [least, most] = bounds[name];
    return value >= least && value <= most ? value : usual[name];
  };
  return {
    people: number('people'),
    items: number('items'),
    each: number('each'),
    epsilon: number('epsilon'),
    goal: asked.get('for') === 'ratings' ? 'ratings' : 'likes',
  };
}

/** Whether so many people are enough, in words that say no more than the range of the forecast does. */
export function enoughOf(
  people: number,
  { peopleNeeded: { low, high }, verdicts: [least] }: Pick<ForecastRange, 'peopleNeeded' | 'verdicts'>,
): { readonly tone: 'good' | 'warn' | 'bad'; readonly verdict: string; readonly why: string } {
  if (least === 'worth-it')
    return {
      tone: 'good',
      verdict: 'enough',
      why: 'Lists will be personal, however unevenly your titles are used.',
    };
  if (people >= low)
    return {
      tone: 'warn',
      verdict: people >= high ? 'barely enough' : 'perhaps enough',
      why: 'It depends on how unevenly your titles are used, which the first model shows.',
    };
  return {
    tone: 'bad',
    verdict: 'too few',
    why: 'Lists would be much like the bestseller list. More people help, or a larger ε, which protects less.',
  };
}
